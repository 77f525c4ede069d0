//! [`Frame`]: the protocol between controller and worker besides events, one JSON object per line.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::executor::TestEnd;
use crate::options::{LlmOptions, Options, SnapshotMode};
use crate::plan::{TestEntry, Trial};

/// Both sides must have the same version.
pub(super) const VERSION: u32 = 1;

/// The beginning of an event's line; all other lines are frames.
pub(super) const EVENT: &str = "{\"event_type\"";

/// One line of the protocol.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Frame {
    // Sent by the controller.
    Hello(Hello),
    Suite(SuiteText),
    File(SuiteSetup),
    Run(RunTest),
    /// Terminate what is running, like Ctrl-C.
    Stop,
    /// No more frames follow.
    Shutdown,
    // Sent by the worker.
    Ready {
        version: u32,
    },
    Keep(SaveOutput),
    /// A warning for the user.
    Warn(String),
    /// Variables that a script exported; some may be secret.
    Learn(Vec<(String, String)>),
    Done {
        id: u64,
        end: TestEnd,
    },
    /// A heartbeat.
    Alive,
}

/// The first frame: how tests are run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Hello {
    pub(super) version: u32,
    pub(super) worker: usize,
    /// The temporary directory of the run.
    pub(super) scratch: String,
    pub(super) timeout_ms: Option<u64>,
    pub(super) retries: u32,
    pub(super) leaks_fail: bool,
    pub(super) max_output: usize,
    pub(super) snapshots: String,
    /// Whether the complete output of failed tests is saved.
    pub(super) keeps_output: bool,
    pub(super) llm: LlmOptions,
}

/// The text of a suite, sent once before the first of its tests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct SuiteText {
    pub(super) suite: usize,
    pub(super) name: String,
    pub(super) yaml: String,
    /// The contents of the files it refers to, by path.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) files: Vec<(String, String)>,
}

/// The environment after `setupFile`, sent once before the first test of the suite.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct SuiteSetup {
    pub(super) suite: usize,
    pub(super) environment: Vec<(String, String)>,
    pub(super) dir: String,
}

/// A test to run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct RunTest {
    pub(super) id: u64,
    pub(super) suite: usize,
    pub(super) index: usize,
    pub(super) example_id: String,
    pub(super) stable_id: String,
    pub(super) canonical_path: String,
    pub(super) position: usize,
    pub(super) number: usize,
    #[serde(rename = "place")]
    pub(super) run_number: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) scenario_id: Option<String>,
    /// The number of the trial, and the number of trials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) trial: Option<(u32, u32)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) first_line: Option<usize>,
}

/// The complete output of a failed test: paths in the run's temporary directory, by stream.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct SaveOutput {
    pub(super) example_id: String,
    pub(super) streams: Vec<(String, String)>,
}

impl Frame {
    pub(super) fn line(&self) -> Vec<u8> {
        let mut line = serde_json::to_vec(self).expect("frames serialize to JSON");
        line.push(b'\n');
        line
    }
}

impl Hello {
    pub(super) fn new(
        options: &Options,
        worker: usize,
        scratch: String,
        keeps_output: bool,
    ) -> Hello {
        let millis = |timeout: Duration| u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX);
        Hello {
            version: VERSION,
            worker,
            scratch,
            timeout_ms: options.timeout.map(millis),
            retries: options.retries,
            leaks_fail: options.leaks_fail,
            max_output: options.max_output,
            snapshots: match options.snapshots {
                SnapshotMode::New => "new",
                SnapshotMode::Update => "update",
                SnapshotMode::Keep => "keep",
            }
            .to_owned(),
            keeps_output,
            llm: LlmOptions {
                processes: options.jobs,
                ..options.llm.clone()
            },
        }
    }

    pub(super) fn options(&self) -> Options {
        Options {
            timeout: self.timeout_ms.map(Duration::from_millis),
            retries: self.retries,
            leaks_fail: self.leaks_fail,
            max_output: self.max_output,
            snapshots: match self.snapshots.as_str() {
                "update" => SnapshotMode::Update,
                "keep" => SnapshotMode::Keep,
                _ => SnapshotMode::New,
            },
            llm: self.llm.clone(),
            ..Options::default()
        }
    }
}

impl RunTest {
    pub(super) fn new(id: u64, suite: usize, planned: &TestEntry) -> RunTest {
        RunTest {
            id,
            suite,
            index: planned.index,
            example_id: planned.id.clone(),
            stable_id: planned.stable_id.clone(),
            canonical_path: planned.canonical_path.clone(),
            position: planned.position,
            number: planned.number,
            run_number: planned.run_number,
            scenario_id: planned.scenario_id.clone(),
            trial: planned.trial.map(|trial| (trial.number, trial.of)),
            first_line: planned.first_line,
        }
    }

    pub(super) fn planned(self) -> TestEntry {
        TestEntry {
            index: self.index,
            id: self.example_id,
            stable_id: self.stable_id,
            canonical_path: self.canonical_path,
            position: self.position,
            number: self.number,
            run_number: self.run_number,
            scenario_id: self.scenario_id,
            trial: self.trial.map(|(number, of)| Trial { number, of }),
            first_line: self.first_line,
            expected_ms: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_lines_of_json() {
        let hello = Hello::new(&Options::default(), 2, "/tmp/x".into(), true);
        for (frame, begin) in [
            (Frame::Hello(hello), r#"{"hello":{"version":1,"worker":2"#),
            (
                Frame::Done {
                    id: 7,
                    end: TestEnd::Failed,
                },
                r#"{"done":{"id":7,"end":"failed"}}"#,
            ),
            (Frame::Stop, r#""stop""#),
            (Frame::Ready { version: 1 }, r#"{"ready":{"version":1}}"#),
        ] {
            let line = String::from_utf8(frame.line()).unwrap();
            assert!(line.starts_with(begin) && line.ends_with('\n'), "{line}");
            assert_eq!(serde_json::from_str::<Frame>(&line).unwrap(), frame);
        }
    }
}
