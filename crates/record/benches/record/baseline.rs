//! The baseline: plain `serde_json`, in a separate process that alternates with this one.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

pub(crate) struct Baseline {
    program: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Baseline {
    pub(crate) fn start(lines: &Path, run: &Path) -> Baseline {
        let manifest =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/baseline/Cargo.toml");
        let mut program = Command::new(env!("CARGO"))
            .args(["run", "--quiet", "--release", "--manifest-path"])
            .arg(manifest)
            .arg("--")
            .args([lines, run])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("cannot start cargo");
        let requests = program.stdin.take();
        let answers = BufReader::new(program.stdout.take().expect("stdout is piped"));
        Baseline {
            program,
            requests,
            answers,
        }
    }

    /// The time that the baseline takes for a task.
    pub(crate) fn ask(&mut self, task: &str) -> Duration {
        let requests = self.requests.as_mut().expect("stdin is piped");
        writeln!(requests, "{task}").expect("cannot write to the baseline");
        let mut answer = String::new();
        self.answers
            .read_line(&mut answer)
            .expect("cannot read from the baseline");
        Duration::from_nanos(answer.trim().parse().expect("nanoseconds"))
    }
}

impl Drop for Baseline {
    fn drop(&mut self) {
        // The baseline exits when its input is closed.
        self.requests = None;
        let _ = self.program.wait();
    }
}
