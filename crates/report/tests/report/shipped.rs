//! Records in the repository: the example in `examples`, and one written by the rspec-agents gem.

use casebook_record::{RunData, SCHEMA_VERSION, stable_id};
use insta::assert_snapshot;

use crate::sample::shown;

fn example_record() -> RunData {
    serde_json::from_str(include_str!("../../../../examples/run.json")).unwrap()
}

#[test]
fn the_example_record_is_valid() {
    let run = example_record();
    assert_eq!(run.schema_version, Some(SCHEMA_VERSION.into()));
    for (id, example) in &run.examples {
        let path = example.canonical_path.as_deref().unwrap();
        assert_eq!(example.stable_id, Some(stable_id(path)), "{path}");
        assert_eq!(*id, example.id, "{path}");
    }
}

#[test]
fn the_example_record_is_reported() {
    assert_snapshot!(shown(&example_record()), @r#"
    Run ca365c34 · 2026-11-17 08:42:45 UTC · 4.17 s · commit 1d2be0a

    ── Conversations ───────────────────────────────────────────────────────────────

    ✓ booking agent › finds a venue and books it
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
                 ✓ called search_venues with guests 50 · expect
                 ✓ satisfies price · evaluate
                   scripted in `llm.verdicts`
          topic  search → booking
       2  User   Yes, please.
          tool   book_venue {"venue":"v-17","date":"2026-12-04"}
                 → {"booking":"B-2041"}
          Agent  Done. Your booking number is B-2041, and a confirmation is on its
                 way.
                 ✓ contains "B-2041" · expect

    ── Failures ────────────────────────────────────────────────────────────────────

    1) booking agent › keeps to the limit it was given
       suites/booking.casebook.yaml:28 · 1.03 s
       turn 2: satisfies budget: judged as failed: scripted in `llm.verdicts`

           topic  search
        1  User   We are 30 people and can spend 800 EUR at most.
           Agent  Thank you! In which city would you like to celebrate?
                  ✓ intent ask for what is missing · evaluate
                    scripted in `llm.verdicts`
        2  User   Leipzig, somewhere near the water.
           tool   search_venues {"city":"Leipzig","guests":30,"near":"water"}
                  → {"venues":[{"id":"v-17","name":"Harbour Hall","guests":80,
                    "price":480},{"id":"v-23","name":"Lakeside Loft","guests":60,
                    "price":950}]}
           tool   get_reviews {"venue":"v-23"}
                  ✗ 503 Service Unavailable: the reviews are being rebuilt
           Agent  I recommend the Lakeside Loft: a terrace right on the water, up to
                  60 guests, 950 EUR for the day. It is worth every cent.
                  ✓ called search_venues with guests 30 · expect
                  ✗ satisfies budget · expect
                    judged as failed: scripted in `llm.verdicts`
                    --> suites/booking.casebook.yaml:35
                    35 │ - satisfies: budget
           ended  stopped: an expectation failed

       run it again: casebook run suites/booking.casebook.yaml:28

    2) venues › refuses a city it does not know
       suites/venues.casebook.yaml:17 · 7 ms
       ✗ exit code 0 instead of 2
         --> suites/venues.casebook.yaml:19
         19 │ exitCode: 2

       ✗ output does not contain "unknown city: Atlantis"
         --> suites/venues.casebook.yaml:20
         20 │ outputContains: "unknown city: Atlantis"

       $ venues list --city Atlantis
         exit code 0
         output
         │ warning: no venue in Atlantis, showing the nearest ones
         │ Harbour Hall             80 guests   480 EUR

       run it again: casebook run suites/venues.casebook.yaml:17

    ── Skipped ─────────────────────────────────────────────────────────────────────

    ○ venues › resumes an import that was interrupted ·
      suites/venues.casebook.yaml:29
      waits for the journal of the importer

    ── Flaky ───────────────────────────────────────────────────────────────────────

    ~ venues › fetches the prices of the day · suites/venues.casebook.yaml:34
      attempt 1: Casebook::Timeout: timed out after 1 s
      attempt 2: passed

    ── Slowest ─────────────────────────────────────────────────────────────────────

      1.24 s  …g agent › finds a venue and books it  suites/booking.casebook.yaml:20
      1.03 s  …nt › keeps to the limit it was given  suites/booking.casebook.yaml:28
      620 ms  …nues › fetches the prices of the day  suites/venues.casebook.yaml:34
      213 ms  venues › reads a CSV file              suites/venues.casebook.yaml:24
       12 ms  venues › prints JSON for scripts       suites/venues.casebook.yaml:11

    8 tests: 5 passed (1 flaky), 2 failed, 1 skipped in 4.17 s
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
