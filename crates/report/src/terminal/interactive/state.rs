//! The state of the screen: counts of the run and a pane for each worker.

use std::collections::BTreeMap;
use std::sync::Arc;

use casebook_record::event::ExampleStarted;
use casebook_record::{Event, ExampleLookup, Time};
use serde_json::Value;

use super::paint::Painted;
use super::pane::{Pane, PaneLine};
use super::{Key, KeyAction};
use crate::examples::{is_failed_hook, is_interruption};
use crate::flag;
use crate::terminal::event_lines::{EventLineFormatter, EventLines};
use crate::terminal::summary::RunCounts;
use crate::terminal::title::started_title;

pub(super) struct ScreenState {
    formatter: EventLineFormatter,
    pub(super) counts: RunCounts,
    pub(super) started: Option<Time>,
    /// When the run finished.
    pub(super) ended: Option<Time>,
    /// Parts of the run that have started and not ended.
    parts: usize,
    pub(super) workers: BTreeMap<u64, Worker>,
    /// The lines of all workers.
    pub(super) all: Pane,
    /// The selected worker; `None` for all.
    pub(super) selected: Option<u64>,
    /// Whether the user has selected a tab.
    user_selected: bool,
    /// The text of the filter.
    pub(super) filter: String,
    pub(super) mode: Mode,
    pub(super) offers_rerun: bool,
    /// How often the run was requested to stop.
    pub(super) stop_requests: usize,
    width: usize,
    /// Rows of a pane.
    height: usize,
    /// Increases with every visible change.
    pub(super) version: u64,
}

/// The meaning of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Keys,
    /// Keys are added to the filter.
    Filter,
    /// The help is shown; any key hides it.
    Help,
}

pub(super) struct Worker {
    pub(super) pane: Pane,
    /// The test it is running.
    pub(super) now: Option<Current>,
}

pub(super) struct Current {
    id: String,
    pub(super) title: String,
    pub(super) started: Time,
}

impl ScreenState {
    pub(super) fn new(
        color: bool,
        record: Option<String>,
        run: Box<dyn ExampleLookup>,
    ) -> ScreenState {
        let width = 80;
        ScreenState {
            formatter: EventLineFormatter::new(color, width, Some((run, record))),
            counts: RunCounts::default(),
            started: None,
            ended: None,
            parts: 0,
            workers: BTreeMap::new(),
            all: Pane::new(width),
            selected: None,
            user_selected: false,
            filter: String::new(),
            mode: Mode::Keys,
            offers_rerun: false,
            stop_requests: 0,
            width,
            height: 20,
            version: 0,
        }
    }

    pub(super) fn take(&mut self, event: &Event) {
        self.version += 1;
        self.started.get_or_insert(event.time());
        let title = self.title(event);
        match event {
            Event::SuiteStarted(started) => {
                self.parts += 1;
                self.counts.start(started);
            }
            Event::SuiteStopped(stopped) => {
                self.parts = self.parts.saturating_sub(1);
                if self.parts == 0 {
                    self.ended = Some(stopped.time);
                }
            }
            Event::ExampleStarted(started) => self.test_started(started),
            event if event.will_repeat() => {}
            Event::ExamplePassed(passed) => {
                self.counts.passed += 1;
                self.test_ended(&passed.example_id);
            }
            Event::ExampleFailed(failed) if !flag(&failed.metadata, "will_retry") => {
                if is_interruption(failed.exception_class.as_deref()) {
                    self.counts.interrupted += 1;
                } else if is_failed_hook(&failed.metadata) {
                    self.counts.failed_hooks += 1;
                } else {
                    self.counts.failed += 1;
                }
                self.test_ended(&failed.example_id);
            }
            Event::ExamplePending(pending) => {
                self.counts.pending += 1;
                self.test_ended(&pending.example_id);
            }
            _ => {}
        }
        self.formatter.width = self.width.saturating_sub(self.widest_prefix());
        if let Some(formatted) = self.formatter.format(event) {
            let is_failure = matches!(event, Event::ExampleFailed(failed) if !flag(&failed.metadata, "will_retry"))
                && !event.will_repeat();
            self.show(&formatted, &title, is_failure);
        }
    }

