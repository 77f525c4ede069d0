//! One row of the index: the fields of a test that lists, filters and charts need.
//!
//! Picks only small fields and does not read the outputs, which are most of a record.

use std::borrow::Cow;
use std::num::NonZeroUsize;

use casebook_record::model::{EvaluationData, TurnData};
use casebook_record::{ExampleData, Metadata, Repetitions, Run, Status};
use serde::Serialize;
use serde_json::{Value, json};

use crate::examples::{groups, groups_of, is_interrupted, reason, skip_reason, split_location};
use crate::flag;
use crate::terminal::repetitions_line;

/// Characters of a reason; the details contain the complete message.
const REASON: usize = 200;

/// Metadata fields that are copied into rows.
const FIELDS: [&str; 10] = [
    "attempts",
    "command.flaky",
    "file",
    "kind",
    "repetitions",
    "tags",
    "topics",
    "tracing",
    "trial",
    "worker",
];

/// One test.
#[derive(Default, Serialize)]
pub(super) struct Row<'r> {
    id: &'r str,
    /// The id in all runs, if it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    stable: Option<&'r str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    groups: Vec<&'r str>,
    name: Cow<'r, str>,
    outcome: &'static str,
    file: Cow<'r, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration: Option<i64>,
    /// Milliseconds after the start of the run.
    start: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    worker: Option<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<Cow<'r, str>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    flaky: bool,
    /// The number of earlier attempts.
    #[serde(skip_serializing_if = "Option::is_none")]
    attempts: Option<NonZeroUsize>,
    /// How often it was repeated, and how many repetitions passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    repetitions: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<&'r str>,
    /// Why it failed or was skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'r str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    criteria: Vec<Criterion<'r>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trial: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tracing: Option<Value>,
    /// The topics in the order they were visited.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    topics: Vec<&'r str>,
    #[serde(skip)]
    pub(super) topic_graph: Option<Value>,
}

/// Evaluations of one criterion: counts of passed, failed and inconclusive.
#[derive(Serialize)]
struct Criterion<'r>(Cow<'r, str>, u32, u32, u32);

impl<'r> Row<'r> {
    pub(super) fn of(run: &'r Run, example: &'r ExampleData) -> Row<'r> {
        let mut metadata = example.metadata.pick(&FIELDS);
        let (file, line) = split_location(&example.location);
        let exception = example.exception.as_ref();
        let is_failure = matches!(example.status, Status::Failed | Status::Running);
        let why = if is_failure { reason } else { skip_reason };
        let attempts = NonZeroUsize::new(list(&mut metadata, "attempts").len());
        let retried = attempts.is_some() && example.is_flaky();
        let of_command = metadata.get("command").is_some();
        Row {
            id: &example.id,
            stable: other_id(&example.id, example.stable_id.as_deref()),
            groups: groups(example)
                .map(|path| path.split("::").collect())
                .unwrap_or_default(),
            name: name(run, example),
            outcome: outcome(example),
            file: text(&mut metadata, "file").map_or(file.into(), Cow::Owned),
            line,
            duration: example.duration_ms,
            start: example.started_at.millis_since(run.started_at),
            kind: kind(&mut metadata, example),
            flaky: retried || flag(&metadata, "command.flaky"),
            attempts,
            repetitions: Repetitions::of(&metadata).map(repetitions_line),
            class: exception.and_then(|exception| exception.class_name.as_deref()),
            reason: why(example).map(|reason| prefix(reason, REASON)),
            criteria: criteria(example, of_command),
            tracing: metadata.remove("tracing").or_else(|| spent(example)),
            topics: visited(example),
            worker: metadata.remove("worker"),
            tags: list(&mut metadata, "tags")
                .into_iter()
                .filter_map(into_text)
                .collect(),
            trial: metadata.remove("trial"),
            topic_graph: metadata.remove("topics").filter(Value::is_object),
        }
    }
}

impl<'r> Row<'r> {
    /// A test of a run in progress.
    pub(super) fn of_live(run: &'r Run, example: &'r ExampleData) -> Row<'r> {
        let mut row = Row::of(run, example);
        row.topic_graph = None;
        if example.status == Status::Running {
            row.outcome = "running";
        }
        row
    }

    /// A planned test that was not run, as the run's metadata describes it.
    pub(super) fn not_run(planned: &'r Value) -> Option<Row<'r>> {
        let text = |key| planned.get(key).and_then(Value::as_str);
        let id = text("id")?;
        let name = text("description").unwrap_or_default();
        let (file, line) = split_location(text("location").unwrap_or_default());
        let groups = text("canonical_path").and_then(|path| groups_of(path, name));
        Some(Row {
            id,
            stable: other_id(id, text("stable_id")),
            groups: groups
                .map(|path| path.split("::").collect())
                .unwrap_or_default(),
            name: name.into(),
            outcome: "not-run",
            file: file.into(),
            line,
            ..Row::default()
        })
    }
}

