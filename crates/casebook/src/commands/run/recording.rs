//! [`RunRecording`]: the record of a run, shared by its threads.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use casebook_record::{
    DEFAULT_PATTERNS, Event, InvalidPattern, RecordError, Recorder, RecordingResult, Redactor,
    RunDir,
};
use casebook_run::EventSink;
use parking_lot::{Mutex, MutexGuard};

use crate::messages::Messages;

/// Records the events of a run, without secrets.
pub(super) struct RunRecording {
    recorder: Recorder,
    state: Mutex<State>,
    messages: Messages,
}

struct State {
    secrets: Secrets,
    /// Whether a failure to save output was reported.
    told_output: bool,
    /// Warnings already shown; several workers may send the same one.
    warnings: HashSet<String>,
}

/// The name patterns of secrets, and all variables that may match them.
pub(super) struct Secrets {
    patterns: Vec<String>,
    variables: Vec<(String, String)>,
}

impl Secrets {
    /// Variables with names that match these patterns or the default ones.
    pub(super) fn new(patterns: &[String], variables: Vec<(String, String)>) -> Secrets {
        let everywhere = DEFAULT_PATTERNS.into_iter().map(str::to_owned);
        Secrets {
            patterns: everywhere.chain(patterns.iter().cloned()).collect(),
            variables,
        }
    }

    pub(super) fn redactor(&self) -> Result<Redactor, InvalidPattern> {
        self.redactor_of(&self.variables)
    }

    /// Whether any of these is secret.
    fn has_secrets(&self, variables: &[(String, String)]) -> bool {
        self.redactor_of(variables)
            .is_ok_and(|redactor| !redactor.is_empty())
    }

    fn redactor_of(&self, variables: &[(String, String)]) -> Result<Redactor, InvalidPattern> {
        let patterns = self.patterns.iter().map(String::as_str);
        let variables = variables.iter();
        Redactor::new(
            patterns,
            variables.map(|(name, value)| (name.as_str(), value.as_str())),
        )
    }
}

impl RunRecording {
    pub(super) fn new(recorder: Recorder, secrets: Secrets, messages: Messages) -> RunRecording {
        RunRecording {
            recorder,
            state: Mutex::new(State {
                secrets,
                told_output: false,
                warnings: HashSet::new(),
            }),
            messages,
        }
    }

    /// Finishes the record. Errors are warnings, because the run itself is unaffected.
    pub(super) fn finish(self) -> RecordingResult {
        let told = self.recorder.errors().len();
        let recorded = self.recorder.finish();
        // The bus has already reported errors of the journal.
        let is_told = |error: &RecordError| {
            let mut failures = recorded.listener_failures.iter();
            matches!(error, RecordError::Journal(_))
                && failures.any(|failure| failure.listener == "journal")
        };
        let untold = recorded.errors[told..].iter();
        for error in untold.filter(|error| !is_told(error)) {
            self.messages.warn(&error.to_string());
        }
        recorded
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

impl EventSink for RunRecording {
    fn publish(&self, event: Event) {
        for error in self.recorder.publish(event) {
            self.messages.warn(&error.to_string());
        }
    }

    fn wants_full_output(&self) -> bool {
        self.recorder.dir().is_some()
    }

    fn save_output(&self, example_id: &str, streams: &[(&str, &[u8])]) -> Option<String> {
        let dir = self.recorder.dir()?.path();
        let name = RunDir::output_file(example_id);
        match write(&dir.join(&name), streams, &self.recorder.redactor()) {
            Ok(()) => Some(name),
            Err(error) => {
                let mut state = self.state();
                if !std::mem::replace(&mut state.told_output, true) {
                    self.messages
                        .warn(&format!("cannot keep output in {name}: {error}"));
                }
                None
            }
        }
    }

    fn warn(&self, message: &str) {
        if self.state().warnings.insert(message.to_owned()) {
            self.messages.warn(message);
        }
    }

    fn register_secrets(&self, exported: &[(String, String)]) {
        let mut state = self.state();
        let new: Vec<_> = exported
            .iter()
            .filter(|variable| !state.secrets.variables.contains(variable))
            .cloned()
            .collect();
        // Most exported variables differ in each test, and few are secret.
        if !state.secrets.has_secrets(&new) {
            return;
        }
        state.secrets.variables.extend(new);
        if let Ok(redactor) = state.secrets.redactor() {
            self.recorder.redact(redactor);
        }
    }
}

/// Writes one stream unchanged, several with a title line above each.
fn write(path: &Path, streams: &[(&str, &[u8])], redactor: &Redactor) -> io::Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
    let mut file = io::BufWriter::new(fs::File::create(path)?);
    for (name, bytes) in streams {
        if streams.len() > 1 {
            writeln!(file, "--- {name} ---")?;
        }
        if redactor.is_empty() {
            file.write_all(bytes)?;
        } else {
            file.write_all(redactor.text(&String::from_utf8_lossy(bytes)).as_bytes())?;
        }
        if streams.len() > 1 && bytes.last().is_some_and(|last| *last != b'\n') {
            writeln!(file)?;
        }
    }
    file.flush()
}
