//! The builder: events in, run data out.
//!
//! It listens to whatever bus it is given, in one process or in the controller of many. Events of different
//! examples may interleave in any way; what comes out is the same.

use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use indexmap::IndexMap;
use serde_json::Value;

use crate::SCHEMA_VERSION;
use crate::bus::{ListenerError, Witness};
use crate::event::{Event, IMPLICIT, SuiteStarted};
use crate::extra::Extra;
use crate::json::Json;
use crate::lock::lock;
use crate::metadata::Metadata;
use crate::model::{ExampleData, RunData, ScenarioData};
use crate::spool::Spool;
use crate::stable_id::scenario_id;
use crate::time::Time;

mod example;

use example::Example;

/// Builds a [`RunData`] from events.
///
/// Clones share one run: one clone listens on the bus, another takes the result.
///
/// ```
/// use casebook_record::{RunBuilder, Status, decode};
///
/// let builder = RunBuilder::new("fallback-id");
/// for line in [
///     r#"{"event_type":"ExampleStarted","payload":{"time":"2026-11-15T08:40:51Z","example_id":"1",
///         "description":"adds","full_description":"Sum adds","location":"spec/sum_spec.rb:3"}}"#,
///     r#"{"event_type":"ExamplePassed","payload":{"time":"2026-11-15T08:40:52Z","example_id":"1",
///         "description":"adds","full_description":"Sum adds","duration":0.75}}"#,
/// ] {
///     builder.apply(decode(line)?);
/// }
/// let run = builder.close().expect("there were events");
/// assert_eq!(run.examples["1"].status, Status::Passed);
/// assert_eq!(run.examples["1"].duration_ms, Some(750));
/// assert_eq!(run.examples["1"].file, "spec/sum_spec.rb");
/// # Ok::<(), casebook_record::DecodeError>(())
/// ```
#[derive(Clone)]
pub struct RunBuilder {
    state: Arc<Mutex<State>>,
    /// Where the examples that have ended are, rather than in memory.
    spool: Arc<OnceLock<Arc<Spool>>>,
}

struct State {
    /// For a run that no event names.
    fallback_id: String,
    /// The first `SuiteStarted`, with what later ones added.
    suite: Option<SuiteStarted>,
    /// With the place of the first example that is driven by it, so that they come out in the planned order.
    scenarios: IndexMap<String, (u64, ScenarioData)>,
    /// Each with a lock of its own: what one comes to is put down while others go on.
    examples: Examples,
    first_time: Option<Time>,
    last_time: Option<Time>,
    stopped: Option<Time>,
    ignored: u64,
}

impl RunBuilder {
    /// A builder without events; `fallback_id` names the run if no event does.
    pub fn new(fallback_id: impl Into<String>) -> RunBuilder {
        RunBuilder {
            state: Arc::new(Mutex::new(State::new(fallback_id.into()))),
            spool: Arc::default(),
        }
    }

    /// Puts examples down on the disk of that folder once they have ended, for a run that lasts: that takes less memory,
    /// and is work that the end of the run need not wait for. Where the disk refuses, they stay in memory.
    pub(crate) fn spool_within(&self, folder: &Path) {
        if let Ok(spool) = Spool::within(folder) {
            let _ = self.spool.set(Arc::new(spool));
        }
    }

    /// Takes one event.
    pub fn apply(&self, event: Event) {
        let Some((example, event)) = lock(&self.state).apply(event) else {
            return;
        };
        if !self.put_down(&mut lock(&example), event) {
            lock(&self.state).ignored += 1;
        }
    }

    /// Whether the event still counts.
    fn put_down(&self, example: &mut Example, event: Event) -> bool {
        let counts = example.apply(event);
        if let Some(spool) = self.spool.get().filter(|_| counts) {
            example.seal(spool);
        }
        counts
    }

    /// The run as it stands, examples still running included; `None` before the first event.
    pub fn snapshot(&self) -> Option<RunData> {
        let state = lock(&self.state);
        let examples = in_order(state.examples.clone());
        let examples = examples.map(|(id, example)| (id, lock(&example).clone().into_data()));
        state.run_data(state.scenarios.clone(), examples.collect())
    }

