//! The sixteen kinds of events in a run.
//!
//! The wire form of an event is `{"event_type": NAME, "payload": {…}}` with the field names below; see
//! [`decode`](crate::decode) and [`encode`](crate::encode).

#![expect(
    missing_docs,
    reason = "variants are named for their structs, fields for what they contain"
)]

mod conversation;

use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

use crate::json::Json;
use crate::metadata::Metadata;
use crate::time::Time;
pub use conversation::*;

/// Declares the event enum, its kinds and their common methods from one list of names.
macro_rules! events {
    ($($name:ident),+ $(,)?) => {
        /// Something that happened in a run.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Event {
            $($name($name)),+
        }

        /// The kind of an event.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum EventKind {
            $($name),+
        }

        impl EventKind {
            /// All kinds, in the order in which they usually occur in a run.
            pub const ALL: &'static [EventKind] = &[$(EventKind::$name),+];

            /// The name in the wire format.
            pub fn name(self) -> &'static str {
                match self {
                    $(EventKind::$name => stringify!($name)),+
                }
            }

            /// The kind with that name.
            pub fn from_name(name: &str) -> Option<EventKind> {
                match name {
                    $(stringify!($name) => Some(EventKind::$name),)+
                    _ => None,
                }
            }

            /// Reads the payload of an event of this kind.
            pub(crate) fn read<'de, D: serde::Deserializer<'de>>(self, payload: D) -> Result<Event, D::Error> {
                match self {
                    $(EventKind::$name => $name::deserialize(payload).map(Event::$name)),+
                }
            }
        }

        impl Event {
            /// The kind of this event.
            pub fn kind(&self) -> EventKind {
                match self {
                    $(Event::$name(_) => EventKind::$name),+
                }
            }

            /// When it happened.
            pub fn time(&self) -> Time {
                match self {
                    $(Event::$name(event) => event.time),+
                }
            }

            /// Writes the payload.
            pub(crate) fn write<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Event::$name(event) => event.serialize(serializer)),+
                }
            }
        }

        $(impl From<$name> for Event {
            fn from(event: $name) -> Event {
                Event::$name(event)
            }
        })+
    };
}

events!(
    SuiteStarted,
    SuiteStopped,
    SuiteSummary,
    GroupStarted,
    GroupFinished,
    ExampleStarted,
    ExamplePassed,
    ExampleFailed,
    ExamplePending,
    SimulationStarted,
    SimulationEnded,
    UserMessage,
    AgentResponse,
    TopicChanged,
    ToolCallCompleted,
    EvaluationRecorded,
);

impl Event {
    /// Serializes the metadata of steps within an example, because they are stored and rarely read.
    pub(crate) fn freeze(&mut self) {
        match self {
            Event::UserMessage(event) => event.metadata.freeze(),
            Event::AgentResponse(event) => {
                event.metadata.freeze();
                let calls = event.tool_calls.iter_mut();
                calls.for_each(|call| call.metadata.freeze());
            }
            Event::EvaluationRecorded(event) => event.metadata.freeze(),
            _ => {}
        }
    }

    /// The example it belongs to; `None` for events of the run and of groups.
    pub fn example_id(&self) -> Option<&str> {
        Some(match self {
            Event::SuiteStarted(_)
            | Event::SuiteStopped(_)
            | Event::SuiteSummary(_)
            | Event::GroupStarted(_)
            | Event::GroupFinished(_) => return None,
            Event::ExampleStarted(event) => &event.example_id,
            Event::ExamplePassed(event) => &event.example_id,
            Event::ExampleFailed(event) => &event.example_id,
            Event::ExamplePending(event) => &event.example_id,
            Event::SimulationStarted(event) => &event.example_id,
            Event::SimulationEnded(event) => &event.example_id,
            Event::UserMessage(event) => &event.example_id,
            Event::AgentResponse(event) => &event.example_id,
            Event::TopicChanged(event) => &event.example_id,
            Event::ToolCallCompleted(event) => &event.example_id,
            Event::EvaluationRecorded(event) => &event.example_id,
        })
    }
}

