//! [`ChunkSink`]: sends what happens in a chunk to the controller, without secrets.

use casebook_record::{Event, InvalidPattern, KnownSecrets, Redactor, RunDir};
use casebook_run::{EventSink, SystemContext};
use casebook_suite::Suite;
use parking_lot::Mutex;

use super::publisher::Publisher;
use crate::wire::{Chunk, Note};

/// The event sink of one attempt to run a chunk.
pub(super) struct ChunkSink<'a> {
    publisher: &'a Publisher,
    keeps_output: bool,
    secrets: Mutex<(KnownSecrets, Redactor)>,
}

impl<'a> ChunkSink<'a> {
    /// Redacts the secrets of the worker's environment, and of the suite if there is one.
    pub(super) fn new(
        publisher: &'a Publisher,
        chunk: &Chunk,
        suite: Option<&Suite>,
        system: &SystemContext,
    ) -> Result<ChunkSink<'a>, InvalidPattern> {
        let patterns = chunk
            .redact
            .iter()
            .chain(suite.into_iter().flat_map(|suite| &suite.redact));
        let mut secrets = KnownSecrets::new(patterns.map(String::as_str))?;
        let environment = system.environment.iter();
        secrets
            .add(environment.filter_map(|(name, value)| Some((name.to_str()?, value.to_str()?))));
        secrets.add(suite.into_iter().flat_map(Suite::variables));
        let redactor = secrets.redactor();
        Ok(ChunkSink {
            publisher,
            keeps_output: chunk.keeps_output,
            secrets: Mutex::new((secrets, redactor)),
        })
    }

    pub(super) fn redactor(&self) -> Redactor {
        self.secrets.lock().1.clone()
    }
}

impl EventSink for ChunkSink<'_> {
    fn publish(&self, mut event: Event) {
        // Those of the run are the controller's.
        if matches!(
            event,
            Event::SuiteStarted(_) | Event::SuiteStopped(_) | Event::SuiteSummary(_)
        ) {
            return;
        }
        self.redactor().apply(&mut event);
        self.publisher.event(&event);
    }

    fn wants_full_output(&self) -> bool {
        self.keeps_output
    }

    fn save_output(&self, example_id: &str, streams: &[(&str, &[u8])]) -> Option<String> {
        let mut stored = Vec::new();
        for (name, bytes) in streams {
            let bytes = self.redactor().bytes(bytes).into_owned();
            let object = self
                .publisher
                .objects
                .write(&format!("{example_id}/{name}"), bytes)?;
            stored.push(((*name).to_owned(), object));
        }
        self.publisher.note(&Note::Output {
            example_id: example_id.to_owned(),
            streams: stored,
        });
        Some(RunDir::output_file(example_id))
    }

    fn warn(&self, message: &str) {
        self.publisher.note(&Note::Warn(message.to_owned()));
    }

    fn register_secrets(&self, exported: &[(String, String)]) {
        let (secrets, redactor) = &mut *self.secrets.lock();
        let exported = exported.iter();
        if secrets.add(exported.map(|(name, value)| (name.as_str(), value.as_str()))) {
            *redactor = secrets.redactor();
        }
    }
}
