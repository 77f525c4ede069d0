//! The listener that writes the journal and builds the run.

use std::iter;
use std::sync::Arc;

use super::JournaledRun;
use crate::bus::{InlineListener, ListenerError};
use crate::event::Event;
use crate::journal::Journal;

/// Writes events to the journal before they become part of the run.
pub(crate) struct JournaledRunWriter {
    pub(crate) journal: Option<Journal>,
    pub(crate) run: JournaledRun,
}

impl InlineListener for JournaledRunWriter {
    fn name(&self) -> &'static str {
        "journal"
    }

    fn on_event(&self, event: &Event) -> Result<(), ListenerError> {
        self.write(iter::once(event))
    }

    fn on_events(&self, events: &[Arc<Event>]) -> Result<(), ListenerError> {
        self.write(events.iter().map(|event| &**event))
    }
}

impl JournaledRunWriter {
    /// Events that cannot be written are still part of the run.
    fn write<'e>(
        &self,
        events: impl Iterator<Item = &'e Event> + Clone,
    ) -> Result<(), ListenerError> {
        let written = self
            .journal
            .as_ref()
            .map(|journal| journal.append_lines(events.clone()));
        let (lines, result) = match written {
            Some(Ok(lines)) => (lines, Ok(())),
            Some(Err(error)) => (Vec::new(), Err(error.into())),
            None => (Vec::new(), Ok(())),
        };
        let mut lines = lines.into_iter();
        for event in events {
            self.run.apply(event, lines.next().flatten());
        }
        result
    }
}