/// The run begins. With several workers there is one from each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SuiteStarted {
    pub time: Time,
    pub example_count: u64,
    /// Seconds spent loading before the first example.
    pub load_time: Option<f64>,
    pub seed: Option<Number>,
    pub run_id: Option<String>,
    pub git_commit: Option<String>,
    /// Configuration and versions.
    #[serde(default)]
    pub metadata: Metadata,
}

impl SuiteStarted {
    /// The start of a run of which only the time and the number of examples are known.
    pub fn at(time: Time, example_count: u64) -> SuiteStarted {
        SuiteStarted {
            time,
            example_count,
            load_time: None,
            seed: None,
            run_id: None,
            git_commit: None,
            metadata: Metadata::new(),
        }
    }

    /// The start of a run whose first event is of another kind. The run's own `SuiteStarted` replaces it.
    pub(crate) fn implicit(time: Time) -> SuiteStarted {
        let metadata = Metadata::from_iter([(IMPLICIT, true)]);
        SuiteStarted {
            metadata,
            ..SuiteStarted::at(time, 0)
        }
    }

    pub(crate) fn is_implicit(&self) -> bool {
        self.metadata.get(IMPLICIT) == Some(&Value::Bool(true))
    }
}

/// The metadata key of a start event with the [`PlannedExample`]s of the run.
pub const PLANNED: &str = "planned";

/// A planned example, so that a run that stops early can name those that were not run.
#[derive(Debug, Serialize)]
pub struct PlannedExample<'p> {
    /// Its `example_id`.
    pub id: &'p str,
    pub stable_id: Option<&'p str>,
    pub canonical_path: Option<&'p str>,
    pub description: &'p str,
    /// `file:line`.
    pub location: &'p str,
}

/// The metadata key that marks an implicit start in the journal.
pub(crate) const IMPLICIT: &str = "implicit";

/// The run, or one worker's share of it, has ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SuiteStopped {
    pub time: Time,
}

/// The runner's own counts at the end. Run data computes its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SuiteSummary {
    pub time: Time,
    /// Seconds.
    pub duration: f64,
    pub example_count: u64,
    pub failure_count: u64,
    pub pending_count: u64,
}

/// A group of examples begins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupStarted {
    pub time: Time,
    pub description: String,
    pub file_path: Option<String>,
    pub line_number: Option<u64>,
    /// The number of planned examples, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example_count: Option<u64>,
}

/// A group of examples has ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupFinished {
    pub time: Time,
    pub description: String,
}

/// An example begins; a second one with the same id begins a retry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExampleStarted {
    pub time: Time,
    pub example_id: String,
    pub stable_id: Option<String>,
    pub canonical_path: Option<String>,
    pub description: String,
    pub full_description: String,
    /// `file:line`.
    pub location: String,
    /// The scenario that drives it, as plain data.
    pub scenario: Option<Json>,
    /// Its position in the planned order.
    pub position: Option<u64>,
    #[serde(default)]
    pub metadata: Metadata,
}

/// An example has passed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExamplePassed {
    pub time: Time,
    pub example_id: String,
    pub stable_id: Option<String>,
    pub description: String,
    pub full_description: String,
    /// Seconds.
    pub duration: f64,
    #[serde(default)]
    pub metadata: Metadata,
}

/// An example has failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExampleFailed {
    pub time: Time,
    pub example_id: String,
    pub stable_id: Option<String>,
    pub description: String,
    pub full_description: String,
    pub location: String,
    /// Seconds.
    pub duration: f64,
    pub message: Option<String>,
    pub backtrace: Option<Vec<String>>,
    pub exception_class: Option<String>,
    #[serde(default)]
    pub metadata: Metadata,
}

/// An example was skipped, or is marked as pending.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExamplePending {
    pub time: Time,
    pub example_id: String,
    pub stable_id: Option<String>,
    pub description: String,
    pub full_description: String,
    pub message: Option<String>,
    /// Of a known failure: `expected_failure`, and what a failed example has.
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
}