    /// The columns of the worker's number in the tab of all workers, which is not selected with one worker.
    fn widest_prefix(&self) -> usize {
        let last = self
            .workers
            .last_key_value()
            .filter(|_| self.workers.len() > 1);
        last.map_or(0, |(number, _)| prefix(*number).len())
    }

    fn test_started(&mut self, event: &ExampleStarted) {
        self.counts.counts_tests |= event.metadata.get("suite").is_some();
        let number = event.metadata.get("worker").and_then(Value::as_u64);
        let worker = self.worker(number.unwrap_or(1));
        worker.now = Some(Current {
            id: event.example_id.clone(),
            title: started_title(event),
            started: event.time,
        });
        // With one worker, its pane equals that of all workers.
        if !self.user_selected {
            self.selected = match self.workers.len() {
                1 => self.workers.keys().next().copied(),
                _ => None,
            };
        }
    }

    fn test_ended(&mut self, id: &str) {
        for worker in self.workers.values_mut() {
            if worker.now.as_ref().is_some_and(|now| now.id == id) {
                worker.now = None;
            }
        }
    }

    fn worker(&mut self, number: u64) -> &mut Worker {
        let (width, filter) = (self.width, &self.filter);
        self.workers.entry(number).or_insert_with(|| {
            let mut pane = Pane::new(width);
            pane.filter(filter);
            Worker { pane, now: None }
        })
    }

    /// The title of the event's test.
    fn title(&self, event: &Event) -> Arc<str> {
        let title = match event {
            Event::ExampleStarted(started) => started_title(started),
            // A skipped test may not have started.
            Event::ExamplePending(pending) => pending.full_description.clone(),
            other => {
                let running = self
                    .workers
                    .values()
                    .filter_map(|worker| worker.now.as_ref());
                let mut test = running.filter(|test| Some(test.id.as_str()) == other.example_id());
                test.next()
                    .map(|test| test.title.clone())
                    .unwrap_or_default()
            }
        };
        title.into()
    }

    fn show(&mut self, formatted: &EventLines, title: &Arc<str>, is_failure: bool) {
        let text = String::from_utf8_lossy(&formatted.lines);
        let mut starts_failure = is_failure;
        for line in text.lines() {
            let line = PaneLine {
                prefix: String::new(),
                painted: Painted::read(line),
                test: Arc::clone(title),
                is_failure: !line.is_empty() && std::mem::take(&mut starts_failure),
            };
            // The tests of several workers are shown without empty lines between them.
            if !line.painted.text.is_empty() {
                self.all.push(PaneLine {
                    prefix: prefix(formatted.worker),
                    ..line.clone()
                });
            }
            self.worker(formatted.worker).pane.push(line);
        }
    }

    pub(super) fn press(&mut self, key: Key) -> KeyAction {
        self.version += 1;
        if self.mode == Mode::Filter && key != Key::Interrupt && key != Key::Redraw {
            self.type_filter(key);
            return KeyAction::Nothing;
        }
        let previous = std::mem::replace(&mut self.mode, Mode::Keys);
        if previous == Mode::Help && key == Key::Char('?') {
            return KeyAction::Nothing;
        }
        let page = isize::try_from(self.height.saturating_sub(1)).unwrap_or(1);
        match key {
            Key::Char('q') | Key::Interrupt => return self.leave(),
            Key::Redraw => return KeyAction::Redraw,
            Key::Char('a') => self.select(None),
            Key::Char(digit @ '1'..='9') => self.select(digit.to_digit(10).map(u64::from)),
            Key::Char('h') | Key::Left => self.next(-1),
            Key::Char('l') | Key::Right => self.next(1),
            Key::Char('j') | Key::Down => self.scroll(1),
            Key::Char('k') | Key::Up => self.scroll(-1),
            Key::Char(' ') | Key::PageDown => self.scroll(page),
            Key::PageUp => self.scroll(-page),
            Key::Char('g') | Key::Home => self.pane_mut().go_to_start(),
            Key::Char('G') | Key::End => self.pane_mut().go_to_end(),
            Key::Char('f') => {
                let height = self.height;
                self.pane_mut().follow(height);
            }
            Key::Char('n') => self.go_to_failure(true),
            Key::Char('N') => self.go_to_failure(false),
            Key::Char('r') if self.can_rerun() => return KeyAction::Rerun,
            Key::Char('/') => self.mode = Mode::Filter,
            Key::Char('?') => self.mode = Mode::Help,
            Key::Escape => self.set_filter(String::new()),
            Key::Char(_) | Key::Enter | Key::Backspace => {}
        }
        KeyAction::Nothing
    }

