//! [`Frame`]: the protocol between controller and worker besides events, one JSON object per line.

use serde::{Deserialize, Serialize};

use crate::attempt::TestEnd;
use crate::options::Options;
use crate::plan::TestEntry;
use crate::services::ServiceState;
use crate::spending::Spent;

/// Both sides must have the same version.
pub(super) const VERSION: u32 = 3;

/// The beginning of an event's line; all other lines are frames.
pub(super) const EVENT: &str = "{\"event_type\"";

/// One line of the protocol.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Frame {
    // Sent by the controller.
    Hello(Box<Hello>),
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
        /// What its conversation has spent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        spent: Option<Spent>,
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
    /// Whether the complete output of failed tests is saved.
    pub(super) keeps_output: bool,
    pub(super) options: Options,
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
    /// The services that the controller has started.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) services: Vec<ServiceState>,
}

/// A test to run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct RunTest {
    pub(super) id: u64,
    pub(super) suite: usize,
    pub(super) test: TestEntry,
    /// The number of the repetition, if the test is repeated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) repetition: Option<u32>,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_lines_of_json() {
        let hello = Hello {
            version: VERSION,
            worker: 2,
            scratch: "/tmp/x".into(),
            keeps_output: true,
            options: Options::default(),
        };
        for (frame, begin) in [
            (
                Frame::Hello(Box::new(hello)),
                r#"{"hello":{"version":3,"worker":2"#,
            ),
            (
                Frame::Done {
                    id: 7,
                    end: TestEnd::Failed,
                    spent: None,
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
