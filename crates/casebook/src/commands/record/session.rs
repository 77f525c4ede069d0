//! [`RecordingSession`]: one recording, shared by the thread that reads and the one that waits for Ctrl-C.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use casebook_record::{
    Event, EventLine, InputProblems, JournaledRun, Listener, Problem, RecordError, Redactor,
    RunIdentity,
};
use casebook_report::terminal;
use parking_lot::{Mutex, MutexGuard};
use uuid::Uuid;

use crate::arguments::Record;
use crate::commands::shared::input_problems;
use crate::commands::shared::plural::plural;
use crate::commands::shared::recording::{Recorded, Recording};
use crate::commands::shared::upload::Upload;
use crate::context::{Checkout, Context};
use crate::error::CommandError;
use crate::messages::Messages;

#[derive(Clone)]
pub(super) struct RecordingSession {
    state: Arc<Mutex<State>>,
    messages: Messages,
    origin: EventOrigin,
}

/// Where the events come from.
#[derive(Clone)]
pub(super) enum EventOrigin {
    Input(PathBuf),
    /// A command by its name.
    Command(String),
}

impl EventOrigin {
    fn name(&self) -> String {
        match self {
            EventOrigin::Input(path) if is_stdin(path) => "standard input".into(),
            EventOrigin::Input(path) => path.display().to_string(),
            EventOrigin::Command(name) => format!("`{name}`"),
        }
    }

    /// Whether the tests ran here just now: true for standard input and commands, unknown for files.
    fn has_run_here(&self) -> bool {
        match self {
            EventOrigin::Input(path) => is_stdin(path),
            EventOrigin::Command(_) => true,
        }
    }

    fn tell_silence(&self, has_invalid_lines: bool, messages: &Messages) {
        let name = self.name();
        let events = if has_invalid_lines {
            "valid events"
        } else {
            "events"
        };
        match self {
            EventOrigin::Input(_) => {
                messages.error(&format!(
                    "{name} contains no {events}; nothing was recorded"
                ));
            }
            EventOrigin::Command(_) => {
                messages.warn(&format!("{name} sent no {events}; nothing was recorded"));
            }
        }
    }

    /// `exit` is how the command ended.
    fn tell_cut_short(&self, exit: Option<&str>, ran: usize, planned: u64, messages: &Messages) {
        let subject = match (self, exit) {
            (EventOrigin::Input(_), _) => "the input ended".to_owned(),
            (EventOrigin::Command(_), None) => format!("{} ended", self.name()),
            (EventOrigin::Command(_), Some(exit)) => format!("{} {exit}", self.name()),
        };
        let examples = plural(planned, "example");
        messages.warn(&format!(
            "{subject} after {ran} of {planned} planned {examples}"
        ));
    }
}

struct State {
    /// `None` after the recording has finished.
    recording: Option<Recording>,
    problems: InputProblems,
    has_invalid_lines: bool,
}

/// The result of a session.
pub(super) struct SessionResult {
    pub(super) recorded: Recorded,
    /// Whether lines of the input are invalid or incomplete, so that results may be missing.
    pub(super) is_damaged: bool,
}

impl SessionResult {
    /// Whether the events ended before the run did.
    pub(super) fn is_cut_short(&self) -> bool {
        self.recorded.result.planned_if_incomplete.is_some()
    }
}

impl RecordingSession {
    pub(super) fn begin(
        origin: EventOrigin,
        record: &Record,
        redactor: Redactor,
        context: &Context,
    ) -> Result<RecordingSession, CommandError> {
        let upload = Upload::requested(&record.options, context)?;
        let destination = record.options.destination(&context.dir);
        let checkout = if origin.has_run_here() {
            context.git_checkout().get()
        } else {
            Checkout::default()
        };
        let identity = RunIdentity {
            run_id: Uuid::new_v4().to_string(),
            git_commit: checkout.commit,
            git_branch: checkout.branch,
        };
        let is_requested = !record.options.is_disabled();
        let recording = Recording::new(destination, is_requested, identity, redactor, context)
            .with_upload(upload);
        let state = State {
            recording: Some(recording),
            problems: InputProblems::default(),
            has_invalid_lines: false,
        };
        Ok(RecordingSession {
            state: Arc::new(Mutex::new(state)),
            messages: context.messages.clone(),
            origin,
        })
    }

