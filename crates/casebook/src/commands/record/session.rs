//! [`RecordingSession`]: one recording, shared by the thread that reads and the one that waits for Ctrl-C.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use casebook_record::{
    Bus, Event, EventLine, InputProblems, Listener, Problem, RecordError, Recorder,
    RecordingResult, Redactor, RunBuilder, RunIdentity,
};
use casebook_report::terminal;
use parking_lot::{Mutex, MutexGuard};
use uuid::Uuid;

use crate::arguments::Record;
use crate::commands::shared::input_problems;
use crate::commands::shared::plural::plural;
use crate::context::Context;
use crate::exit::Exit;
use crate::messages::Messages;

#[derive(Clone)]
pub(super) struct RecordingSession {
    state: Arc<Mutex<State>>,
    messages: Messages,
    origin: EventOrigin,
    dir: PathBuf,
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

    fn tell_silence(&self, messages: &Messages) {
        let name = self.name();
        match self {
            EventOrigin::Input(_) => {
                messages.error(&format!("{name} contains no events; nothing was recorded"));
            }
            EventOrigin::Command(_) => {
                messages.warn(&format!("{name} sent no events; nothing was recorded"));
            }
        }
    }

    fn tell_cut_short(&self, planned: u64, messages: &Messages) {
        let name = match self {
            EventOrigin::Input(_) => "the input".to_owned(),
            EventOrigin::Command(_) => self.name(),
        };
        let examples = plural(planned, "example");
        messages.warn(&format!(
            "{name} ended before the run did: {planned} {examples} planned"
        ));
    }
}

struct State {
    /// `None` after the recording has finished.
    recorder: Option<Recorder>,
    problems: InputProblems,
}

impl RecordingSession {
    pub(super) fn begin(
        origin: EventOrigin,
        record: &Record,
        redactor: Redactor,
        context: &Context,
    ) -> RecordingSession {
        let destination = record.options.destination(&context.dir);
        let messages = context.messages.clone();
        let bus = Bus::with_failure_handler(move |error| {
            messages.warn(&format!("{}: {}", error.listener, error.first));
        });
        let identity = RunIdentity {
            run_id: Uuid::new_v4().to_string(),
            git_commit: origin
                .has_run_here()
                .then(|| context.git_commit().get())
                .flatten(),
        };
        let recorder = Recorder::new(bus, destination, identity, redactor);
        let state = State {
            recorder: Some(recorder),
            problems: InputProblems::default(),
        };
        RecordingSession {
            state: Arc::new(Mutex::new(state)),
            messages: context.messages.clone(),
            origin,
            dir: context.dir.clone(),
        }
    }

    /// The run so far.
    pub(super) fn run(&self) -> Option<RunBuilder> {
        let state = self.running();
        state
            .recorder
            .as_ref()
            .map(|recorder| recorder.run().clone())
    }

    /// Subscribes a listener to all recorded events.
    pub(super) fn subscribe(&self, listener: impl Listener + 'static) -> io::Result<()> {
        let state = self.running();
        match &state.recorder {
            Some(recorder) => recorder.bus().subscribe(listener).map(|_| ()),
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
        let state = self.running();
        let Some(recorder) = &state.recorder else {
            return;
        };
        // Immediately, because the input may last for hours.
        for error in recorder.publish(event) {
            self.messages.error(&error.to_string());
        }
    }

    pub(super) fn add(&self, problem: Problem) {
        self.running().problems.add(problem);
    }

    pub(super) fn sync(&self) -> Result<(), RecordError> {
        self.running()
            .recorder
            .as_ref()
            .map_or(Ok(()), Recorder::sync)
    }

    /// Finishes the recording, reports its result and returns the exit code.
    pub(super) fn end(&self) -> Exit {
        // Locked to the end, so that a late Ctrl-C does not kill the process while it writes.
        let mut state = self.running();
        let Some(ending) = state.recorder.take() else {
            return Exit::CouldNotTest;
        };
        let told = ending.errors().len();
        let recorded = ending.finish();
        state.problems.ignored = recorded.late_event_count;
        input_problems::report(&self.name(), &state.problems, &self.messages);
        if let Some(planned) = recorded.planned_if_incomplete {
            self.origin.tell_cut_short(planned, &self.messages);
        }
        self.tell(&recorded, told);
        let whole_input = !state.problems.is_damage()
            && state.problems.torn_line.is_none()
            && recorded.planned_if_incomplete.is_none();
        match recorded.run {
            Some(run) if recorded.errors.is_empty() && run.summary().failed_count > 0 => {
                Exit::Failed
            }
            Some(_) if recorded.errors.is_empty() && whole_input => Exit::Passed,
            _ => Exit::CouldNotTest,
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

    fn tell(&self, recorded: &RecordingResult, told: usize) {
        for error in &recorded.errors[told..] {
            self.messages.error(&error.to_string());
        }
        let Some(run) = &recorded.run else {
            return self.origin.tell_silence(&self.messages);
        };
        match terminal::summary_line(run) {
            Ok(line) => self.messages.info(&line),
            Err(error) => self.messages.error(&error.to_string()),
        }
        match (&recorded.dir, recorded.errors.is_empty()) {
            (Some(dir), complete) => {
                let dir = dir.strip_prefix(&self.dir).unwrap_or(dir).display();
                self.messages.info(&format!(
                    "recorded {}in {dir}",
                    if complete { "" } else { "in part " }
                ));
            }
            (None, false) => self.messages.info("nothing was recorded"),
            (None, true) => {}
        }
    }

    /// The state of the running recording. After it has finished, blocks until the process exits: the thread that finished it is
    /// about to exit with the right code.
    fn running(&self) -> MutexGuard<'_, State> {
        let state = self.state.lock();
        if state.recorder.is_some() {
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
