//! Exports a run in the OpenTelemetry protocol, as JSON: the run as a trace, its tests as spans, conversations by the
//! semantic conventions for generative AI, and metrics.
//!
//! Ids are computed from the ids of the run and its tests, so exporting a run again creates no second trace.

mod attributes;
mod conversation;
mod histogram;
mod metrics;
mod span;

use casebook_record::{ExampleData, Run, hex_of_sha256};
use serde_json::{Value, json};

use crate::test_row::{RowStatus, TestRow, end_of};
use attributes::Attributes;
use metrics::Metrics;
use span::{Kind, Span};

/// The spans in one request. A collector limits its size.
const BATCH: usize = 500;
/// The maximum number of hexadecimal digits of ids.
const TRACE_ID_DIGITS: usize = 32;
const SPAN_ID_DIGITS: usize = 16;

/// What is exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// Whether messages, arguments and results of tools are included.
    pub content: bool,
}

/// A kind of data, each with its own path on the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Spans.
    Traces,
    /// Metrics.
    Metrics,
}

impl Signal {
    /// The path below the collector's URL.
    pub fn path(self) -> &'static str {
        match self {
            Signal::Traces => "/v1/traces",
            Signal::Metrics => "/v1/metrics",
        }
    }
}

/// Why a run could not be exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError<E> {
    /// The record cannot be read.
    #[error(transparent)]
    Read(std::io::Error),
    /// A request could not be sent.
    #[error(transparent)]
    Send(E),
}

/// Passes each request's body to `send`.
pub fn export<E>(
    run: &Run,
    options: Options,
    send: &mut dyn FnMut(Signal, &Value) -> Result<(), E>,
) -> Result<(), ExportError<E>> {
    let mut exporter = Exporter::new(run, options).map_err(ExportError::Read)?;
    for example in run.each_example() {
        exporter.add(&*example.map_err(ExportError::Read)?);
        if exporter.spans.len() >= BATCH {
            let request = exporter.take_traces();
            send(Signal::Traces, &request).map_err(ExportError::Send)?;
        }
    }
    exporter.add_run();
    let traces = exporter.take_traces();
    send(Signal::Traces, &traces).map_err(ExportError::Send)?;
    send(Signal::Metrics, &exporter.metrics()).map_err(ExportError::Send)
}

struct Exporter<'r> {
    run: &'r Run,
    options: Options,
    /// The end of the run, in milliseconds since 1970.
    end: i64,
    trace_id: String,
    /// The id of the run's span.
    root: String,
    /// Spans that are not yet sent.
    spans: Vec<Span>,
    metrics: Metrics,
}

impl<'r> Exporter<'r> {
    fn new(run: &'r Run, options: Options) -> std::io::Result<Exporter<'r>> {
        let trace_id = hex_of_sha256(run.run_id.as_bytes(), TRACE_ID_DIGITS);
        Ok(Exporter {
            run,
            options,
            end: end_of(run)?.as_millis(),
            root: span_id(&trace_id, "run"),
            trace_id,
            spans: Vec::new(),
            metrics: Metrics::default(),
        })
    }

    fn add(&mut self, example: &ExampleData) {
        let row = TestRow::of(example);
        self.metrics.add_test(&row);
        let id = span_id(&self.trace_id, &example.id);
        let span = self.test_span(&id, example, &row);
        self.spans.push(span);
        if let Some(transcript) = example.transcript() {
            self.metrics.add_conversation(transcript);
            let parent = conversation::Parent {
                trace_id: &self.trace_id,
                span_id: &id,
                end: row.stop_millis(),
                content: self.options.content,
            };
            let spans = conversation::spans(example, transcript, &parent);
            self.spans.extend(spans);
        }
    }

    fn test_span(&self, id: &str, example: &ExampleData, row: &TestRow<'_>) -> Span {
        let mut attributes = Attributes::default();
        attributes
            .text("test.case.name", Some(row.name))
            .text("test.suite.name", row.suite)
            .text("test.case.result.status", result_status(row.status))
            .text("casebook.test.status", Some(row.status.name()))
            .text("casebook.test.id", example.stable_id.as_deref())
            .int("casebook.test.attempts", i64::try_from(row.attempts).ok())
            .int("casebook.test.exit_code", row.exit_code)
            .bool("casebook.test.flaky", row.is_flaky)
            .text("code.file.path", Some(row.file))
            .int(
                "code.line.number",
                row.line.and_then(|line| i64::try_from(line).ok()),
            );
        if row.status == RowStatus::Failed {
            attributes.text("error.type", Some(row.failure_class.unwrap_or("_OTHER")));
        }
        Span {
            trace_id: self.trace_id.clone(),
            id: id.to_owned(),
            parent: Some(self.root.clone()),
            name: example.title().to_owned(),
            kind: Kind::Internal,
            start: row.started_at.as_millis(),
            end: row.stop_millis(),
            attributes,
            error: (row.status == RowStatus::Failed)
                .then(|| row.message.unwrap_or_default().to_owned()),
        }
    }

    /// Adds the span of the run, which the others are below.
    fn add_run(&mut self) {
        let failed = self.metrics.failed();
        let mut attributes = Attributes::default();
        attributes
            .text("test.suite.run.status", Some(self.run_status()))
            .text("casebook.run.id", Some(&self.run.run_id))
            .text("vcs.ref.head.revision", self.run.git_commit.as_deref());
        self.spans.push(Span {
            trace_id: self.trace_id.clone(),
            id: self.root.clone(),
            parent: None,
            name: "casebook run".to_owned(),
            kind: Kind::Internal,
            start: self.run.started_at.as_millis(),
            end: self.end,
            attributes,
            error: (failed > 0).then(|| format!("failed tests: {failed}")),
        });
    }

    fn run_status(&self) -> &'static str {
        match (self.metrics.failed(), self.run.finished_at) {
            (0, Some(_)) => "success",
            (0, None) => "aborted",
            _ => "failure",
        }
    }

    fn take_traces(&mut self) -> Value {
        let spans: Vec<_> = self.spans.drain(..).map(Span::into_json).collect();
        json!({"resourceSpans": [{
            "resource": resource(),
            "scopeSpans": [{"scope": scope(), "spans": spans}],
        }]})
    }

    fn metrics(&self) -> Value {
        let times = (self.run.started_at.as_millis(), self.end);
        json!({"resourceMetrics": [{
            "resource": resource(),
            "scopeMetrics": [{"scope": scope(), "metrics": self.metrics.to_json(times)}],
        }]})
    }
}

fn resource() -> Value {
    let mut attributes = Attributes::default();
    attributes
        .text("service.name", Some("casebook"))
        .text("service.version", Some(env!("CARGO_PKG_VERSION")));
    json!({"attributes": attributes.into_json()})
}

fn scope() -> Value {
    json!({"name": "casebook", "version": env!("CARGO_PKG_VERSION")})
}

/// The conventions know only these two results.
fn result_status(status: RowStatus) -> Option<&'static str> {
    match status {
        RowStatus::Passed => Some("pass"),
        RowStatus::Failed => Some("fail"),
        RowStatus::Skipped | RowStatus::Unfinished => None,
    }
}

fn span_id(trace_id: &str, name: &str) -> String {
    hex_of_sha256(format!("{trace_id}\n{name}").as_bytes(), SPAN_ID_DIGITS)
}

/// A time in the protocol: nanoseconds since 1970, as text because JSON numbers are not exact.
fn nanos(millis: i64) -> String {
    format!("{}000000", millis.max(0))
}
