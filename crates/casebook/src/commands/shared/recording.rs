//! [`Recording`]: a recorder that reports why a record is missing or incomplete, once per cause and as soon as possible.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use casebook_record::{Bus, Destination, Event, Recorder, RecordingResult, Redactor, RunIdentity};
use parking_lot::Mutex;

use crate::commands::shared::upload::Upload;
use crate::context::Context;
use crate::exit::Exit;
use crate::messages::Messages;

/// Records one run.
pub(crate) struct Recording {
    recorder: Recorder,
    problems: Arc<ProblemReporter>,
    upload: Option<Upload>,
    dir: PathBuf,
}

struct ProblemReporter {
    messages: Messages,
    /// Whether the user requested the record. Otherwise, problems are only warnings.
    is_requested: bool,
    reported: Mutex<HashSet<String>>,
}

impl ProblemReporter {
    fn report(&self, problem: &str) {
        if !self.reported.lock().insert(problem.to_owned()) {
            return;
        }
        if self.is_requested {
            self.messages.error(problem);
        } else {
            self.messages.warn(problem);
        }
    }
}

impl Recording {
    pub(crate) fn new(
        destination: Destination,
        is_requested: bool,
        identity: RunIdentity,
        redactor: Redactor,
        context: &Context,
    ) -> Recording {
        let problems = Arc::new(ProblemReporter {
            messages: context.messages.clone(),
            is_requested,
            reported: Mutex::default(),
        });
        let reporter = Arc::clone(&problems);
        let bus = Bus::with_failure_handler(move |failure| match failure.listener {
            "journal" => reporter.report(&failure.first),
            listener => {
                let problem = format!("the {listener} output is incomplete: {}", failure.first);
                reporter.messages.warn(&problem);
            }
        });
        Recording {
            recorder: Recorder::new(bus, destination, identity, redactor),
            problems,
            upload: None,
            dir: context.dir.clone(),
        }
    }

    /// Uploads the record in the end.
    pub(crate) fn with_upload(self, upload: Option<Upload>) -> Recording {
        Recording { upload, ..self }
    }

    pub(crate) fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    pub(crate) fn publish(&self, event: Event) {
        for error in self.recorder.publish(event) {
            self.problems.report(&error.to_string());
        }
    }

    /// Writes the record and reports problems that are not yet known.
    pub(crate) fn finish(self) -> Recorded {
        let result = self.recorder.finish();
        for error in &result.errors {
            self.problems.report(&error.to_string());
        }
        let recorded = Recorded {
            result,
            is_requested: self.problems.is_requested,
            upload: self.upload,
            is_upload_lost: false,
            dir: self.dir,
        };
        if let (true, Some(dir)) = (recorded.result.was_restored, recorded.shown_dir()) {
            self.problems.messages.warn(&format!(
                "{dir} was deleted during the run; it was created again with all events, but without the full output of tests that failed before"
            ));
        }
        recorded
    }
}

/// A finished recording.
pub(crate) struct Recorded {
    pub(crate) result: RecordingResult,
    is_requested: bool,
    upload: Option<Upload>,
    is_upload_lost: bool,
    /// The working directory.
    dir: PathBuf,
}

impl Recorded {
    pub(crate) fn is_complete(&self) -> bool {
        self.result.errors.is_empty()
    }

    /// Whether the rest of an interrupted run can be run later.
    pub(crate) fn can_resume(&self) -> bool {
        self.is_complete() && self.result.dir.is_some()
    }

    /// ` DIR` for `--resume`, if the user chose the directory: without it, the newest run is resumed.
    pub(crate) fn named_dir(&self) -> String {
        let dir = self.shown_dir().filter(|_| self.is_requested);
        dir.map_or_else(String::new, |dir| format!(" {dir}"))
    }

    pub(crate) fn has_failures(&self) -> bool {
        self.result.failed_count > 0
    }

    /// The directory of the record, relative to the working directory.
    pub(crate) fn shown_dir(&self) -> Option<String> {
        let dir = self.result.dir.as_ref()?;
        let dir = dir.strip_prefix(&self.dir).unwrap_or(dir);
        Some(match dir.display().to_string() {
            this if this.is_empty() => ".".to_owned(),
            dir => dir,
        })
    }

    /// Says where the record is, or how to complete it.
    pub(crate) fn say_where(&self, messages: &Messages) {
        if let (Some(_), Some(dir)) = (&self.result.run_file, self.shown_dir()) {
            messages.info(&format!("recorded in {dir}"));
        } else if !self.is_complete() {
            self.say_incomplete(messages);
        }
    }

    /// Uploads the record, if that is requested. A record that cannot be uploaded is reported, and stays here.
    pub(crate) fn upload(&mut self, messages: &Messages) {
        let (Some(upload), Some(run)) = (self.upload.take(), &self.result.run) else {
            return;
        };
        let Some(run_file) = &self.result.run_file else {
            self.is_upload_lost = true;
            return messages.error("the record was not uploaded, because run.json was not written");
        };
        match upload.send(run, run_file) {
            Ok(address) => messages.info(&format!("uploaded to {address}")),
            Err(error) => {
                let dir = self.shown_dir().unwrap_or_default();
                let location = upload.location();
                messages.error(&format!(
                    "{error}; the record is in {dir}, and `casebook report {dir} --upload {location}` tries again"
                ));
                self.is_upload_lost = true;
            }
        }
    }

    /// If the record is incomplete, says how to complete it.
    pub(crate) fn say_incomplete(&self, messages: &Messages) {
        if self.is_complete() || self.result.run_file.is_some() {
            return;
        }
        messages.info(&match self.shown_dir() {
            Some(dir) => format!(
                "run.json was not written; `casebook recover {dir}` writes it from the recorded events"
            ),
            None => "nothing was recorded".into(),
        });
    }

    /// The exit code after tests with this one: a requested record, or a report in a file, that could not be written is
    /// an error unless tests failed.
    pub(crate) fn exit(&self, tests: Exit) -> Exit {
        let mut failures = self.result.listener_failures.iter();
        let lost_report = failures.any(|failure| failure.listener != "journal");
        let lost_record = self.is_requested && !self.is_complete() || self.is_upload_lost;
        if tests.code() == 0 && (lost_record || lost_report) {
            Exit::CouldNotTest
        } else {
            tests
        }
    }
}
