//! The metrics of a run: counts and durations of tests, and what its conversations used.

use std::collections::BTreeMap;

use casebook_record::model::ConversationData;
use serde_json::{Value, json};

use super::attributes::Attributes;
use super::conversation::{PROVIDER, cost, model};
use super::histogram::{Histogram, SECONDS, TOKENS};
use super::nanos;
use crate::test_row::{RowStatus, TestRow};

/// In the protocol: values are those of this run, not totals since some start.
const DELTA: i32 = 1;

#[derive(Default)]
pub(super) struct Metrics {
    tests: BTreeMap<&'static str, u64>,
    durations: BTreeMap<&'static str, Histogram>,
    /// By model.
    latencies: BTreeMap<String, Histogram>,
    /// By model and `input` or `output`.
    tokens: BTreeMap<(String, &'static str), Histogram>,
    /// By model.
    costs: BTreeMap<String, f64>,
}

impl Metrics {
    pub(super) fn failed(&self) -> u64 {
        let failed = self.tests.get(RowStatus::Failed.name());
        failed.copied().unwrap_or_default()
    }

    pub(super) fn add_test(&mut self, row: &TestRow<'_>) {
        *self.tests.entry(row.status.name()).or_default() += 1;
        if let Some(millis) = row.duration_ms.filter(|_| row.status != RowStatus::Skipped) {
            let durations = self.durations.entry(row.status.name());
            durations
                .or_insert_with(|| Histogram::new(SECONDS))
                .add(seconds(millis));
        }
    }

    pub(super) fn add_conversation(&mut self, conversation: &ConversationData) {
        let turns = conversation.turns.iter();
        for reply in turns.filter_map(|turn| turn.agent_response.as_ref()) {
            let metadata = &reply.metadata;
            let model = model(metadata).unwrap_or_default();
            let number = |path| metadata.dig(path).and_then(Value::as_i64);
            if let Some(millis) = number("tracing.latency_ms") {
                let latencies = self.latencies.entry(model.to_owned());
                latencies
                    .or_insert_with(|| Histogram::new(SECONDS))
                    .add(seconds(millis));
            }
            for (kind, path) in [
                ("input", "tracing.tokens.input"),
                ("output", "tracing.tokens.output"),
            ] {
                self.add_tokens(model, kind, number(path));
            }
            if let Some(cost) = cost(metadata) {
                *self.costs.entry(model.to_owned()).or_default() += cost;
            }
        }
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "counts of tokens stay below 2⁵³"
    )]
    fn add_tokens(&mut self, model: &str, kind: &'static str, count: Option<i64>) {
        if let Some(count) = count {
            let tokens = self.tokens.entry((model.to_owned(), kind));
            tokens
                .or_insert_with(|| Histogram::new(TOKENS))
                .add(count as f64);
        }
    }

    /// The metrics that have values. Times are the start and the end of the run.
    pub(super) fn to_json(&self, times: (i64, i64)) -> Vec<Value> {
        let durations = self.durations.iter();
        let durations: Vec<_> = durations
            .map(|(status, one)| one.point(of_status(status), times))
            .collect();
        let latencies = self.latencies.iter();
        let latencies: Vec<_> = latencies
            .map(|(model, one)| one.point(of_model(model), times))
            .collect();
        let metrics = [
            sum("casebook.tests", "{test}", &self.test_points(times)),
            histogram("casebook.test.duration", "s", &durations),
            histogram("gen_ai.client.operation.duration", "s", &latencies),
            histogram(
                "gen_ai.client.token.usage",
                "{token}",
                &self.token_points(times),
            ),
            sum("casebook.cost", "1", &self.cost_points(times)),
            Some(run_duration(times)),
        ];
        metrics.into_iter().flatten().collect()
    }

    fn token_points(&self, times: (i64, i64)) -> Vec<Value> {
        let points = self.tokens.iter().map(|((model, kind), tokens)| {
            let mut attributes = of_model(model);
            attributes.text("gen_ai.token.type", Some(kind));
            tokens.point(attributes, times)
        });
        points.collect()
    }

    fn test_points(&self, times: (i64, i64)) -> Vec<Value> {
        let points = self.tests.iter();
        let value = |count: &u64| json!({"asInt": count.to_string()});
        points
            .map(|(status, count)| point(of_status(status), times, value(count)))
            .collect()
    }

    fn cost_points(&self, times: (i64, i64)) -> Vec<Value> {
        let points = self.costs.iter();
        points
            .map(|(model, cost)| point(of_model(model), times, json!({"asDouble": cost})))
            .collect()
    }
}

fn of_status(status: &str) -> Attributes {
    let mut attributes = Attributes::default();
    attributes.text("casebook.test.status", Some(status));
    attributes
}

fn of_model(model: &str) -> Attributes {
    let mut attributes = Attributes::default();
    attributes
        .text("gen_ai.operation.name", Some("invoke_agent"))
        .text("gen_ai.provider.name", Some(PROVIDER))
        .text("gen_ai.response.model", Some(model));
    attributes
}

fn point(attributes: Attributes, (start, end): (i64, i64), value: Value) -> Value {
    let mut point = value;
    point["attributes"] = attributes.into_json();
    point["startTimeUnixNano"] = nanos(start).into();
    point["timeUnixNano"] = nanos(end).into();
    point
}

/// A metric of the run's own counts; none without points.
fn sum(name: &str, unit: &str, points: &[Value]) -> Option<Value> {
    (!points.is_empty()).then(|| {
        let sum =
            json!({"dataPoints": points, "aggregationTemporality": DELTA, "isMonotonic": true});
        json!({"name": name, "unit": unit, "sum": sum})
    })
}

fn histogram(name: &str, unit: &str, points: &[Value]) -> Option<Value> {
    (!points.is_empty()).then(|| {
        let histogram = json!({"dataPoints": points, "aggregationTemporality": DELTA});
        json!({"name": name, "unit": unit, "histogram": histogram})
    })
}

fn run_duration(times: (i64, i64)) -> Value {
    let value = json!({"asDouble": seconds(times.1 - times.0)});
    let point = point(Attributes::default(), times, value);
    json!({"name": "casebook.run.duration", "unit": "s", "gauge": {"dataPoints": [point]}})
}

#[expect(clippy::cast_precision_loss, reason = "durations stay below 2⁵³ ms")]
fn seconds(millis: i64) -> f64 {
    millis as f64 / 1000.0
}
