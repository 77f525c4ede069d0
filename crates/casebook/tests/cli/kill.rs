//! SIGKILL at any moment: all acknowledged events are in the journal, and `recover` rebuilds the run.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::events::{passed, started, suite, user_message};
use crate::prng::{Random, seed};
use crate::support::{Project, eventually, kills};

const KILLS: u64 = 200;
const PARALLEL: u64 = 4;

#[test]
fn a_killed_recorder_loses_no_acknowledged_event() {
    let seed = seed();
    thread::scope(|scope| {
        for worker in 0..PARALLEL {
            scope.spawn(move || {
                for number in (worker..KILLS).step_by(usize::try_from(PARALLEL).unwrap()) {
                    let random = Random::new(seed ^ number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
                    Kill::at_random(random, &format!("CASEBOOK_SEED={seed} kill {number}")).check();
                }
            });
        }
    });
}

#[test]
fn the_next_start_removes_the_temporary_directories_of_killed_recorders() {
    for command in [
        "record --record none -- sleep 60",
        "rspec --record none -w 1 --command",
    ] {
        let project = Project::new();
        // Sockets have short paths: with a long one, Casebook uses /tmp itself.
        let tmp = tempfile::tempdir_in("/tmp").unwrap();
        let start = |script: &str| {
            let arguments = command.replace("sleep 60", script);
            let call = project.casebook(&arguments).env("TMPDIR", tmp.path());
            if command.starts_with("rspec") {
                call.arg(script)
            } else {
                call
            }
        };
        let dirs = || tmp.path().read_dir().unwrap().count();
        for kill in 1..=3 {
            let live = start("sleep 60").start();
            eventually("the socket is open", || dirs() > 0);
            // Killed at different moments.
            thread::sleep(Duration::from_millis(20 * kill));
            live.signal(rustix::process::Signal::KILL);
            // `sleep` still has the other end of the pipes.
            drop(live);
            assert!(dirs() <= 1, "each start removes the directory before it");
        }
        start("true").run();
        assert_eq!(dirs(), 0, "{command}");
    }
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
        // Some writers close the input, so that the recorder may be killed while it writes run.json.
        let keeps_open = random.below(4) > 0;
        let writer = thread::spawn(move || {
            for line in lines {
                if stdin.write_all(format!("{line}\n").as_bytes()).is_err() {
                    break;
                }
            }
            keeps_open.then_some(stdin)
        });
        let count = 1 + random.below(sent.len() as u64);
        let mut answers: Vec<_> = (0..count).map(|_| live.answer()).collect();
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
        let journal = complete_lines(&self.project.read("run/events.jsonl"));
        self.check_journal(&journal);
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
        self.check_run(&journal);
    }

    fn check_journal(&self, journal: &[Value]) {
        assert!(journal.len() >= self.acknowledged, "{}", self.name);
        for (sent, recorded) in self.sent.iter().zip(journal) {
            let sent: Value = serde_json::from_str(sent).unwrap();
            assert_eq!(recorded["event_type"], sent["event_type"], "{}", self.name);
            for field in ["example_id", "text", "run_id"] {
                assert_eq!(
                    recorded["payload"][field], sent["payload"][field],
                    "{}",
                    self.name
                );
            }
        }
    }

    fn check_run(&self, journal: &[Value]) {
        let examples = self.project.json("run/run.json")["examples"].clone();
        let of_kind = |kind| {
            let events = journal
                .iter()
                .filter(move |event| event["event_type"] == kind);
            events.map(|event| event["payload"]["example_id"].as_str().unwrap())
        };
        let finished: Vec<_> = of_kind("ExamplePassed").collect();
        for id in of_kind("ExampleStarted") {
            let example = &examples[id];
            if finished.contains(&id) {
                assert_eq!(example["status"], "passed", "{}", self.name);
            } else {
                assert_eq!(example["status"], "failed", "{}", self.name);
                let class = &example["exception"]["class_name"];
                assert_eq!(class, "Casebook::Interrupted", "{}", self.name);
            }
        }
    }
}

/// Three concurrent examples, the third of which never finishes. Some lines are long enough to be written partially.
fn events(random: &mut Random) -> Vec<String> {
    let mut events = vec![suite("killed")];
    for number in 0..5 {
        let ids = ["a", "b", "c"].map(|name| format!("{name}{number}"));
        events.extend(ids.iter().map(|id| started(id)));
        let length = if random.below(5) == 0 { 100_000 } else { 300 };
        let text = "x".repeat(usize::try_from(random.below(length)).unwrap());
        events.extend(ids.iter().map(|id| user_message(id, &text)));
        events.extend(ids[..2].iter().map(|id| passed(id)));
    }
    events
}

/// The events of a journal without an incomplete last line.
fn complete_lines(journal: &str) -> Vec<Value> {
    let mut lines: Vec<_> = journal.lines().map(serde_json::from_str).collect();
    lines.pop_if(|last| last.is_err());
    lines.into_iter().map(Result::unwrap).collect()
}

/// With `CASEBOOK_KILLS=100`, a hundred kills.
#[test]
fn the_next_start_removes_what_a_killed_runner_left_with_services_terminals_and_locks() {
    let project = Project::new();
    std::fs::create_dir(project.at("tmp")).unwrap();
    // No other process sleeps this long.
    let sleep = format!("sleep 7{:08}", std::process::id());
    project.write(
        "busy.casebook.yaml",
        format!(
            "services: {{web: {{command: {sleep}}}}}
locks: [db]
tests:
  - {{name: in a terminal, command: {sleep}, tty: true}}
  - {{name: in the background, command: '{sleep} & {sleep}', locks: [{{db: shared}}]}}
  - {{name: also, command: {sleep}, locks: [{{db: shared}}]}}
"
        ),
    );
    project.write(
        "next.casebook.yaml",
        "locks: [db]\ntests: [{name: t, command: 'true'}]\n",
    );
    let is_running = || {
        let found = Command::new("pgrep").args(["-f", &sleep]).output();
        found.unwrap().status.success()
    };
    let mut left_processes = 0;
    for kill in 0..kills(5) {
        let mut runner = Command::new(env!("CARGO_BIN_EXE_casebook"))
            .current_dir(project.at("."))
            .args(["run", "--record", "none", "-j", "3", "busy.casebook.yaml"])
            .env("TMPDIR", project.at("tmp"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Some are killed while they start, however slow the machine is.
        if kill % 2 == 0 {
            eventually("the tests have begun", is_running);
        }
        thread::sleep(Duration::from_millis(20 + kill * 47 % 500));
        runner.kill().unwrap();
        runner.wait().unwrap();
        left_processes += u64::from(is_running());
        project
            .casebook("run --record none next.casebook.yaml")
            .env("TMPDIR", project.at("tmp"))
            .run()
            .exits(0);
        eventually("no process is left", || !is_running());
        assert_eq!(project.files("tmp"), [""; 0], "kill {kill}");
    }
    assert!(left_processes > 0, "the runner was killed too early");
}
