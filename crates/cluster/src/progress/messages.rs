//! What the messages of workers change.

use casebook_record::Event;

use super::{Action, EventKey, RunProgress, key};
use crate::wire::{Done, Line, Note};

/// The attempt that an event is from.
#[derive(Debug, Clone, Copy)]
struct Origin {
    suite: usize,
    rank: (u64, u64),
    worker: usize,
}

impl RunProgress {
    /// Handles a batch of an attempt.
    pub(crate) fn batch(
        &mut self,
        chunk: &str,
        attempt: u64,
        sequence: u64,
        lines: Vec<Line>,
    ) -> Vec<Action> {
        let mut actions = Vec::new();
        let progress = self.chunk(chunk);
        if progress.finished {
            return actions;
        }
        let known = progress.attempts.entry(attempt).or_default();
        if sequence >= known.next {
            known.early.insert(sequence, lines);
        }
        while let Some(lines) = self.next_batch(chunk, attempt) {
            for line in lines {
                self.line(chunk, attempt, line, &mut actions);
            }
        }
        self.try_finish(chunk, &mut actions);
        actions
    }

    fn next_batch(&mut self, chunk: &str, attempt: u64) -> Option<Vec<Line>> {
        let attempt = self.chunks.get_mut(chunk)?.attempts.get_mut(&attempt)?;
        let lines = attempt.early.remove(&attempt.next)?;
        attempt.next += 1;
        Some(lines)
    }

    /// Handles the committed end of a chunk.
    pub(crate) fn done(&mut self, chunk: &str, done: Done) -> Vec<Action> {
        let mut actions = Vec::new();
        self.chunk(chunk).done = Some(done);
        self.try_finish(chunk, &mut actions);
        actions
    }

    fn line(&mut self, chunk: &str, attempt: u64, line: Line, actions: &mut Vec<Action>) {
        match line {
            Line::Note(Note::Begin {
                worker,
                suite,
                given_up,
            }) => {
                self.begin(chunk, attempt, worker, suite, actions);
                let has_no_result = |id: &String| !self.has_result(id);
                let given_up = given_up.into_iter().filter(has_no_result);
                actions.extend(given_up.map(Action::GiveUp));
            }
            Line::Note(Note::Refused { worker, reason }) => actions.push(Action::Refused {
                chunk: chunk.to_owned(),
                worker,
                reason,
            }),
            Line::Note(Note::Output {
                example_id,
                streams,
            }) => actions.push(Action::SaveOutput(example_id, streams)),
            Line::Note(Note::Warn(message)) => actions.push(Action::Warn(message)),
            Line::Note(Note::Print(text)) => actions.push(Action::Print(text)),
            Line::Note(Note::Quit) => actions.push(Action::Quit),
            Line::Note(Note::NotFound(ids)) => {
                let ids = ids.into_iter().filter(|id| !self.has_result(id));
                actions.extend(ids.map(Action::NotFound));
            }
            Line::Event(event) => self.event_of(chunk, attempt, *event, actions),
        }
    }

    fn begin(
        &mut self,
        chunk: &str,
        attempt: u64,
        worker: String,
        suite: String,
        actions: &mut Vec<Action>,
    ) {
        let number = self.worker_number(&worker);
        let mut suites = self.suites.iter();
        if let Some(index) = suites.position(|known| known.outline.name == suite) {
            self.set_suite(chunk, index);
        }
        let attempts = &mut self.chunk(chunk).attempts;
        attempts.entry(attempt).or_default().worker = number;
        if attempt > 1 {
            let first = attempts.range(..attempt).next_back();
            let first = first.map(|(_, first)| first.worker);
            self.redelivered += 1;
            actions.push(Action::Redelivered {
                suite,
                from: first.map(|first| self.workers[first].clone()),
                to: worker,
            });
        }
    }

    fn worker_number(&mut self, worker: &str) -> usize {
        if let Some(number) = self.worker_numbers.get(worker) {
            return *number;
        }
        let number = self.workers.len();
        self.workers.push(worker.to_owned());
        self.worker_numbers.insert(worker.to_owned(), number);
        number
    }

