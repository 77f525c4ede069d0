//! What the page knows of every test before any is opened: one small row each.

use std::borrow::Cow;
use std::collections::HashMap;
use std::num::NonZeroUsize;

use casebook_record::model::{EvaluationData, ScenarioData};
use casebook_record::{ExampleData, Metadata, RunData, Status};
use indexmap::IndexMap;
use serde::Serialize;
use serde_json::{Value, json};

use super::details::Details;
use super::pack::packed;
use crate::examples::{groups, reason, skip_reason, split_location};
use crate::flag;

/// Characters of a reason; the whole message is in the details.
const REASON: usize = 200;

/// Everything that is unpacked when the page opens.
#[derive(Serialize)]
struct Index<'r> {
    run: Run<'r>,
    rows: &'r [Row<'r>],
    /// The distinct topic graphs, which rows refer to by number.
    graphs: Vec<&'r Value>,
    scenarios: &'r IndexMap<String, ScenarioData>,
    /// The number of the first row in each chunk.
    chunks: &'r [usize],
}

#[derive(Serialize)]
struct Run<'r> {
    id: &'r str,
    started: String,
    /// Milliseconds since 1970, which the starts of rows are counted from.
    start: i64,
    /// How long it took, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    duration: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<&'r serde_json::Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<&'r str>,
    metadata: &'r Metadata,
}

/// One test, as lists, filters and charts need it.
#[derive(Serialize)]
pub(super) struct Row<'r> {
    id: &'r str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    groups: Vec<&'r str>,
    name: Cow<'r, str>,
    status: &'static str,
    file: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration: Option<i64>,
    /// Milliseconds after the start of the run.
    start: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    worker: Option<&'r Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'r str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    flaky: bool,
    /// Earlier ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    attempts: Option<NonZeroUsize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<&'r str>,
    /// Why it failed or was skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'r str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    criteria: Vec<Criterion<'r>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trial: Option<&'r Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tracing: Option<Cow<'r, Value>>,
    /// The topics in the order in which they were visited.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    topics: Vec<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    graph: Option<usize>,
    #[serde(skip)]
    topic_graph: Option<&'r Value>,
}

/// How the evaluations of one criterion went: passed, failed, inconclusive.
#[derive(Serialize)]
struct Criterion<'r>(&'r str, u32, u32, u32);

/// Packs the index of a run.
pub(super) fn pack(run: &RunData, details: &mut Details<'_>, record: Option<&str>) -> String {
    let graphs = number_graphs(&mut details.rows);
    let index = Index {
        run: Run::of(run, record),
        rows: &details.rows,
        graphs,
        scenarios: &run.scenarios,
        chunks: &details.starts,
    };
    packed(&serde_json::to_vec(&index).expect("run data has only text keys"))
}

/// Gives every row the number of its topic graph; most rows of a run share one.
fn number_graphs<'r>(rows: &mut [Row<'r>]) -> Vec<&'r Value> {
    let mut graphs = Vec::new();
    let mut numbers = HashMap::new();
    for row in rows {
        row.graph = row.topic_graph.map(|graph| {
            *numbers.entry(graph.to_string()).or_insert_with(|| {
                graphs.push(graph);
                graphs.len() - 1
            })
        });
    }
    graphs
}

impl<'r> Run<'r> {
    fn of(run: &'r RunData, record: Option<&'r str>) -> Run<'r> {
        Run {
            id: &run.run_id,
            started: run.started_at.format("%Y-%m-%d %H:%M:%S UTC"),
            start: run.started_at.as_millis(),
            duration: run.finished_at.map(|end| end.millis_since(run.started_at)),
            seed: run.seed.as_ref(),
            commit: run.git_commit.as_deref(),
            record,
            metadata: &run.metadata,
        }
    }
}

