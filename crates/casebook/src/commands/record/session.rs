//! One recording: shared between the thread that reads and the one that waits for Ctrl-C.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use casebook_record::{
    Bus, Destination, Event, Identity, Problems, Recorded, Recorder, Redactor, Store, SyncError,
};
use casebook_report::terminal;
use uuid::Uuid;

use crate::arguments::Record;
use crate::commands::problems::{self, plural};
use crate::context::Context;
use crate::exit::Exit;
use crate::messages::Messages;

#[derive(Clone)]
pub(super) struct Session {
    /// Gone when the recording has ended.
    recorder: Arc<Mutex<Option<Recorder>>>,
    input: PathBuf,
    folder: PathBuf,
    writes: bool,
}

impl Session {
    pub(super) fn begin(record: &Record, redactor: Redactor, context: &Context) -> Session {
        let destination = match &record.record {
            None => Destination::Store(Store::in_project(&context.folder)),
            Some(_) if record.writes_nothing() => Destination::Nowhere,
            Some(folder) => Destination::Folder(context.folder.join(folder)),
        };
        let writes = !matches!(destination, Destination::Nowhere);
        let messages = context.messages.clone();
        let bus = Bus::reporting(move |trouble| {
            messages.warn(&format!("{}: {}", trouble.listener, trouble.first));
        });
        let identity = Identity {
            run_id: Uuid::new_v4().to_string(),
            // What comes from standard input has just run here; a file may be from anywhere.
            git_commit: is_stdin(&record.input)
                .then(|| context.git_commit())
                .flatten(),
        };
        let recorder = Recorder::new(bus, destination, identity, redactor);
        Session {
            recorder: Arc::new(Mutex::new(Some(recorder))),
            input: record.input.clone(),
            folder: context.folder.clone(),
            writes,
        }
    }

    pub(super) fn input(&self) -> &Path {
        &self.input
    }

    /// Whether any event has come.
    pub(super) fn has_begun(&self) -> bool {
        self.with(|recorder| recorder.has_begun()).unwrap_or(false)
    }

    pub(super) fn publish(&self, event: Event) {
        self.with(|recorder| recorder.publish(event));
    }

    pub(super) fn sync(&self) -> Result<(), SyncError> {
        self.with(|recorder| recorder.sync())
            .unwrap_or(Err(SyncError::NotRecording))
    }

    /// Ends the recording, tells what came of it, and how the command ends. Only the first call counts.
    pub(super) fn end(&self, problems: &Problems, messages: &Messages) -> Exit {
        // Held to the end, so that a late Ctrl-C does not kill the process in the middle of writing.
        let mut running = self.recorder.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(recorded) = running.take().map(Recorder::finish) else {
            return Exit::CouldNotTest;
        };
        problems::tell(&self.input_name(), problems, messages);
        self.tell(&recorded, messages);
        let whole_input = !problems.is_damage() && problems.torn_line.is_none();
        let complete = recorded.errors.is_empty() && whole_input;
        match recorded.run {
            Some(run) if recorded.errors.is_empty() && run.summary().failed_count > 0 => {
                Exit::Failed
            }
            Some(_) if complete => Exit::Passed,
            _ => Exit::CouldNotTest,
        }
    }

    fn tell(&self, recorded: &Recorded, messages: &Messages) {
        if recorded.ignored > 0 {
            let events = plural(recorded.ignored, "event");
            messages.warn(&format!(
                "{} {events} came after the end of the example and were ignored",
                recorded.ignored
            ));
        }
        for error in &recorded.errors {
            messages.error(&error.to_string());
        }
        let Some(run) = &recorded.run else {
            messages.error(&format!(
                "{} holds no event, so there is nothing to record",
                self.input_name()
            ));
            return;
        };
        messages.say(&terminal::summary_line(run));
        match &recorded.folder {
            Some(folder) => {
                let folder = folder
                    .strip_prefix(&self.folder)
                    .unwrap_or(folder)
                    .display();
                let how = if recorded.errors.is_empty() {
                    "recorded in"
                } else {
                    "recorded in part in"
                };
                messages.say(&format!("{how} {folder}"));
            }
            None if self.writes => messages.say("nothing was recorded"),
            None => {}
        }
    }

    fn input_name(&self) -> String {
        if is_stdin(&self.input) {
            "standard input".into()
        } else {
            self.input.display().to_string()
        }
    }

    fn with<T>(&self, action: impl FnOnce(&mut Recorder) -> T) -> Option<T> {
        self.recorder
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .as_mut()
            .map(action)
    }
}

pub(super) fn is_stdin(input: &Path) -> bool {
    input == Path::new("-")
}