    fn type_filter(&mut self, key: Key) {
        let mut text = std::mem::take(&mut self.filter);
        match key {
            Key::Char(character) => text.push(character),
            Key::Backspace => drop(text.pop()),
            Key::Escape => {
                self.mode = Mode::Keys;
                text.clear();
            }
            Key::Enter => self.mode = Mode::Keys,
            _ => {}
        }
        self.set_filter(text);
    }

    fn set_filter(&mut self, text: String) {
        self.all.filter(&text);
        for worker in self.workers.values_mut() {
            worker.pane.filter(&text);
        }
        self.filter = text;
    }

    fn go_to_failure(&mut self, forward: bool) {
        let height = self.height;
        self.pane_mut().go_to_failure(forward, height);
    }

    /// Whether failed tests can be run again.
    pub(super) fn can_rerun(&self) -> bool {
        self.offers_rerun
            && self.ended.is_some()
            && self.stop_requests == 0
            && self.counts.has_failures()
    }

    fn leave(&mut self) -> KeyAction {
        if self.ended.is_some() {
            return KeyAction::Leave;
        }
        self.stop_requests += 1;
        KeyAction::Stop
    }

    fn select(&mut self, worker: Option<u64>) {
        if worker.is_none_or(|worker| self.workers.contains_key(&worker)) {
            self.selected = worker;
            self.user_selected = true;
        }
    }

    /// Selects the tab `by` places further; the tab of all workers is before the first.
    fn next(&mut self, by: isize) {
        let tabs: Vec<Option<u64>> = [None]
            .into_iter()
            .chain(self.workers.keys().copied().map(Some))
            .collect();
        let now = tabs.iter().position(|tab| *tab == self.selected);
        let next = now.unwrap_or(0).saturating_add_signed(by);
        self.select(tabs[next.min(tabs.len() - 1)]);
    }

    fn scroll(&mut self, by: isize) {
        let height = self.height;
        self.pane_mut().scroll(by, height);
    }

    pub(super) fn pane(&self) -> &Pane {
        self.selected
            .and_then(|worker| self.workers.get(&worker))
            .map_or(&self.all, |worker| &worker.pane)
    }

    fn pane_mut(&mut self) -> &mut Pane {
        let worker = self
            .selected
            .and_then(|worker| self.workers.get_mut(&worker));
        worker.map_or(&mut self.all, |worker| &mut worker.pane)
    }

    /// Fits the panes to the screen.
    pub(super) fn resize(&mut self, width: usize, height: usize) {
        self.height = height;
        if width == self.width {
            return;
        }
        self.width = width;
        self.all.resize(width);
        for worker in self.workers.values_mut() {
            worker.pane.resize(width);
        }
    }

    /// The number of running tests.
    pub(super) fn running(&self) -> usize {
        let workers = self.workers.values();
        workers.filter(|worker| worker.now.is_some()).count()
    }
}

/// The number of a worker before its lines.
fn prefix(worker: u64) -> String {
    format!("[{worker}] ")
}
