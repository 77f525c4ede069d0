//! [`run_events`]: the events of a run of which only `run.json` exists, such as one that the rspec-agents gem wrote.

use std::io;

use indexmap::IndexMap;
use serde_json::Value;

use crate::event::{
    AgentResponse, EvaluationRecorded, Event, ExampleFailed, ExamplePassed, ExamplePending,
    ExampleStarted, SimulationEnded, SimulationStarted, SuiteStarted, SuiteStopped, ToolCall,
    TopicChanged, UserMessage,
};
use crate::examples::{ExampleSource, Run};
use crate::json::Json;
use crate::metadata::Metadata;
use crate::model::{
    ConversationData, EvaluationData, ExampleData, RunData, ScenarioData, Status, ToolCallData,
    TurnData,
};
use crate::time::Time;

/// Events from which the same run can be built again, one example after the other. What no event can carry, such as fields
/// of other programs, is lost.
pub fn run_events(run: RunData) -> Vec<Event> {
    let mut events = vec![start_event(&run)];
    let end = end_of_run(&run);
    for example in run.examples.into_values() {
        example_events(*example, &run.scenarios, &mut events);
    }
    events.extend(end);
    events
}

/// Passes the same events on without keeping them: the run may be larger than the memory.
pub fn for_each_run_event(
    run: &Run,
    emit: &mut dyn FnMut(Event) -> io::Result<()>,
) -> io::Result<()> {
    emit(start_event(run))?;
    for example in run.each_example() {
        let mut events = Vec::new();
        example_events(example?.into_owned(), &run.scenarios, &mut events);
        events.into_iter().try_for_each(&mut *emit)?;
    }
    end_of_run(run).map_or(Ok(()), emit)
}

fn start_event<E: ExampleSource + ?Sized>(run: &RunData<E>) -> Event {
    SuiteStarted {
        seed: run.seed.clone(),
        run_id: Some(run.run_id.clone()),
        git_commit: run.git_commit.clone(),
        metadata: run.metadata.clone(),
        ..SuiteStarted::at(run.started_at, run.examples.count() as u64)
    }
    .into()
}

fn end_of_run<E: ?Sized>(run: &RunData<E>) -> Option<Event> {
    run.finished_at.map(|time| SuiteStopped { time }.into())
}

fn example_events(
    mut example: ExampleData,
    scenarios: &IndexMap<String, ScenarioData>,
    events: &mut Vec<Event>,
) {
    let scenario_id = example.scenario_id.as_ref();
    let scenario = scenario_id.and_then(|id| Some(scenarios.get(id)?.data.clone()));
    let conversation = example.conversation.take();
    let evaluations = std::mem::take(&mut example.evaluations);
    let metadata = std::mem::take(&mut example.metadata);
    events.push(started(&example, scenario, metadata).into());
    let recorded = conversation.as_ref();
    let simulation = recorded.and_then(|all| simulation(all, &example));
    let (simulation_start, simulation_end) = simulation.unzip();
    events.extend(simulation_start);
    let mut topic = None;
    for turn in conversation.into_iter().flat_map(|all| all.turns) {
        turn_events(turn, &example, &mut topic, events);
    }
    events.extend(simulation_end.flatten());
    let evaluations = evaluations.into_iter();
    events.extend(evaluations.map(|evaluation| evaluation_event(evaluation, &example.id)));
    events.extend(end_event(example));
}

fn started(example: &ExampleData, scenario: Option<Json>, metadata: Metadata) -> ExampleStarted {
    ExampleStarted {
        time: example.started_at,
        example_id: example.id.clone(),
        stable_id: example.stable_id.clone(),
        canonical_path: example.canonical_path.clone(),
        description: example.description.clone(),
        full_description: full_description(example),
        location: example.location.clone(),
        scenario,
        position: None,
        metadata,
    }
}

fn full_description(example: &ExampleData) -> String {
    let full = &example.full_description;
    full.as_ref().unwrap_or(&example.description).clone()
}

