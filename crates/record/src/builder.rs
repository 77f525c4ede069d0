//! The builder: events in, run data out.
//!
//! It is subscribed to a bus, in a single process or in the controller of several workers. Events of different
//! examples may interleave in any order; the resulting run data is the same.

use std::sync::Arc;

use indexmap::IndexMap;
use indexmap::map::Entry;
use parking_lot::Mutex;
use serde_json::Value;

use crate::SCHEMA_VERSION;
use crate::bus::{InlineListener, ListenerError};
use crate::event::{Event, ExampleStarted, IMPLICIT, PLANNED, SuiteStarted};
use crate::extra::UnknownFields;
use crate::json::Json;
use crate::metadata::Metadata;
use crate::model::{ExampleData, NOT_RUN, RunData, ScenarioData};
use crate::stable_id::scenario_id;
use crate::time::Time;

mod example;

use example::ExampleBuilder;

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
}

struct State {
    /// The id of a run without an id in its events.
    fallback_id: String,
    /// The first `SuiteStarted`, completed by later ones.
    suite: Option<SuiteStarted>,
    /// The planned examples by id, as the start events describe them.
    planned: IndexMap<String, Value>,
    /// With the position of the first example that uses the scenario, so that scenarios are in the planned order.
    scenarios: IndexMap<String, (u64, ScenarioData)>,
    examples: IndexMap<String, ExampleBuilder>,
    /// The earliest time of all events: those of another process, or after the clock was set back, may be earlier than
    /// the start event.
    first_time: Option<Time>,
    last_time: Option<Time>,
    stopped: Option<Time>,
    ignored: u64,
}

impl RunBuilder {
    /// A builder without events; `fallback_id` is the id of a run whose events contain none.
    pub fn new(fallback_id: impl Into<String>) -> RunBuilder {
        RunBuilder {
            state: Arc::new(Mutex::new(State::new(fallback_id.into()))),
        }
    }

    /// Applies one event.
    pub fn apply(&self, event: Event) {
        self.state.lock().apply(event);
    }

    /// Applies to the run what an event of an example contains about it, and nothing to the example, which is built
    /// separately.
    /// `position` is the planned position of the example.
    pub(crate) fn apply_to_run(&self, event: &Event, position: Option<u64>) {
        let mut state = self.state.lock();
        state.note_time(event.time());
        if let Event::ExampleStarted(event) = event
            && let Some(scenario) = &event.scenario
        {
            state.register_scenario(scenario.clone(), sort_position(position));
        }
    }

    /// Marks planned examples as run that were not applied to this builder.
    pub(crate) fn forget_planned(&self, was_run: impl Fn(&str) -> bool) {
        self.state.lock().planned.retain(|id, _| !was_run(id));
    }

    /// The current state of the run, including examples still running; `None` before the first event.
    pub fn snapshot(&self) -> Option<RunData> {
        let state = self.state.lock();
        let examples = in_order(state.examples.clone());
        let examples = examples.map(|(id, example)| (id, example.into_data()));
        let run = state.run_data(state.scenarios.clone(), examples.collect())?;
        Some(with_not_run(run, state.planned.clone()))
    }

    /// The run without examples; its metadata contains the planned ones, except these.
    pub(crate) fn head(&self, is_started: impl Fn(&str) -> bool) -> Option<RunData> {
        let state = self.state.lock();
        let run = state.run_data(state.scenarios.clone(), IndexMap::new())?;
        let mut planned = state.planned.clone();
        planned.retain(|id, _| !is_started(id));
        Some(with_not_run(run, planned))
    }

    /// The run reduced to this example; `None` before the example's first event.
    pub fn example(&self, id: &str) -> Option<RunData> {
        let example = self.state.lock().examples.get(id)?.clone();
        self.run_of(example.into_data())
    }

    /// The run with only this example.
    pub(crate) fn run_of(&self, example: Box<ExampleData>) -> Option<RunData> {
        let state = self.state.lock();
        let scenario = example.scenario_id.as_ref();
        let scenario = scenario.and_then(|id| state.scenarios.get_key_value(id));
        let scenarios = scenario.map(|(id, scenario)| (id.clone(), scenario.clone()));
        let examples = IndexMap::from([(example.id.clone(), example)]);
        state.run_data(scenarios.into_iter().collect(), examples)
    }

    /// Ends the run and returns it. Examples still running are marked as failed (interrupted). The builder is empty
    /// afterwards. `None` without events.
    pub fn close(&self) -> Option<RunData> {
        let mut state = self.state.lock();
        let end = state.last_time;
        if end.is_some() {
            state.stopped = state.stopped.max(end);
        }
        // Converted one by one: a run has very many examples, and both forms of all of them would need twice the
        // memory.
        let examples = in_order(std::mem::take(&mut state.examples));
        let examples = examples.map(|(id, mut example)| {
            if let Some(end) = end {
                example.interrupt(end, "the run ended before it finished");
            }
            (id, example.into_data())
        });
        let scenarios = std::mem::take(&mut state.scenarios);
        let planned = std::mem::take(&mut state.planned);
        let run = state.run_data(scenarios, examples.collect());
        let run = run.map(|run| with_not_run(run, planned));
        *state = State::new(std::mem::take(&mut state.fallback_id));
        run
    }

    /// The number of planned examples, if fewer were reported and no event ended the run.
    pub(crate) fn planned_if_incomplete(&self, reported: usize) -> Option<u64> {
        let state = self.state.lock();
        let planned = state.suite.as_ref()?.example_count;
        (state.stopped.is_none() && planned > reported as u64).then_some(planned)
    }

