//! [`TestRuns`]: tests that run because the user chose a code lens, in an editor that does not run them itself.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::Sender;
use std::thread;

use rustix::process::{Pid, Signal, kill_process};

use super::server::Input;
use crate::context::Context;

/// A finished run of a test.
pub(super) struct FinishedRun {
    process: Pid,
    /// `a.casebook.yaml:3`
    test: String,
    code: Option<i32>,
}

impl FinishedRun {
    /// The message for the user.
    pub(super) fn message(&self) -> String {
        let test = &self.test;
        match self.code {
            Some(0) => format!("{test}: passed"),
            Some(1) => format!("{test}: failed. `casebook report` shows why"),
            _ => format!("{test}: could not be run. `casebook run {test}` shows why"),
        }
    }
}

/// The processes that are running.
#[derive(Default)]
pub(super) struct TestRuns(Vec<Pid>);

impl TestRuns {
    /// Starts a test. Its output is in the record.
    pub(super) fn start(
        &mut self,
        file: &Path,
        line: u64,
        dir: &Path,
        inputs: &Sender<Input>,
    ) -> io::Result<()> {
        let file = file.strip_prefix(dir).unwrap_or(file);
        let test = format!("{}:{line}", file.display());
        let mut child = Command::new(Context::program())
            .args(["run", "--", &test])
            .current_dir(dir)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let process = Pid::from_child(&child);
        self.0.push(process);
        let inputs = inputs.clone();
        thread::spawn(move || {
            let code = child.wait().ok().and_then(|status| status.code());
            let finished = FinishedRun {
                process,
                test,
                code,
            };
            // The server may have ended.
            let _ = inputs.send(Input::Run(finished));
        });
        Ok(())
    }

    pub(super) fn finished(&mut self, run: &FinishedRun) {
        self.0.retain(|process| *process != run.process);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Stops all runs; their teardowns are executed.
    pub(super) fn stop(&self) {
        for process in &self.0 {
            // It may just have ended.
            let _ = kill_process(*process, Signal::TERM);
        }
    }
}
