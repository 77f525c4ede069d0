//! Creates the events of imported tests: an example with its id, and the events of each attempt. Used by both
//! importers.

use crate::event::{
    Event, ExampleFailed, ExamplePassed, ExamplePending, ExampleStarted, GroupFinished,
    GroupStarted,
};
use crate::metadata::Metadata;
use crate::stable_id::{StableIds, canonical_path};
use crate::time::Time;

/// Assigns ids and positions to the examples of one import, and emits their events.
pub(super) struct Examples<'a> {
    emit: &'a mut dyn FnMut(Event),
    ids: StableIds,
    count: u64,
}

/// One example, with any number of attempts.
pub(super) struct Example {
    id: String,
    canonical_path: String,
    description: String,
    full_description: String,
    position: u64,
    /// `file:line`, or empty.
    location: String,
}

/// One attempt of an example.
pub(super) struct Attempt {
    pub(super) started: Time,
    pub(super) ended: Time,
    /// Seconds.
    pub(super) duration: f64,
    pub(super) outcome: ImportedOutcome,
    pub(super) metadata: Metadata,
}

pub(super) enum ImportedOutcome {
    Passed,
    Failed(Failure),
    /// Skipped or marked as to do, with the reason.
    Pending(Option<String>),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Failure {
    pub(super) message: String,
    pub(super) exception_class: String,
    pub(super) backtrace: Vec<String>,
    /// Where it failed, if known.
    pub(super) location: Option<String>,
}

impl Failure {
    /// A failure that the importer itself detected.
    pub(super) fn detected(exception_class: &str, message: String) -> Failure {
        Failure {
            message,
            exception_class: exception_class.into(),
            backtrace: Vec::new(),
            location: None,
        }
    }

    /// Combines several failures: the first is the exception, the others are appended to its message.
    pub(super) fn joined(failures: impl IntoIterator<Item = Failure>) -> Option<Failure> {
        let mut failures = failures.into_iter();
        let mut first = failures.next()?;
        for other in failures {
            first.message.push_str("\n\nalso ");
            first.message.push_str(&other.exception_class);
            first.message.push_str(": ");
            first.message.push_str(&other.message);
        }
        Some(first)
    }
}

impl<'a> Examples<'a> {
    pub(super) fn new(emit: &'a mut dyn FnMut(Event)) -> Examples<'a> {
        Examples {
            emit,
            ids: StableIds::default(),
            count: 0,
        }
    }

    pub(super) fn emit(&mut self, event: impl Into<Event>) {
        (self.emit)(event.into());
    }

    pub(super) fn group_started(&mut self, time: Time, description: &str, file: Option<&str>) {
        self.emit(GroupStarted {
            time,
            description: description.into(),
            file_path: file.map(str::to_owned),
            line_number: None,
            example_count: None,
        });
    }

    pub(super) fn group_finished(&mut self, time: Time, description: &str) {
        self.emit(GroupFinished {
            time,
            description: description.into(),
        });
    }

    /// Creates the next example; `names` are the descriptions from the outermost group to the example.
    pub(super) fn next(&mut self, names: &[&str], location: Option<String>) -> Example {
        let canonical_path = canonical_path(names.iter().copied(), None);
        let position = self.count;
        self.count += 1;
        Example {
            // The stable id serves as the id. Two tests with the same name are two examples.
            id: self.ids.next(&canonical_path),
            canonical_path,
            description: names.last().copied().unwrap_or_default().into(),
            full_description: names.join(" "),
            position,
            location: location.unwrap_or_default(),
        }
    }

    /// Emits one attempt. A second attempt of the same example is a retry.
    pub(super) fn attempt(&mut self, example: &Example, attempt: Attempt) {
        // A pending event carries no metadata, so it is added to the start event.
        let (before, after) = match attempt.outcome {
            ImportedOutcome::Pending(_) => (attempt.metadata, Metadata::new()),
            _ => (Metadata::new(), attempt.metadata),
        };
        self.emit(example.started(attempt.started, before));
        let (time, duration) = (attempt.ended, attempt.duration);
        self.emit(match attempt.outcome {
            ImportedOutcome::Passed => Event::from(example.passed(time, duration, after)),
            ImportedOutcome::Failed(failure) => {
                example.failed(time, duration, failure, after).into()
            }
            ImportedOutcome::Pending(reason) => example.pending(time, reason).into(),
        });
    }
}

impl Example {
    fn started(&self, time: Time, metadata: Metadata) -> ExampleStarted {
        ExampleStarted {
            time,
            example_id: self.id.clone(),
            stable_id: Some(self.id.clone()),
            canonical_path: Some(self.canonical_path.clone()),
            description: self.description.clone(),
            full_description: self.full_description.clone(),
            location: self.location.clone(),
            scenario: None,
            position: Some(self.position),
            metadata,
        }
    }

    fn passed(&self, time: Time, duration: f64, metadata: Metadata) -> ExamplePassed {
        ExamplePassed {
            time,
            example_id: self.id.clone(),
            stable_id: Some(self.id.clone()),
            description: self.description.clone(),
            full_description: self.full_description.clone(),
            duration,
            metadata,
        }
    }

    fn failed(
        &self,
        time: Time,
        duration: f64,
        failure: Failure,
        metadata: Metadata,
    ) -> ExampleFailed {
        ExampleFailed {
            time,
            example_id: self.id.clone(),
            stable_id: Some(self.id.clone()),
            description: self.description.clone(),
            full_description: self.full_description.clone(),
            location: failure.location.unwrap_or_else(|| self.location.clone()),
            duration,
            message: Some(failure.message),
            backtrace: (!failure.backtrace.is_empty()).then_some(failure.backtrace),
            exception_class: Some(failure.exception_class),
            metadata,
        }
    }

    fn pending(&self, time: Time, message: Option<String>) -> ExamplePending {
        ExamplePending {
            time,
            example_id: self.id.clone(),
            stable_id: Some(self.id.clone()),
            description: self.description.clone(),
            full_description: self.full_description.clone(),
            message,
            metadata: Metadata::new(),
        }
    }
}
