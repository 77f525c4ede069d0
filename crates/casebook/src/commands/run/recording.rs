//! [`RunRecording`]: the record of a run, shared by its threads.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use casebook_record::{Event, KnownSecrets, Recorder, Redactor, RunDir, io_reason};
use casebook_run::EventSink;
use parking_lot::{Mutex, MutexGuard};
use serde_json::Value;

use crate::commands::shared::plural::plural;
use crate::commands::shared::recording::{Recorded, Recording};
use crate::messages::Messages;

/// Bytes of each stream that are shown while a command runs.
const SO_FAR: usize = 64 << 10;

/// Records the events of a run, without secrets.
pub(in crate::commands) struct RunRecording {
    recording: Recording,
    state: Mutex<State>,
    messages: Messages,
}

struct State {
    secrets: KnownSecrets,
    /// Whether a failure to save output was reported.
    told_output: bool,
    /// Warnings already shown; several workers may send the same one.
    warnings: HashSet<String>,
    /// The snapshots that tests have written.
    snapshots: BTreeSet<String>,
    /// Files with the output of tests that are running.
    so_far: HashMap<String, PathBuf>,
}

impl RunRecording {
    pub(in crate::commands) fn new(
        recording: Recording,
        secrets: KnownSecrets,
        messages: Messages,
    ) -> RunRecording {
        RunRecording {
            recording,
            state: Mutex::new(State {
                secrets,
                told_output: false,
                warnings: HashSet::new(),
                snapshots: BTreeSet::new(),
                so_far: HashMap::new(),
            }),
            messages,
        }
    }

    /// The snapshots that tests have written: `2 snapshots written: A, B`; `None` if there are none.
    pub(in crate::commands) fn written_snapshots(&self) -> Option<String> {
        let state = self.state();
        let files: Vec<_> = state.snapshots.iter().map(String::as_str).collect();
        let count = files.len() as u64;
        let snapshots = plural(count, "snapshot");
        (count > 0).then(|| format!("{count} {snapshots} written: {}", files.join(", ")))
    }

    pub(in crate::commands) fn finish(self) -> Recorded {
        for (_, file) in self.state().so_far.drain() {
            let _ = fs::remove_file(file);
        }
        self.recording.finish()
    }

    fn recorder(&self) -> &Recorder {
        self.recording.recorder()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

impl EventSink for RunRecording {
    fn publish(&self, event: Event) {
        if let Event::EvaluationRecorded(evaluation) = &event
            && evaluation.metadata.get("written") == Some(&Value::Bool(true))
            && let Some(Value::String(file)) = evaluation.metadata.get("snapshot")
        {
            self.state().snapshots.insert(file.clone());
        }
        if let Event::ExampleStarted(_)
        | Event::ExamplePassed(_)
        | Event::ExampleFailed(_)
        | Event::ExamplePending(_) = &event
            && let Some(file) = event
                .example_id()
                .and_then(|id| self.state().so_far.remove(id))
        {
            let _ = fs::remove_file(file);
        }
        self.recording.publish(event);
    }

    fn wants_full_output(&self) -> bool {
        self.recorder().dir().is_some()
    }

    fn save_output(&self, example_id: &str, streams: &[(&str, &[u8])]) -> Option<String> {
        let dir = self.recorder().dir()?.path();
        let name = RunDir::output_file(example_id);
        match write(&dir.join(&name), streams, &self.recorder().redactor()) {
            Ok(()) => Some(name),
            Err(error) => {
                let mut state = self.state();
                if !std::mem::replace(&mut state.told_output, true) {
                    let path = dir.join(&name);
                    let reason = io_reason(&error);
                    self.messages
                        .warn(&format!("cannot write {}: {reason}", path.display()));
                }
                None
            }
        }
    }

    fn output_so_far(&self, example_id: &str, streams: &[(&str, &[u8])]) {
        let Some(dir) = self.recorder().dir() else {
            return;
        };
        let file = dir.path().join(RunDir::output_so_far_file(example_id));
        let ends: Vec<_> = streams
            .iter()
            .map(|(name, bytes)| (*name, last_lines(bytes)))
            .collect();
        // Readers see a complete file. It is only for those who look at the run, so a problem is not reported.
        let unfinished = file.with_extension("part");
        let written = write(&unfinished, &ends, &self.recorder().redactor());
        if written
            .and_then(|()| fs::rename(&unfinished, &file))
            .is_ok()
        {
            self.state().so_far.insert(example_id.to_owned(), file);
        }
    }

    fn warn(&self, message: &str) {
        if self.state().warnings.insert(message.to_owned()) {
            self.messages.warn(message);
        }
    }

    fn register_secrets(&self, exported: &[(String, String)]) {
        let mut state = self.state();
        let exported = exported.iter();
        let exported = exported.map(|(name, value)| (name.as_str(), value.as_str()));
        // Most exported variables differ in each test, and few are secret.
        if state.secrets.add(exported) {
            let redactor = state.secrets.redactor();
            self.messages.redact(redactor.clone());
            self.recorder().redact(redactor);
        }
    }
}

/// The complete lines at the end of a running command's output.
fn last_lines(bytes: &[u8]) -> &[u8] {
    let start = bytes.len().saturating_sub(SO_FAR);
    let line = bytes[start..].iter().position(|byte| *byte == b'\n');
    match line {
        Some(line) if start > 0 => &bytes[start + line + 1..],
        _ => &bytes[start..],
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
        file.write_all(&redactor.bytes(bytes))?;
        if streams.len() > 1 && bytes.last().is_some_and(|last| *last != b'\n') {
            writeln!(file)?;
        }
    }
    file.flush()
}