/// The start and, if it was recorded, the end of a simulation.
fn simulation(
    conversation: &ConversationData,
    example: &ExampleData,
) -> Option<(Event, Option<Event>)> {
    let get = |path| conversation.metadata.dig(path);
    let started = SimulationStarted {
        time: conversation.started_at,
        example_id: example.id.clone(),
        goal: get("simulation.goal")?.as_str()?.to_owned(),
        max_turns: get("simulation.max_turns")?.as_u64()?,
    };
    let reason = get("simulation.termination_reason").and_then(Value::as_str);
    let ended = reason.map(|reason| SimulationEnded {
        time: conversation.ended_at.unwrap_or(conversation.started_at),
        example_id: example.id.clone(),
        turn_count: get("simulation.turn_count")
            .and_then(Value::as_u64)
            .unwrap_or_default(),
        termination_reason: reason.to_owned(),
    });
    Some((started.into(), ended.map(Into::into)))
}

fn turn_events(
    turn: TurnData,
    example: &ExampleData,
    topic: &mut Option<String>,
    events: &mut Vec<Event>,
) {
    let turn_number = turn.number;
    let example_id = || example.id.clone();
    let mut time = example.started_at;
    if let Some(message) = turn.user_message {
        time = message.timestamp;
        let message = UserMessage {
            time,
            example_id: example_id(),
            turn_number,
            text: message.content,
            source: message.source,
            metadata: message.metadata,
        };
        events.push(message.into());
    }
    if let Some(response) = turn.agent_response {
        time = response.timestamp;
        let response = AgentResponse {
            time,
            example_id: example_id(),
            turn_number,
            text: response.content,
            tool_calls: turn.tool_calls.into_iter().map(tool_call).collect(),
            metadata: response.metadata,
        };
        events.push(response.into());
    }
    if turn.topic.is_some() && turn.topic != *topic {
        let from_topic = std::mem::replace(topic, turn.topic);
        let changed = TopicChanged {
            time,
            example_id: example_id(),
            turn_number,
            from_topic,
            to_topic: topic.clone().unwrap_or_default(),
            trigger: None,
        };
        events.push(changed.into());
    }
}

fn tool_call(call: ToolCallData) -> ToolCall {
    ToolCall {
        name: call.name,
        arguments: call.arguments,
        result: call.result,
        error: call.error,
        metadata: call.metadata,
    }
}

fn evaluation_event(evaluation: EvaluationData, example_id: &str) -> Event {
    EvaluationRecorded {
        time: evaluation.timestamp,
        example_id: example_id.to_owned(),
        turn_number: evaluation.turn_number,
        mode: evaluation.mode,
        r#type: evaluation.r#type,
        name: Some(evaluation.name),
        description: evaluation.description,
        passed: evaluation.passed,
        reasoning: evaluation.reasoning,
        failure_message: evaluation.failure_message,
        metadata: evaluation.metadata,
    }
    .into()
}

/// `None` for an example that was still running.
fn end_event(example: ExampleData) -> Option<Event> {
    let full_description = full_description(&example);
    let time: Time = example.finished_at.unwrap_or(example.started_at);
    let millis = u64::try_from(example.duration_ms.unwrap_or_default()).unwrap_or_default();
    let duration = std::time::Duration::from_millis(millis).as_secs_f64();
    Some(match example.status {
        Status::Running => return None,
        Status::Passed => ExamplePassed {
            time,
            example_id: example.id,
            stable_id: example.stable_id,
            description: example.description,
            full_description,
            duration,
            metadata: Metadata::new(),
        }
        .into(),
        Status::Pending => ExamplePending {
            time,
            example_id: example.id,
            stable_id: example.stable_id,
            description: example.description,
            full_description,
            message: None,
            metadata: Metadata::new(),
        }
        .into(),
        Status::Failed => failed(example, time, full_description, duration).into(),
    })
}

fn failed(
    example: ExampleData,
    time: Time,
    full_description: String,
    duration: f64,
) -> ExampleFailed {
    let exception = example.exception;
    let location = exception.as_ref().and_then(|one| one.location.clone());
    ExampleFailed {
        time,
        example_id: example.id,
        stable_id: example.stable_id,
        description: example.description,
        full_description,
        location: location.unwrap_or(example.location),
        duration,
        message: exception.as_ref().and_then(|one| one.message.clone()),
        backtrace: exception.as_ref().map(|one| one.backtrace.clone()),
        exception_class: exception.and_then(|one| one.class_name),
        metadata: Metadata::new(),
    }
}
