//! The examples of a journal. The events of an example may be anywhere in it, between those of other examples.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;

use indexmap::IndexMap;

use super::{Content, read_range};
use crate::builder::{RunBuilder, sort_position};
use crate::event::{Event, SuiteStopped};
use crate::examples::ExampleSource;
use crate::input_problems::InputProblems;
use crate::journal::EventReader;
use crate::model::{ExampleData, RunData};
use crate::redact::Redactor;
use crate::store::{StoreError, builder_for, io_error, no_events, read_events};
use crate::time::Time;

pub(super) struct JournalExamples {
    file: File,
    /// The lines of each example.
    lines: Vec<Vec<Range<u64>>>,
    /// The end of the run. Examples that have not ended by then were interrupted.
    end: Time,
    redactor: Redactor,
}

/// What the first pass finds of one example.
#[derive(Default)]
struct IndexedExample {
    position: Option<u64>,
    has_ended: bool,
    lines: Vec<Range<u64>>,
}

pub(super) fn open(
    path: &Path,
    redactor: &Redactor,
) -> Result<(RunData<JournalExamples>, InputProblems), StoreError> {
    let mut content = Content::open(path).map_err(io_error("read", path))?;
    let builder = builder_for(path);
    let mut index = Index::default();
    let add = |mut event: Event, line| {
        let position = index.add(&event, line);
        // Only the events of examples are large, and those are redacted when the example is read.
        if event.example_id().is_none() || matches!(event, Event::ExampleStarted(_)) {
            redactor.apply(&mut event);
        }
        builder.apply_to_run(event, position);
    };
    let reader = EventReader::new(content.buffered());
    let mut problems = read_events(reader, add).map_err(io_error("read", path))?;
    problems.ignored = index.late_events;
    builder.forget_planned(|id| index.examples.contains_key(id));
    let Some(run) = builder.close() else {
        return Err(no_events(path, problems));
    };
    let examples = JournalExamples {
        file: content.file,
        lines: index.into_lines(),
        end: run.finished_at.unwrap_or(run.started_at),
        redactor: redactor.clone(),
    };
    Ok((run.with_examples(examples), problems))
}

/// Where the events of each example are.
#[derive(Default)]
struct Index {
    examples: IndexMap<String, IndexedExample>,
    late_events: u64,
}

impl Index {
    /// Adds the line of an event; returns the planned position of its example.
    fn add(&mut self, event: &Event, line: Range<u64>) -> Option<u64> {
        let id = event.example_id()?;
        if !self.examples.contains_key(id) {
            self.examples
                .insert(id.to_owned(), IndexedExample::default());
        }
        let example = self.examples.get_mut(id)?;
        match event {
            Event::ExampleStarted(start) => {
                example.position = start.position.or(example.position);
                example.has_ended = false;
            }
            _ if example.has_ended => self.late_events += 1,
            Event::ExamplePassed(_) | Event::ExampleFailed(_) | Event::ExamplePending(_) => {
                example.has_ended = true;
            }
            _ => {}
        }
        match example.lines.last_mut() {
            Some(last) if last.end == line.start => last.end = line.end,
            _ => {
                // Most examples have one range of lines, and a run has very many examples.
                example
                    .lines
                    .reserve_exact(usize::from(example.lines.is_empty()));
                example.lines.push(line);
            }
        }
        example.position
    }

    /// The lines of each example, in the planned order.
    fn into_lines(mut self) -> Vec<Vec<Range<u64>>> {
        self.examples
            .sort_by_key(|_, example| sort_position(example.position));
        let examples = self.examples.into_values();
        examples.map(|example| example.lines).collect()
    }
}

impl ExampleSource for JournalExamples {
    fn count(&self) -> usize {
        self.lines.len()
    }

    fn read(&self, index: usize) -> io::Result<Cow<'_, ExampleData>> {
        let builder = RunBuilder::new("");
        for range in &self.lines[index] {
            let lines = read_range(&self.file, range)?;
            // The problems were found when the journal was opened.
            read_events(EventReader::new(lines.as_slice()), |mut event, _| {
                self.redactor.apply(&mut event);
                builder.apply(event);
            })?;
        }
        builder.apply(SuiteStopped { time: self.end }.into());
        let run = builder.close();
        let example = run.and_then(|run| run.examples.into_values().next());
        let example = example.ok_or(io::ErrorKind::InvalidData)?;
        Ok(Cow::Owned(*example))
    }
}
