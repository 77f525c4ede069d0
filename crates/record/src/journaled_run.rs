//! [`JournaledRun`]: a run under construction whose examples stay in its journal.
//!
//! Most of a run is output and messages. They are written to the journal as events and read again when an example is
//! needed, so that a run can be larger than the memory. An example is kept in memory only if one of its events is not in
//! the journal: there is none, it is compressed, or the disk is full.

mod examples;
mod writer;

use std::io;
use std::ops::Range;
use std::sync::Arc;

use indexmap::IndexMap;
use parking_lot::Mutex;

use crate::builder::{RunBuilder, sort_position};
use crate::event::Event;
use crate::model::{RunData, Status};
use crate::redact::Redactor;

pub(crate) use writer::JournaledRunWriter;

use examples::ExampleLocation;
pub(crate) use examples::{JournalReader, JournaledExamples, ReadAt};

/// Finds an example of a run that is not finished.
pub trait ExampleLookup: Send {
    /// The run reduced to this example; `None` before the example's first event.
    fn example(&self, id: &str) -> io::Result<Option<RunData>>;

    /// The name of the record's directory; `None` if there is none yet.
    fn dir_name(&self) -> Option<String> {
        None
    }
}

impl ExampleLookup for RunBuilder {
    fn example(&self, id: &str) -> io::Result<Option<RunData>> {
        Ok(RunBuilder::example(self, id))
    }
}

/// A run under construction. Clones share one run.
#[derive(Clone)]
pub struct JournaledRun(Arc<Mutex<State>>);

struct State {
    /// The run's own data, and the examples that are not in the journal.
    builder: RunBuilder,
    /// All examples in order of arrival.
    examples: IndexMap<String, IndexedExample>,
    late_events: u64,
    journal: Option<JournalReader>,
}

struct IndexedExample {
    position: Option<u64>,
    status: Status,
    /// The lines of its events; `None` if the example is in memory.
    lines: Option<Vec<Range<u64>>>,
}

impl JournaledRun {
    /// A run without events. `fallback_id` is the id of a run whose events contain none.
    pub(crate) fn new(fallback_id: impl Into<String>) -> JournaledRun {
        JournaledRun(Arc::new(Mutex::new(State {
            builder: RunBuilder::new(fallback_id),
            examples: IndexMap::new(),
            late_events: 0,
            journal: None,
        })))
    }

    /// Sets the journal that contains the lines.
    pub(crate) fn read_from(&self, journal: JournalReader) {
        self.0.lock().journal = Some(journal);
    }

    /// Applies an event and notes its line in the journal, if it is there.
    pub(crate) fn apply(&self, event: &Event, line: Option<Range<u64>>) {
        self.0.lock().apply(event, line);
    }

    /// Applies an event of a journal that was written before. The events of examples are redacted when they are read again.
    pub(crate) fn apply_recorded(
        &self,
        mut event: Event,
        line: Option<Range<u64>>,
        redactor: &Redactor,
    ) {
        let is_kept = line.is_none() || event.example_id().is_none();
        if is_kept || matches!(event, Event::ExampleStarted(_)) {
            redactor.apply(&mut event);
        }
        self.apply(&event, line);
    }

    /// How many events were ignored because their example had already ended.
    pub(crate) fn late_event_count(&self) -> u64 {
        self.0.lock().late_events
    }

    /// The number of planned examples, if fewer were reported and no event ended the run.
    pub(crate) fn planned_if_incomplete(&self) -> Option<u64> {
        let state = self.0.lock();
        state.builder.planned_if_incomplete(state.examples.len())
    }

    /// The run without its examples. Its metadata contains the planned examples that have not started.
    pub(crate) fn head(&self) -> Option<RunData> {
        let state = self.0.lock();
        let is_started = |id: &str| state.examples.contains_key(id);
        state.builder.head(is_started)
    }

    /// Ends the run. Examples still running are marked as failed (interrupted). `None` without events.
    pub(crate) fn close(&self) -> Option<ClosedRun> {
        self.0.lock().close()
    }
}

