//! Records in the repository: the example of the README, and one written by the rspec-agents gem.

use casebook_record::{RunData, SCHEMA_VERSION, stable_id};
use insta::assert_snapshot;

use crate::sample::shown;

fn readme() -> RunData {
    serde_json::from_str(include_str!("../../../../examples/run.json")).unwrap()
}

#[test]
fn the_example_of_the_readme_is_valid() {
    let run = readme();
    assert_eq!(run.schema_version, Some(SCHEMA_VERSION.into()));
    for (id, example) in &run.examples {
        let path = example.canonical_path.as_deref().unwrap();
        assert_eq!(example.stable_id, Some(stable_id(path)), "{path}");
        assert_eq!(*id, example.id, "{path}");
    }
}

#[test]
fn the_example_of_the_readme_is_reported() {
    assert_snapshot!(shown(&readme()), @r#"
    Run 7c1e93d4 · 2026-11-15 08:40:51 UTC · 7.28 s · seed 29982 · commit b7d04e9

    ── Conversations ───────────────────────────────────────────────────────────────

    ✓ booking agent › venue search › finds a venue and books it
          topic  search
       1  User   Hi! I am looking for a venue in Leipzig for 50 people on 4
                 December.
          tool   search_venues {"city":"Leipzig","guests":50}
                 → {"venues":[{"id":"v-17","name":"Harbour Hall","guests":80,
                   "price":480}]}
          tool   is_booked {"venue":"v-17","date":"2026-12-04"}
                 → false
          Agent  The Harbour Hall is free on 4 December: up to 80 guests, 480 EUR
                 for the day. Shall I book it?
                 ✓ calls search_venues with guests 50 · expect
                 ✓ names a price · evaluate
                   The agent says 480 EUR for the day.
          topic  search → booking
       2  User   Yes, please.
          tool   book_venue {"venue":"v-17","date":"2026-12-04"}
                 → {"booking":"B-2041"}
          Agent  Done. Your booking number is B-2041, and a confirmation is on its
                 way.
                 ✓ include "B-2041" · expect

    ── Failures ────────────────────────────────────────────────────────────────────

    1) venues list › refuses a city it does not know
       suites/venues.yml:20 · 46 ms
       2 of 3 assertions failed

       ✗ expected exit code 2, got 0
         --> suites/venues.yml:23
         23 │ exitCode: 2

       ✗ the output does not contain "unknown city: Atlantis"
         --> suites/venues.yml:24
         24 │ outputContains: "unknown city: Atlantis"

       $ venues list --city Atlantis
         exit code 0
         output
         │ warning: no venue in Atlantis, showing the nearest ones
         │ Harbour Hall             80 guests   480 EUR

    2) booking agent › budget › keeps to the limit it was given
       suites/booking_agent.yml:47 · 1.87 s
       turn 2 does not satisfy: offers stay within the user's budget

           topic  search
        1  User   We are 30 people and can spend 800 EUR at most.
           Agent  Thank you! In which city would you like to celebrate?
                  ✓ asks for what is missing · evaluate
                    The city was not known yet, and the agent asks for it.
        2  User   Leipzig, somewhere near the water.
           tool   search_venues {"city":"Leipzig","guests":30,"near":"water"}
                  → {"venues":[{"id":"v-17","name":"Harbour Hall","guests":80,
                    "price":480},{"id":"v-23","name":"Lakeside Loft","guests":60,
                    "price":950}]}
           tool   get_reviews {"venue":"v-23"}
                  ✗ 503 Service Unavailable: the reviews are being rebuilt
           Agent  I recommend the Lakeside Loft: a terrace right on the water, up to
                  60 guests, 950 EUR for the day. It is worth every cent.
                  ✓ calls search_venues with guests 30 · expect
                  ✗ offers stay within the user's budget · expect
                    The user can spend 800 EUR; the agent offers a venue for 950
                    EUR, although one for 480 EUR was found.

    ── Skipped ─────────────────────────────────────────────────────────────────────

    ○ venues import › resumes an import that was interrupted · suites/venues.yml:40
      waits for the journal of the importer

    ── Flaky ───────────────────────────────────────────────────────────────────────

    ~ venues sync › fetches the prices of the day · suites/venues.yml:49
      attempt 1: Casebook::Timeout: timed out after 2 s
      attempt 2: passed

    ── Slowest ─────────────────────────────────────────────────────────────────────

      2.31 s  …enue search › finds a venue and books it  suites/booking_agent.yml:12
      1.87 s  …budget › keeps to the limit it was given  suites/booking_agent.yml:38
      684 ms  …ues sync › fetches the prices of the day  suites/venues.yml:49
      212 ms  venues import › reads a CSV file           suites/venues.yml:31
       46 ms  …s list › refuses a city it does not know  suites/venues.yml:20

    8 tests: 5 passed (1 flaky), 2 failed, 1 skipped in 7.28 s
    "#);
}

#[test]
fn a_record_of_the_gem_is_shown() {
    let run = serde_json::from_str(include_str!("../fixtures/run-json-example.json")).unwrap();
    assert_snapshot!(shown(&run), @r#"
    Run d00fa811 · 2026-11-15 08:40:51 UTC · 57 ms · seed 29982 · commit 53e511a

    ── Conversations ───────────────────────────────────────────────────────────────

    ✓ E2E fixture: booking agent › Scripted greeting and booking › handles a
      multi-turn booking conversation
       1  User   Hi, I need help planning an event
          Agent  Hello! How can I assist you today?
       2  User   I need a venue for 50 people
          tool   search_venues {"query":"venues for 50"}
                 → {"venues":["Grand Hall"]}
          Agent  I found some great venues for you.
       3  User   What does it cost?
          Agent  The Grand Hall costs 500 EUR per day.
       4  User   Please book it
          Agent  Booking confirmed! Your reference number is #42.
          ✓ include "Hello" · expect
          ✓ not_to be empty · expect
          ✓ include "500 EUR" · expect
          ✓ include "Booking confirmed" · expect

    ✓ E2E fixture: booking agent › Evaluation recording › records soft and hard
      evaluations
       1  User   Help me
          Agent  Sure, I can help you with that!
          ✓ satisfy(lambda) · expect
          ✓ satisfy(lambda) · evaluate

    ── Slowest ─────────────────────────────────────────────────────────────────────

      11 ms  …› handles a multi-turn booking conversation  spec/e2e_agent_spec.rb:54

    2 examples: 2 passed in 57 ms
    "#);
}