    fn event_of(&mut self, chunk: &str, attempt: u64, event: Event, actions: &mut Vec<Action>) {
        let progress = self.chunk(chunk);
        let (rank, suite) = ((progress.generation, attempt), progress.suite);
        let known = progress.attempts.entry(attempt).or_default();
        let worker = known.worker;
        let Some(suite) = suite else { return };
        if self.suites[suite].outline.whole {
            let known = self.chunk(chunk).attempts.entry(attempt).or_default();
            known.held.push(event);
        } else {
            let origin = Origin {
                suite,
                rank,
                worker,
            };
            actions.extend(self.event(origin, event));
        }
    }

    /// Passes on an event, unless another attempt of its test has replaced the one it is from.
    fn event(&mut self, origin: Origin, mut event: Event) -> Option<Action> {
        let suite = &mut self.suites[origin.suite];
        match &mut event {
            Event::GroupStarted(_) if suite.started => return None,
            Event::GroupStarted(group) => {
                suite.started = true;
                // A worker knows only its chunk.
                group.example_count = suite.outline.tests.or(group.example_count);
            }
            Event::GroupFinished(_) => {
                suite.group_finished = Some(event);
                return None;
            }
            _ => {}
        }
        if let Some(id) = event.example_id().map(str::to_owned) {
            if self.finished_earlier.contains(&id) {
                return None;
            }
            let key = key(&id, &event);
            let test = self.tests.entry(id).or_default();
            if !test.accept(origin.rank, &event) {
                return None;
            }
            if let Event::ExampleStarted(started) = &mut event {
                let worker = &self.workers[origin.worker];
                started.metadata.set("worker", origin.worker + 1);
                started.metadata.set("worker_name", worker.as_str());
                if test.lost > 0 {
                    started.metadata.set("attempt", test.lost + 1);
                }
            }
            if self.is_recorded(&key) {
                return None;
            }
        }
        Some(Action::Publish(Box::new(event)))
    }

    /// Whether an earlier controller recorded this event.
    fn is_recorded(&mut self, key: &EventKey) -> bool {
        let Some(count) = self.recorded.get_mut(key) else {
            return false;
        };
        *count -= 1;
        if *count == 0 {
            self.recorded.remove(key);
        }
        true
    }

    /// Whether attempts after the committed one have started tests that now have no result. Nothing of them counts.
    fn forget_superseded(&mut self, chunk: &str, committed: u64) -> bool {
        let Some(progress) = self.chunks.get(chunk) else {
            return false;
        };
        let rank = (progress.generation, committed);
        let mut is_superseded = false;
        for id in &progress.tests {
            if let Some(test) = self.tests.get_mut(id)
                && test.outcome.is_none()
                && test.rank > rank
            {
                (test.lost, test.running) = (0, false);
                is_superseded = true;
            }
        }
        is_superseded
    }

    /// Finishes a chunk whose end is committed, when all of its events have arrived.
    fn try_finish(&mut self, chunk: &str, actions: &mut Vec<Action>) {
        let Some(progress) = self.chunks.get(chunk).filter(|chunk| !chunk.finished) else {
            return;
        };
        let Some(done) = &progress.done else { return };
        let committed = progress.attempts.get(&done.attempt);
        if committed.is_none_or(|committed| committed.next < done.batches) {
            return;
        }
        let (attempt, suite) = (done.attempt, progress.suite);
        let is_whole = suite.is_some_and(|suite| self.suites[suite].outline.whole);
        if !is_whole && self.forget_superseded(chunk, attempt) {
            actions.push(Action::Superseded(chunk.to_owned()));
            return;
        }
        let progress = self.chunk(chunk);
        let rank = (progress.generation, attempt);
        let committed = progress.attempts.entry(attempt).or_default();
        let (held, worker) = (std::mem::take(&mut committed.held), committed.worker);
        progress.finished = true;
        self.unfinished -= 1;
        let Some(suite) = suite else { return };
        let origin = Origin {
            suite,
            rank,
            worker,
        };
        for event in held {
            actions.extend(self.event(origin, event));
        }
        let suite = &mut self.suites[suite];
        suite.open_chunks -= 1;
        if suite.open_chunks == 0 {
            suite.closed = suite.group_finished.is_some();
            let event = suite.group_finished.take();
            actions.extend(event.map(|event| Action::Publish(Box::new(event))));
        }
    }
}