impl<'r> Row<'r> {
    pub(super) fn of(run: &'r RunData, example: &'r ExampleData) -> Row<'r> {
        let metadata = &example.metadata;
        let text = |key: &str| metadata.get(key).and_then(Value::as_str);
        let (file, line) = split_location(&example.location);
        let exception = example.exception.as_ref();
        let is_failure = matches!(example.status, Status::Failed | Status::Running);
        let why = if is_failure { reason } else { skip_reason };
        Row {
            id: &example.id,
            groups: groups(example)
                .map(|path| path.split("::").collect())
                .unwrap_or_default(),
            name: name(run, example),
            status: example.status.name(),
            file: text("file").unwrap_or(file),
            line,
            duration: example.duration_ms,
            start: example.started_at.millis_since(run.started_at),
            worker: metadata.get("worker"),
            tags: tags(metadata),
            kind: kind(example),
            flaky: example.is_flaky() || flag(metadata, "command.flaky"),
            attempts: NonZeroUsize::new(example.attempts().len()),
            class: exception.and_then(|exception| exception.class_name.as_deref()),
            reason: why(example).map(|reason| beginning(reason, REASON)),
            criteria: criteria(example),
            trial: metadata.get("trial"),
            tracing: tracing(example),
            topics: visited(example),
            graph: None,
            topic_graph: metadata.get("topics").filter(|topics| topics.is_object()),
        }
    }
}

/// What the test itself is called, without its groups.
fn name<'r>(run: &'r RunData, example: &'r ExampleData) -> Cow<'r, str> {
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

fn kind(example: &ExampleData) -> Option<&str> {
    let metadata = &example.metadata;
    let kind = metadata.get("kind").and_then(Value::as_str);
    let turns = |example: &ExampleData| Some(!example.conversation.as_ref()?.turns.is_empty());
    kind.or_else(|| metadata.get("command").map(|_| "command"))
        .or_else(|| turns(example)?.then_some("conversation"))
}

fn tags(metadata: &Metadata) -> Vec<&str> {
    let tags = metadata.get("tags").and_then(Value::as_array);
    let tags = tags.into_iter().flatten();
    tags.filter_map(Value::as_str).collect()
}

/// The evaluations by criterion, in the order of the first of each.
fn criteria(example: &ExampleData) -> Vec<Criterion<'_>> {
    let of_command = example.metadata.get("command").is_some();
    let mut criteria: Vec<Criterion> = Vec::new();
    for evaluation in &example.evaluations {
        let name = criterion(evaluation, of_command);
        let place = criteria.iter().position(|one| one.0 == name);
        let place = place.unwrap_or_else(|| {
            criteria.push(Criterion(name, 0, 0, 0));
            criteria.len() - 1
        });
        let Criterion(_, passed, failed, inconclusive) = &mut criteria[place];
        *match evaluation.passed {
            true => passed,
            false if is_inconclusive(evaluation) => inconclusive,
            false => failed,
        } += 1;
    }
    criteria
}

/// The names of a command's expectations quote the output; their kinds are what can be counted.
fn criterion(evaluation: &EvaluationData, of_command: bool) -> &str {
    let named = evaluation.metadata.get("criterion").and_then(Value::as_str);
    let kind = evaluation.r#type.as_deref().filter(|_| of_command);
    named.or(kind).unwrap_or(&evaluation.name)
}

fn is_inconclusive(evaluation: &EvaluationData) -> bool {
    let verdict = evaluation.metadata.get("verdict");
    verdict.and_then(Value::as_str) == Some("inconclusive")
}

/// What the example spent: as it says itself, else what its answers say together.
fn tracing(example: &ExampleData) -> Option<Cow<'_, Value>> {
    if let Some(tracing) = example.metadata.get("tracing") {
        return Some(Cow::Borrowed(tracing));
    }
    let turns = &example.conversation.as_ref()?.turns;
    let answers = turns.iter().filter_map(|turn| turn.agent_response.as_ref());
    let tracings: Vec<_> = answers
        .filter_map(|answer| answer.metadata.get("tracing"))
        .collect();
    let sum = |pointer| {
        let numbers = tracings
            .iter()
            .filter_map(|tracing| tracing.pointer(pointer)?.as_f64());
        numbers.sum::<f64>()
    };
    (!tracings.is_empty()).then(|| {
        Cow::Owned(json!({
            "tokens": {"input": sum("/tokens/input"), "output": sum("/tokens/output")},
            "latency_ms": sum("/latency_ms"),
            "cost": sum("/cost"),
        }))
    })
}

fn visited(example: &ExampleData) -> Vec<&str> {
    let turns = example.conversation.iter().flat_map(|talk| &talk.turns);
    let mut topics: Vec<_> = turns.filter_map(|turn| turn.topic.as_deref()).collect();
    topics.dedup();
    topics
}

fn beginning(text: &str, characters: usize) -> &str {
    let end = text.char_indices().nth(characters);
    end.map_or(text, |(end, _)| &text[..end])
}