    /// The run so far.
    pub(super) fn run(&self) -> Option<JournaledRun> {
        let state = self.running();
        let recording = state.recording.as_ref();
        recording.map(|recording| recording.recorder().run().clone())
    }

    /// Subscribes a listener to all recorded events.
    pub(super) fn subscribe(&self, listener: impl Listener + 'static) -> io::Result<()> {
        let state = self.running();
        match &state.recording {
            Some(recording) => recording.recorder().bus().subscribe(listener).map(|_| ()),
            None => Ok(()),
        }
    }

    /// Records a line: its event, or its problem.
    pub(super) fn take(&self, line: EventLine) {
        let event = self.running().problems.take_event(line);
        if let Some(event) = event {
            self.publish(event);
        }
    }

    pub(super) fn publish(&self, event: Event) {
        if let Some(recording) = &self.running().recording {
            recording.publish(event);
        }
    }

    /// Notes an invalid line that was reported.
    pub(super) fn note_invalid_line(&self) {
        self.running().has_invalid_lines = true;
    }

    pub(super) fn add(&self, problem: Problem) {
        self.running().problems.add(problem);
    }

    pub(super) fn sync(&self) -> Result<(), RecordError> {
        let state = self.running();
        let recording = state.recording.as_ref();
        recording.map_or(Ok(()), |recording| recording.recorder().sync())
    }

    /// Finishes the recording and reports its result. `exit` is how the command ended, such as `was killed by SIGKILL`.
    pub(super) fn end(&self, exit: Option<&str>) -> SessionResult {
        // Locked to the end, so that a late Ctrl-C does not kill the process while it writes.
        let mut state = self.running();
        let Some(ending) = state.recording.take() else {
            unreachable!("a finished session blocks above");
        };
        let mut recorded = ending.finish();
        let State { problems, .. } = &mut *state;
        problems.ignored = recorded.result.late_event_count;
        input_problems::report(&self.name(), problems, &self.messages);
        if let Some(planned) = recorded.result.planned_if_incomplete {
            let ran = recorded.result.run.as_ref();
            let ran = ran.map_or(0, |run| run.examples.count());
            self.origin
                .tell_cut_short(exit, ran, planned, &self.messages);
        }
        let is_damaged = problems.is_damage() || problems.torn_line.is_some();
        if let Some(run) = &recorded.result.run {
            match terminal::summary_line(run) {
                Ok(line) => self.messages.info(&line),
                Err(error) => self.messages.error(&error.to_string()),
            }
            recorded.say_where(&self.messages);
        } else {
            let has_invalid_lines = state.has_invalid_lines || is_damaged;
            self.origin.tell_silence(has_invalid_lines, &self.messages);
        }
        recorded.upload(&self.messages);
        SessionResult {
            recorded,
            is_damaged,
        }
    }

    pub(super) fn name(&self) -> String {
        self.origin.name()
    }

    pub(super) fn info(&self, text: &str) {
        self.messages.info(text);
    }

    pub(super) fn warn(&self, text: &str) {
        self.messages.warn(text);
    }

    /// The state of the running recording. After it has finished, blocks until the process exits: the thread that finished it is
    /// about to exit with the right code.
    fn running(&self) -> MutexGuard<'_, State> {
        let state = self.state.lock();
        if state.recording.is_some() {
            return state;
        }
        drop(state);
        loop {
            std::thread::park();
        }
    }
}

pub(super) fn is_stdin(input: &Path) -> bool {
    input == Path::new("-")
}