impl ExampleLookup for JournaledRun {
    fn dir_name(&self) -> Option<String> {
        let state = self.0.lock();
        let dir = state.journal.as_ref()?.path.parent()?;
        Some(dir.file_name()?.to_string_lossy().into_owned())
    }

    fn example(&self, id: &str) -> io::Result<Option<RunData>> {
        let state = self.0.lock();
        let example = state.examples.get(id);
        let (
            Some(IndexedExample {
                lines: Some(lines), ..
            }),
            Some(journal),
        ) = (example, &state.journal)
        else {
            return Ok(state.builder.example(id));
        };
        let (lines, journal, builder) = (lines.clone(), journal.clone(), state.builder.clone());
        drop(state);
        let example = journal.replay(&lines)?.example(id);
        let example = example.and_then(|run| run.examples.into_values().next());
        Ok(example.and_then(|example| builder.run_of(example)))
    }
}

impl State {
    fn apply(&mut self, event: &Event, line: Option<Range<u64>>) {
        let Some(id) = event.example_id() else {
            return self.builder.apply(event.clone());
        };
        if !self.examples.contains_key(id) {
            self.examples.insert(id.to_owned(), IndexedExample::new());
        }
        let Some(example) = self.examples.get_mut(id) else {
            return;
        };
        if !example.note(event) {
            self.late_events += 1;
        }
        match (&mut example.lines, line) {
            (Some(lines), Some(line)) => {
                add_line(lines, line);
                self.builder.apply_to_run(event, example.position);
            }
            (lines, _) => {
                let lines = lines.take().unwrap_or_default();
                if let (Some(journal), false) = (&self.journal, lines.is_empty()) {
                    // A journal that can be neither written nor read: the write error is reported.
                    let _ = journal.each_event(&lines, |event| self.builder.apply(event));
                }
                self.builder.apply(event.clone());
            }
        }
    }

    fn close(&mut self) -> Option<ClosedRun> {
        let mut examples = std::mem::take(&mut self.examples);
        self.builder.forget_planned(|id| examples.contains_key(id));
        let mut run = self.builder.close()?;
        let mut in_memory = std::mem::take(&mut run.examples);
        examples.sort_by_key(|_, example| sort_position(example.position));
        let failed =
            |example: &IndexedExample| matches!(example.status, Status::Failed | Status::Running);
        let failed_count = examples.values().filter(|example| failed(example)).count();
        let places = examples
            .into_iter()
            .filter_map(|(id, example)| match example.lines {
                Some(lines) => Some(ExampleLocation::Journal(lines)),
                None => in_memory.swap_remove(&id).map(ExampleLocation::Memory),
            });
        let examples = JournaledExamples {
            places: places.collect(),
            end: run.finished_at.unwrap_or(run.started_at),
            journal: self.journal.clone(),
        };
        Some(ClosedRun {
            run: run.with_examples(examples),
            failed_count,
        })
    }
}

impl IndexedExample {
    fn new() -> IndexedExample {
        IndexedExample {
            position: None,
            status: Status::Running,
            lines: Some(Vec::new()),
        }
    }

    /// Updates position and status. Returns false if the event arrived after the example's end and is ignored.
    fn note(&mut self, event: &Event) -> bool {
        if let Event::ExampleStarted(start) = event {
            self.position = start.position.or(self.position);
            self.status = Status::Running;
            return true;
        }
        if self.status != Status::Running {
            return false;
        }
        self.status = match event {
            Event::ExamplePassed(_) => Status::Passed,
            Event::ExampleFailed(_) => Status::Failed,
            Event::ExamplePending(_) => Status::Pending,
            _ => Status::Running,
        };
        true
    }
}

/// Lines that follow each other are one range.
fn add_line(lines: &mut Vec<Range<u64>>, line: Range<u64>) {
    match lines.last_mut() {
        Some(last) if last.end == line.start => last.end = line.end,
        _ => {
            // Most examples have one range of lines, and a run has very many examples.
            lines.reserve_exact(usize::from(lines.is_empty()));
            lines.push(line);
        }
    }
}