    /// The run as if there were only this example; `None` before its first event.
    pub fn example(&self, id: &str) -> Option<RunData> {
        let state = lock(&self.state);
        let example = lock(state.examples.get(id)?).clone().into_data();
        let scenario = example.scenario_id.as_ref();
        let scenario = scenario.and_then(|id| state.scenarios.get_key_value(id));
        let scenarios = scenario.map(|(id, scenario)| (id.clone(), scenario.clone()));
        let examples = IndexMap::from([(id.to_owned(), example)]);
        state.run_data(scenarios.into_iter().collect(), examples)
    }

    /// Ends the run and hands it over: examples still running are failed as interrupted. The builder is empty
    /// afterwards; `None` when there was no event.
    pub fn close(&self) -> Option<RunData> {
        let mut state = lock(&self.state);
        let end = state.last_time;
        if end.is_some() {
            state.stopped = state.stopped.max(end);
        }
        // One after the other: a run has very many of them, and twice as many would be in memory at once.
        let examples = in_order(std::mem::take(&mut state.examples));
        let examples = examples.map(|(id, example)| {
            let mut example = owned(example);
            if let Some(end) = end {
                example.interrupt(end, "the run ended before this example did");
            }
            (id, example.into_data())
        });
        let scenarios = std::mem::take(&mut state.scenarios);
        let run = state.run_data(scenarios, examples.collect());
        *state = State::new(std::mem::take(&mut state.fallback_id));
        run
    }

    /// How many examples were planned, when fewer have come and nobody said that the run has stopped.
    pub fn cut_short(&self) -> Option<u64> {
        let state = lock(&self.state);
        let planned = state.suite.as_ref()?.example_count;
        (state.stopped.is_none() && planned > state.examples.len() as u64).then_some(planned)
    }

    /// How many events came for examples that had ended already, and were ignored.
    pub fn ignored(&self) -> u64 {
        lock(&self.state).ignored
    }
}

impl Witness for RunBuilder {
    fn name(&self) -> &'static str {
        "run data"
    }

    fn on_event(&self, event: &Event) -> Result<(), ListenerError> {
        self.apply(event.clone());
        Ok(())
    }

    fn keep_events(&self, events: Vec<Event>) -> Result<(), ListenerError> {
        events.into_iter().for_each(|event| self.apply(event));
        Ok(())
    }
}

impl State {
    fn new(fallback_id: String) -> State {
        State {
            fallback_id,
            suite: None,
            scenarios: IndexMap::new(),
            examples: IndexMap::new(),
            first_time: None,
            last_time: None,
            stopped: None,
            ignored: 0,
        }
    }

    /// Takes an event, unless it is for one of the examples.
    fn apply(&mut self, event: Event) -> Option<(Arc<Mutex<Example>>, Event)> {
        let time = event.time();
        self.first_time = Some(self.first_time.map_or(time, |first| first.min(time)));
        self.last_time = self.last_time.max(Some(time));
        match event {
            Event::SuiteStarted(event) => self.suite_started(event),
            Event::SuiteStopped(event) => self.stopped = self.stopped.max(Some(event.time)),
            // Counts are computed, and groups live on in the canonical paths.
            Event::SuiteSummary(_) | Event::GroupStarted(_) | Event::GroupFinished(_) => {}
            Event::ExampleStarted(mut event) => {
                let earlier = self.examples.get(&event.example_id).cloned();
                let known = earlier
                    .as_deref()
                    .and_then(|example| lock(example).position);
                let place = place(event.position.or(known));
                let scenario = event
                    .scenario
                    .take()
                    .map(|scenario| self.register(scenario, place));
                if let Some(example) = earlier {
                    lock(&example).start_again(event, scenario);
                } else {
                    let id = event.example_id.clone();
                    let example = Example::start(event, scenario);
                    self.examples.insert(id, Arc::new(Mutex::new(example)));
                }
            }
            event => return Some((self.example(&event)?, event)),
        }
        None
    }

    /// The first one makes the run; those of other workers add what it left open.
    fn suite_started(&mut self, mut event: SuiteStarted) {
        let Some(suite) = &mut self.suite else {
            self.suite = Some(event);
            return;
        };
        if suite.is_implicit() {
            event.run_id = event.run_id.or(suite.run_id.take());
            event.git_commit = event.git_commit.or(suite.git_commit.take());
            *suite = event;
            return;
        }
        suite.seed = suite.seed.take().or(event.seed);
        suite.run_id = suite.run_id.take().or(event.run_id);
        suite.git_commit = suite.git_commit.take().or(event.git_commit);
        suite.load_time = suite.load_time.or(event.load_time);
        suite.example_count = suite.example_count.max(event.example_count);
        let mut metadata = event.metadata;
        metadata.merge(std::mem::take(&mut suite.metadata));
        suite.metadata = metadata;
    }

