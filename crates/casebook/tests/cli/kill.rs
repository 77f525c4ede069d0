//! SIGKILL at any moment: what was acknowledged is there, and `recover` makes a run of it.

use std::io::Write as _;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::events::{passed, said, started, suite};
use crate::prng::{Random, seed};
use crate::support::Project;

const KILLS: u64 = 200;
const AT_ONCE: u64 = 4;

#[test]
fn a_writer_killed_at_any_of_200_moments_loses_nothing_it_acknowledged() {
    let seed = seed();
    thread::scope(|scope| {
        for worker in 0..AT_ONCE {
            scope.spawn(move || {
                for number in (worker..KILLS).step_by(usize::try_from(AT_ONCE).unwrap()) {
                    let random = Random::new(seed ^ number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
                    Kill::at_random(random, &format!("CASEBOOK_SEED={seed} kill {number}")).check();
                }
            });
        }
    });
}

/// A project whose recorder was killed.
struct Kill {
    project: Project,
    sent: Vec<String>,
    acknowledged: usize,
    name: String,
}

impl Kill {
    fn at_random(mut random: Random, name: &str) -> Kill {
        let project = Project::new();
        let sent = events(&mut random);
        let mut live = project
            .casebook("record --from jsonl --ack --record run")
            .start();
        let mut stdin = live.take_stdin();
        let lines = sent.clone();
        // Some writers end in order, so that the moment can be that of writing run.json.
        let stays = random.below(4) > 0;
        let writer = thread::spawn(move || {
            for line in lines {
                if stdin.write_all(format!("{line}\n").as_bytes()).is_err() {
                    break;
                }
            }
            stays.then_some(stdin)
        });
        let wanted = 1 + random.below(sent.len() as u64);
        let mut answers: Vec<_> = (0..wanted).map(|_| live.answer()).collect();
        thread::sleep(Duration::from_micros(random.below(3_000)));
        live.signal(rustix::process::Signal::KILL);
        answers.extend(live.last_answers());
        live.wait();
        drop(writer.join().unwrap());
        let expected: Vec<_> = (1..=answers.len())
            .map(|number| number.to_string())
            .collect();
        assert_eq!(answers, expected, "{name}");
        Kill {
            project,
            sent,
            acknowledged: answers.len(),
            name: name.to_owned(),
        }
    }

    fn check(&self) {
        let journal = whole_lines(&self.project.read("run/events.jsonl"));
        self.every_acknowledged_event_is_in(&journal);
        let before = self.project.files("run");
        let outcome = self.project.casebook("recover run").run();
        assert_eq!(outcome.code, 0, "{}: {outcome:#?}", self.name);
        let mut after = self.project.files("run");
        after.retain(|file| !before.contains(file));
        assert!(
            after.iter().all(|file| file == "run.json"),
            "{}: {after:?}",
            self.name
        );
        self.the_run_is_that_of(&journal);
    }

    fn every_acknowledged_event_is_in(&self, journal: &[Value]) {
        assert!(journal.len() >= self.acknowledged, "{}", self.name);
        for (sent, kept) in self.sent.iter().zip(journal) {
            let sent: Value = serde_json::from_str(sent).unwrap();
            assert_eq!(kept["event_type"], sent["event_type"], "{}", self.name);
            for field in ["example_id", "text", "run_id"] {
                assert_eq!(
                    kept["payload"][field], sent["payload"][field],
                    "{}",
                    self.name
                );
            }
        }
    }

    fn the_run_is_that_of(&self, journal: &[Value]) {
        let examples = self.project.json("run/run.json")["examples"].clone();
        let of_kind = |kind| {
            let events = journal
                .iter()
                .filter(move |event| event["event_type"] == kind);
            events.map(|event| event["payload"]["example_id"].as_str().unwrap())
        };
        let ended: Vec<_> = of_kind("ExamplePassed").collect();
        for id in of_kind("ExampleStarted") {
            let example = &examples[id];
            if ended.contains(&id) {
                assert_eq!(example["status"], "passed", "{}", self.name);
            } else {
                assert_eq!(example["status"], "failed", "{}", self.name);
                let class = &example["exception"]["class_name"];
                assert_eq!(class, "Casebook::Interrupted", "{}", self.name);
            }
        }
    }
}

/// Three examples at a time, of which the third never ends; some lines long enough to be cut in the middle.
fn events(random: &mut Random) -> Vec<String> {
    let mut events = vec![suite("killed")];
    for number in 0..5 {
        let ids = ["a", "b", "c"].map(|name| format!("{name}{number}"));
        events.extend(ids.iter().map(|id| started(id)));
        let length = if random.below(5) == 0 { 100_000 } else { 300 };
        let text = "x".repeat(usize::try_from(random.below(length)).unwrap());
        events.extend(ids.iter().map(|id| said(id, &text)));
        events.extend(ids[..2].iter().map(|id| passed(id)));
    }
    events
}

/// The events of a journal, of which the last may be cut off.
fn whole_lines(journal: &str) -> Vec<Value> {
    let mut lines: Vec<_> = journal.lines().map(serde_json::from_str).collect();
    lines.pop_if(|last| last.is_err());
    lines.into_iter().map(Result::unwrap).collect()
}