/// A finished run.
pub(crate) struct ClosedRun {
    pub(crate) run: RunData<JournaledExamples>,
    pub(crate) failed_count: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{decode, encode_line};

    impl ReadAt for Vec<u8> {
        fn read_range(&self, range: &Range<u64>) -> io::Result<Vec<u8>> {
            let at = |position| usize::try_from(position).unwrap();
            Ok(self[at(range.start)..at(range.end)].to_vec())
        }
    }

    /// Two examples with alternating events; the second one is retried, and has not ended.
    fn events() -> Vec<Event> {
        let event = |(index, (kind, id, fields)): (usize, (&str, &str, &str))| {
            let line = format!(
                r#"{{"event_type":"{kind}","payload":{{"time":"2026-11-15T08:00:0{index}.000Z","example_id":"{id}","description":"d","full_description":"d","location":"a.rb:1","duration":1,"turn_number":1{fields}}}}}"#
            );
            decode(&line).unwrap()
        };
        let events = [
            ("ExampleStarted", "b", r#","position":1"#),
            (
                "ExampleStarted",
                "a",
                r#","position":0,"scenario":{"name":"s"}"#,
            ),
            ("UserMessage", "a", r#","text":"hello""#),
            ("ExampleFailed", "b", r#","message":"first""#),
            ("ExampleStarted", "b", ""),
            ("AgentResponse", "a", r#","text":"hi","tool_calls":[]"#),
            ("UserMessage", "b", r#","text":"again""#),
            ("ExamplePassed", "a", ""),
            ("UserMessage", "a", r#","text":"late""#),
        ];
        events.into_iter().enumerate().map(event).collect()
    }

    /// The run after these events, of which those at the given indexes are not in the journal.
    fn journaled(events: &[Event], lost: impl Fn(usize) -> bool) -> JournaledRun {
        let run = JournaledRun::new("id");
        let mut journal = Vec::new();
        let mut lines = Vec::new();
        for event in events {
            let start = journal.len() as u64;
            encode_line(event, &mut journal);
            lines.push(start..journal.len() as u64);
        }
        run.read_from(JournalReader {
            path: "events.jsonl".into(),
            file: Arc::new(journal),
            redactor: Redactor::default(),
        });
        for (index, (event, line)) in events.iter().zip(lines).enumerate() {
            run.apply(event, Some(line).filter(|_| !lost(index)));
        }
        run
    }

    #[test]
    fn an_example_with_events_that_could_not_be_written_is_complete() {
        let events = events();
        let builder = RunBuilder::new("id");
        events
            .iter()
            .cloned()
            .for_each(|event| builder.apply(event));
        let ids = ["a", "b"];
        let examples = ids.map(|id| builder.example(id));
        let late_events = builder.late_event_count();
        let expected = builder.close().unwrap();
        for lost in 0..1_u32 << events.len() {
            let run = journaled(&events, |index| lost & (1 << index) != 0);
            assert_eq!(ids.map(|id| run.example(id).unwrap()), examples, "{lost:b}");
            assert_eq!(run.late_event_count(), late_events);
            let closed = run.close().unwrap();
            assert_eq!(closed.failed_count, 1, "`b` was interrupted");
            let written = serde_json::to_string(&closed.run as &crate::Run).unwrap();
            assert_eq!(
                written,
                serde_json::to_string(&expected).unwrap(),
                "{lost:b}"
            );
        }
    }

    #[test]
    fn examples_in_the_journal_are_not_in_memory() {
        let run = journaled(&events(), |_| false);
        let state = run.0.lock();
        assert!(state.builder.example("a").is_none());
        let ranges = |id: &str| state.examples[id].lines.as_ref().unwrap().len();
        assert_eq!((ranges("a"), ranges("b")), (3, 3));
    }
}