    /// The example that an event belongs to.
    fn example(&mut self, event: &Event) -> Option<Arc<Mutex<Example>>> {
        let id = event.example_id()?;
        if let Some(example) = self.examples.get(id) {
            return Some(Arc::clone(example));
        }
        let example = Arc::new(Mutex::new(Example::unannounced(id, event.time())));
        self.examples.insert(id.to_owned(), Arc::clone(&example));
        Some(example)
    }

    /// Of several that go by one id, the one of the first example in the planned order counts.
    fn register(&mut self, scenario: Json, place: u64) -> String {
        let id = scenario_id(&scenario);
        let known = self.scenarios.get(&id);
        if known.is_none_or(|(first, _)| place < *first) {
            let data = scenario_data(id.clone(), scenario);
            // Taken out first: with others of the same example it stands in the order of that example's events.
            self.scenarios.shift_remove(&id);
            self.scenarios.insert(id.clone(), (place, data));
        }
        id
    }

    fn run_data(
        &self,
        mut scenarios: IndexMap<String, (u64, ScenarioData)>,
        examples: IndexMap<String, Box<ExampleData>>,
    ) -> Option<RunData> {
        scenarios.sort_by_key(|_, (place, _)| *place);
        let suite = self.suite.as_ref();
        Some(RunData {
            schema_version: Some(SCHEMA_VERSION.into()),
            run_id: suite
                .and_then(|suite| suite.run_id.clone())
                .unwrap_or_else(|| self.fallback_id.clone()),
            started_at: suite.map(|suite| suite.time).or(self.first_time)?,
            finished_at: self.stopped,
            seed: suite.and_then(|suite| suite.seed.clone()),
            git_commit: suite.and_then(|suite| suite.git_commit.clone()),
            metadata: suite.map_or_else(Metadata::new, run_metadata),
            scenarios: scenarios
                .into_iter()
                .map(|(id, (_, scenario))| (id, scenario))
                .collect(),
            examples,
            extra: Extra::default(),
        })
    }
}

type Examples = IndexMap<String, Arc<Mutex<Example>>>;

/// In the planned order. Those without a place keep the order of arrival, after those that have one.
fn in_order(mut examples: Examples) -> impl Iterator<Item = (String, Arc<Mutex<Example>>)> {
    examples.sort_by_key(|_, example| place(lock(example).position));
    examples.into_iter()
}

/// The example itself; a copy while an event that comes too late is being put down.
fn owned(example: Arc<Mutex<Example>>) -> Example {
    match Arc::try_unwrap(example) {
        Ok(example) => example.into_inner().unwrap_or_else(PoisonError::into_inner),
        Err(shared) => lock(&shared).clone(),
    }
}

/// Where an example stands in the planned order; one that was not planned comes last.
fn place(position: Option<u64>) -> u64 {
    position.unwrap_or(u64::MAX)
}

/// What the start of the run says beyond the fields that run data has for it.
fn run_metadata(suite: &SuiteStarted) -> Metadata {
    let mut metadata = Metadata::new();
    if suite.example_count > 0 {
        metadata.set("example_count", suite.example_count);
    }
    if let Some(load_time) = suite.load_time {
        metadata.set("load_time", load_time);
    }
    metadata.merge(suite.metadata.clone());
    metadata.remove(IMPLICIT);
    metadata
}

fn scenario_data(id: String, scenario: Json) -> ScenarioData {
    let field = |key| scenario.get(key).filter(|value: &&Value| !value.is_null());
    let text = |key| {
        field(key).map(|value| {
            value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned)
        })
    };
    ScenarioData {
        name: text("name").or_else(|| text("id")),
        goal: text("goal"),
        personality: field("personality").cloned().map(Json::from),
        context: field("context").cloned().map(Json::from),
        verification: field("verification").cloned().map(Json::from),
        id,
        data: scenario,
        extra: Extra::default(),
    }
}
