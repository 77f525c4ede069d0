//! `casebook run`: its output, and the files and processes it leaves.

mod choose;
mod environment;
mod errors;
mod hooks;
mod interactive;
mod keep_temp;
mod leaks;
mod parallel;
mod project;
mod repeat;
mod resume;
mod retries;
mod secrets;
mod snapshots;
mod stop;
mod streams;
mod terminal;
mod timeouts;
mod tty;
mod watch;
mod workers;

use std::cell::Cell;
use std::fs;

use serde_json::Value;

use crate::support::{Call, Outcome, Project};

/// A project with a suite `a.casebook.yaml`, whose runs have their temporary directories in `tmp`.
pub(super) struct Suite {
    pub(super) project: Project,
    runs: Cell<usize>,
}

impl Suite {
    pub(super) fn new(yaml: &str) -> Suite {
        let project = Project::with("a.casebook.yaml", yaml);
        fs::create_dir(project.at("tmp")).unwrap();
        Suite {
            project,
            runs: Cell::new(0),
        }
    }

    /// `casebook run` with these arguments.
    pub(super) fn call(&self, arguments: &str) -> Call {
        let call = self.project.casebook(&format!("run {arguments}"));
        call.env("TMPDIR", self.project.at("tmp"))
    }

    /// Runs it with a record and asserts that only the record remains.
    pub(super) fn run(&self, arguments: &str) -> RunResult {
        self.run_as(self.call(arguments))
    }

    pub(super) fn run_as(&self, call: Call) -> RunResult {
        self.runs.set(self.runs.get() + 1);
        let dir = format!("out/{}", self.runs.get());
        let outcome = call.arg("--record").arg(&dir).run();
        self.assert_nothing_left();
        let record = match fs::read(self.project.at(&format!("{dir}/run.json"))) {
            Ok(json) => serde_json::from_slice(&json).unwrap(),
            Err(_) => Value::Null,
        };
        RunResult {
            outcome,
            record,
            dir,
        }
    }

    /// Asserts that no temporary directory and no process remains.
    #[track_caller]
    pub(super) fn assert_nothing_left(&self) {
        let tmp = self.project.at("tmp");
        let left: Vec<_> = fs::read_dir(&tmp).unwrap().map(Result::unwrap).collect();
        assert!(left.is_empty(), "{left:?}");
        assert_eq!(self.processes(), [0; 0]);
    }

    /// Processes with a temporary directory of this project in their environment.
    pub(super) fn processes(&self) -> Vec<u32> {
        let mark = format!("BATS_RUN_TMPDIR={}/", self.project.at("tmp").display());
        let numbers = fs::read_dir("/proc").unwrap().flatten();
        let pids = numbers.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        pids.filter(|pid| {
            let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environment
                .split(|byte| *byte == 0)
                .any(|variable| variable.starts_with(mark.as_bytes()))
        })
        .collect()
    }
}

/// The result of a run.
#[derive(Debug)]
pub(super) struct RunResult {
    pub(super) outcome: Outcome,
    pub(super) record: Value,
    pub(super) dir: String,
}

impl RunResult {
    #[track_caller]
    pub(super) fn exits(self, code: i32) -> RunResult {
        assert_eq!(self.outcome.code, code, "{:#?}", self.outcome);
        self
    }

    /// All tests in order, with their outcomes.
    pub(super) fn verdicts(&self) -> Vec<String> {
        let tests = self.record["examples"].as_object().into_iter().flatten();
        tests
            .map(|(_, test)| {
                let name = test["description"].as_str().unwrap();
                let status = test["status"].as_str().unwrap();
                match test["exception"]["message"].as_str() {
                    None => format!("{name} {status}"),
                    Some(message) => format!("{name} {status}: {message}"),
                }
            })
            .collect()
    }

    /// A test by its name.
    #[track_caller]
    pub(super) fn test(&self, name: &str) -> &Value {
        let mut tests = self.record["examples"].as_object().into_iter().flatten();
        let found = tests.find(|(_, test)| test["description"] == name);
        found.unwrap_or_else(|| panic!("{name} in {self:#?}")).1
    }

    #[track_caller]
    pub(super) fn command(&self, name: &str) -> &Value {
        &self.test(name)["metadata"]["command"]
    }

    /// The recorded output of the command.
    #[track_caller]
    pub(super) fn output(&self, name: &str) -> &str {
        self.command(name)["output"].as_str().unwrap()
    }
}