fn other_id<'r>(id: &str, stable_id: Option<&'r str>) -> Option<&'r str> {
    stable_id.filter(|stable| *stable != id)
}

fn outcome(example: &ExampleData) -> &'static str {
    match example.status {
        Status::Running => "interrupted",
        Status::Failed if is_interrupted(example) => "interrupted",
        Status::Pending => "skipped",
        Status::Passed => "passed",
        Status::Failed => "failed",
    }
}

fn into_text(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

fn text(metadata: &mut Metadata, key: &str) -> Option<String> {
    metadata.remove(key).and_then(into_text)
}

fn list(metadata: &mut Metadata, key: &str) -> Vec<Value> {
    match metadata.remove(key) {
        Some(Value::Array(items)) => items,
        _ => Vec::new(),
    }
}

/// The test's name without its groups.
fn name<'r>(run: &'r Run, example: &'r ExampleData) -> Cow<'r, str> {
    let name = match &example.canonical_path {
        Some(_) if !example.description.is_empty() => &example.description,
        _ => example.title(),
    };
    let scenario = example
        .scenario_id
        .as_ref()
        .and_then(|id| run.scenarios.get(id)?.name.as_deref());
    match scenario.filter(|scenario| !name.contains(scenario)) {
        Some(scenario) => format!("{name} [{scenario}]").into(),
        None => name.into(),
    }
}

fn kind<'r>(metadata: &mut Metadata, example: &'r ExampleData) -> Option<Cow<'r, str>> {
    if let Some(kind) = text(metadata, "kind") {
        return Some(Cow::Owned(kind));
    }
    match metadata.get("command") {
        Some(_) => Some("command".into()),
        None if example.transcript().is_some() => Some("conversation".into()),
        None => None,
    }
}

/// Counts the evaluations by criterion, in the order of their first evaluation.
fn criteria(example: &ExampleData, of_command: bool) -> Vec<Criterion<'_>> {
    let mut criteria: Vec<Criterion> = Vec::new();
    for evaluation in &example.evaluations {
        let mut metadata = evaluation.metadata.pick(&["criterion", "verdict"]);
        let name = criterion(evaluation, &mut metadata, of_command);
        let index = criteria.iter().position(|one| one.0 == name);
        let index = index.unwrap_or_else(|| {
            criteria.push(Criterion(name, 0, 0, 0));
            criteria.len() - 1
        });
        let Criterion(_, passed, failed, inconclusive) = &mut criteria[index];
        *match evaluation.passed {
            true => passed,
            false if metadata.get("verdict") == Some(&"inconclusive".into()) => inconclusive,
            false => failed,
        } += 1;
    }
    criteria
}

/// The name to count by. Names of a command's assertions quote the output, so their kind is used instead.
fn criterion<'r>(
    evaluation: &'r EvaluationData,
    metadata: &mut Metadata,
    of_command: bool,
) -> Cow<'r, str> {
    let kind = evaluation.r#type.as_deref().filter(|_| of_command);
    match text(metadata, "criterion") {
        Some(named) => Cow::Owned(named),
        None => kind.unwrap_or(&evaluation.name).into(),
    }
}

/// Tokens and cost summed over the agent's responses, for examples without totals.
fn spent(example: &ExampleData) -> Option<Value> {
    let turns = &example.transcript()?.turns;
    let answers = turns.iter().filter_map(|turn| turn.agent_response.as_ref());
    let tracings: Vec<_> = answers
        .filter_map(|answer| answer.metadata.pick(&["tracing"]).remove("tracing"))
        .collect();
    let sum = |pointer| {
        let numbers = tracings
            .iter()
            .filter_map(|tracing| tracing.pointer(pointer)?.as_f64());
        numbers.sum::<f64>()
    };
    (!tracings.is_empty()).then(|| {
        json!({
            "calls": tracings.len(),
            "tokens": {"input": sum("/tokens/input"), "output": sum("/tokens/output")},
            "latency_ms": sum("/latency_ms"),
            "cost": sum("/cost"),
        })
    })
}

fn visited(example: &ExampleData) -> Vec<&str> {
    let turns = example
        .conversation
        .iter()
        .flat_map(|conversation| &conversation.turns);
    let mut topics: Vec<_> = turns
        .flat_map(|turn| changed_from(turn).chain(turn.topic.as_deref()))
        .collect();
    topics.dedup();
    topics
}

/// The topics before the changes during the turn.
fn changed_from(turn: &TurnData) -> impl Iterator<Item = &str> {
    let changes = turn.metadata.get("topic_changes").and_then(Value::as_array);
    changes
        .into_iter()
        .flatten()
        .filter_map(|change| change.get("from")?.as_str())
}

fn prefix(text: &str, characters: usize) -> &str {
    let end = text.char_indices().nth(characters);
    end.map_or(text, |(end, _)| &text[..end])
}
