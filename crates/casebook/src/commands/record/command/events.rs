//! Passes events from the socket to the record.

use std::collections::BTreeMap;

use casebook_record::event::{ExampleFailed, ExampleStarted};
use casebook_record::{DecodeError, Event, EventLine, InvalidLine, Metadata, Time};
use casebook_run::event_socket::{Connection, SocketMessage};
use parking_lot::{Mutex, MutexGuard};

use crate::commands::record::session::RecordingSession;
use crate::commands::shared::plural::plural;

/// Receives the events of all connections of a command.
pub(super) struct Events {
    session: RecordingSession,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Examples that have started and not finished.
    running: BTreeMap<String, ExampleStarted>,
    /// The number of invalid lines per connection.
    bad: BTreeMap<u64, u64>,
}

impl Events {
    pub(super) fn new(session: RecordingSession) -> Events {
        Events {
            session,
            state: Mutex::default(),
        }
    }

    pub(super) fn take(&self, connection: &Connection, heard: SocketMessage) {
        match heard {
            SocketMessage::Line(line) if is_bad(&line) => {
                self.warn_invalid_line(connection.number(), &line);
            }
            SocketMessage::Line(line) => {
                if let Ok(event) = &line.event {
                    self.state().note(event);
                }
                self.session.take(line);
            }
            // Requests come only from workers of `casebook rspec`.
            SocketMessage::Request(_) => {}
            SocketMessage::Closed => self.count(connection.number()),
        }
    }

    /// The command has exited: its unfinished examples fail. Returns their number.
    pub(super) fn end(&self, how: &str, time: Time) -> usize {
        let running = std::mem::take(&mut self.state().running);
        let count = running.len();
        for example in running.into_values() {
            self.session.publish(interrupted(example, how, time).into());
        }
        count
    }

    /// Reports the first invalid line of a connection immediately and counts the others.
    fn warn_invalid_line(&self, connection: u64, line: &EventLine) {
        let count = {
            let mut state = self.state();
            let count = state.bad.entry(connection).or_default();
            *count += 1;
            *count
        };
        self.session.note_invalid_line();
        if let (1, Err(error)) = (count, &line.event) {
            let name = self.session.name();
            self.session.warn(&format!(
                "{name} sent an invalid event on connection {connection}, line {}: {error}",
                line.number
            ));
        }
    }

    fn count(&self, connection: u64) {
        let count = self.state().bad.get(&connection).copied().unwrap_or(0);
        let more = count.saturating_sub(1);
        if more > 0 {
            let name = self.session.name();
            let lines = plural(more, "line");
            self.session
                .warn(&format!("{name} sent {more} more invalid {lines}"));
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

impl State {
    fn note(&mut self, event: &Event) {
        match event {
            Event::ExampleStarted(started) => {
                self.running
                    .insert(started.example_id.clone(), started.clone());
            }
            Event::ExamplePassed(_) | Event::ExampleFailed(_) | Event::ExamplePending(_) => {
                self.running.remove(event.example_id().unwrap_or_default());
            }
            _ => {}
        }
    }
}

/// Unknown kinds of events are not invalid: they are counted by name and reported at the end.
fn is_bad(line: &EventLine) -> bool {
    match &line.event {
        Ok(_) | Err(InvalidLine::Undecodable(DecodeError::UnknownKind(_))) => false,
        Err(_) => true,
    }
}

fn interrupted(example: ExampleStarted, how: &str, time: Time) -> ExampleFailed {
    let duration = time.millis_since(example.time).max(0);
    ExampleFailed {
        time,
        example_id: example.example_id,
        stable_id: example.stable_id,
        description: example.description,
        full_description: example.full_description,
        location: example.location,
        duration: std::time::Duration::from_millis(duration.unsigned_abs()).as_secs_f64(),
        message: Some(format!("the process ended before this example did: {how}")),
        backtrace: None,
        exception_class: Some("Casebook::Interrupted".into()),
        metadata: Metadata::new(),
    }
}