    /// How many events were ignored because their example had already ended.
    pub fn late_event_count(&self) -> u64 {
        self.state.lock().ignored
    }
}

impl InlineListener for RunBuilder {
    fn name(&self) -> &'static str {
        "run data"
    }

    fn on_event(&self, event: &Event) -> Result<(), ListenerError> {
        self.apply(event.clone());
        Ok(())
    }
}

impl State {
    fn new(fallback_id: String) -> State {
        State {
            fallback_id,
            suite: None,
            planned: IndexMap::new(),
            scenarios: IndexMap::new(),
            examples: IndexMap::new(),
            first_time: None,
            last_time: None,
            stopped: None,
            ignored: 0,
        }
    }

    fn apply(&mut self, event: Event) {
        self.note_time(event.time());
        match event {
            Event::SuiteStarted(event) => self.suite_started(event),
            Event::SuiteStopped(event) => self.stopped = self.stopped.max(Some(event.time)),
            // Run data computes its own counts, and the canonical paths contain the groups.
            Event::SuiteSummary(_) | Event::GroupStarted(_) | Event::GroupFinished(_) => {}
            Event::ExampleStarted(event) => self.example_started(event),
            event => self.example_event(event),
        }
    }

    fn note_time(&mut self, time: Time) {
        self.first_time = Some(self.first_time.map_or(time, |first| first.min(time)));
        self.last_time = self.last_time.max(Some(time));
    }

    /// A second start of an example is a retry.
    fn example_started(&mut self, mut event: ExampleStarted) {
        let earlier = self.examples.get(&event.example_id);
        let position = sort_position(
            event
                .position
                .or(earlier.and_then(|example| example.position)),
        );
        let scenario = event.scenario.take();
        let scenario = scenario.map(|scenario| self.register_scenario(scenario, position));
        match self.examples.entry(event.example_id.clone()) {
            Entry::Occupied(example) => example.into_mut().start_retry(event, scenario),
            Entry::Vacant(entry) => {
                entry.insert(ExampleBuilder::start(event, scenario));
            }
        }
    }

    fn example_event(&mut self, event: Event) {
        let Some(id) = event.example_id() else {
            return;
        };
        if !self.examples.contains_key(id) {
            let example = ExampleBuilder::without_start(id, event.time());
            self.examples.insert(id.to_owned(), example);
        }
        let example = self.examples.get_mut(id);
        if example.is_some_and(|example| !example.apply(event)) {
            self.ignored += 1;
        }
    }

    /// The first one starts the run; later ones, from other workers, only set missing fields.
    fn suite_started(&mut self, mut event: SuiteStarted) {
        if let Some(Value::Array(planned)) = event.metadata.remove(PLANNED) {
            let by_id = |example: Value| Some((example["id"].as_str()?.to_owned(), example));
            self.planned.extend(planned.into_iter().filter_map(by_id));
        }
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

    /// If scenarios share an id, the one of the first example in the planned order is used.
    fn register_scenario(&mut self, scenario: Json, position: u64) -> String {
        let id = scenario_id(&scenario);
        let existing = self.scenarios.get(&id);
        if existing.is_none_or(|(first, _)| position < *first) {
            let data = scenario_data(id.clone(), scenario);
            // Removed first, so that the scenarios of one example are in the order of its events.
            self.scenarios.shift_remove(&id);
            self.scenarios.insert(id.clone(), (position, data));
        }
        id
    }

    fn run_data(
        &self,
        mut scenarios: IndexMap<String, (u64, ScenarioData)>,
        examples: IndexMap<String, Box<ExampleData>>,
    ) -> Option<RunData> {
        scenarios.sort_by_key(|_, (position, _)| *position);
        let suite = self.suite.as_ref();
        Some(RunData {
            schema_version: Some(SCHEMA_VERSION.into()),
            run_id: suite
                .and_then(|suite| suite.run_id.clone())
                .unwrap_or_else(|| self.fallback_id.clone()),
            started_at: self.first_time?,
            finished_at: self.stopped,
            seed: suite.and_then(|suite| suite.seed.clone()),
            git_commit: suite.and_then(|suite| suite.git_commit.clone()),
            metadata: suite.map_or_else(Metadata::new, run_metadata),
            scenarios: scenarios
                .into_iter()
                .map(|(id, (_, scenario))| (id, scenario))
                .collect(),
            examples,
            extra: UnknownFields::default(),
        })
    }
}

/// Sorts by planned position. Examples without a position come last, in order of arrival.
fn in_order(
    mut examples: IndexMap<String, ExampleBuilder>,
) -> impl Iterator<Item = (String, ExampleBuilder)> {
    examples.sort_by_key(|_, example| sort_position(example.position));
    examples.into_iter()
}

/// The sort key of a planned position. Examples that were not planned come last.
pub(crate) fn sort_position(position: Option<u64>) -> u64 {
    position.unwrap_or(u64::MAX)
}

/// Adds the planned examples without events to the run's metadata.
fn with_not_run(mut run: RunData, planned: IndexMap<String, Value>) -> RunData {
    let not_run: Vec<Value> = planned
        .into_iter()
        .filter(|(id, _)| !run.examples.contains_key(id))
        .map(|(_, example)| example)
        .collect();
    if !not_run.is_empty() {
        run.metadata.set(NOT_RUN, not_run);
    }
    run
}

/// The fields of the start event that run data has no own field for.
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
        extra: UnknownFields::default(),
    }
}
