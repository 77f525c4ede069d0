//! Tools for recorded runs: `report`, `diff`, `history`, `coverage`.

use serde_json::{Value, json};

use super::{Answer, Effect, Tool};
use crate::mcp::input::Words;
use crate::mcp::ruby_project;
use crate::mcp::schema::{closed_object, count, flag, list, object, positive, text, texts};

const RUN: &str = "A record: its id, a directory, a run.json, or latest~N; default: the newest";

pub(super) const REPORT: Tool = Tool {
    name: "report",
    title: "Show a run",
    description: "The results of a recorded run: counts, and each failed test with its location, command, expected and actual values. \
                  `all` adds the passed tests; `test` selects tests.",
    effect: Effect::Reads,
    input: || {
        closed_object(
            &[
                ("run", text(RUN)),
                (
                    "test",
                    text("Only tests with this id, or whose names contain this text"),
                ),
                ("all", flag("Also list tests that did not fail")),
            ],
            &[],
        )
    },
    result: run_summary,
    call: |input, call| {
        let words = Words::new(&["report", "--json", "--"]).all(input.path("run")?);
        let outcome = call.run(&words.done())?;
        let test = input.text("test")?;
        let result = selected(outcome.json()?, test, input.flag("all")?);
        Ok(Answer::new(&outcome, result.clone()).link(link_to(&result)))
    },
};

/// The schema of a run.
pub(super) fn run_summary() -> Value {
    let failure = object(
        &[
            ("id", text("The test's id in this run")),
            ("title", text("Its name")),
            ("location", text("File and line")),
        ],
        &["id", "title", "location"],
    );
    object(
        &[
            ("run_id", text("The id of the run")),
            ("example_count", count()),
            ("passed_count", count()),
            ("failed_count", count()),
            ("pending_count", count()),
            ("failures", list(&failure)),
            ("tests", list(&json!({ "type": "object" }))),
        ],
        &["run_id", "example_count", "failed_count", "failures"],
    )
}

/// The resource of the run in a report.
pub(super) fn link_to(report: &Value) -> Option<String> {
    let id = report["run_id"].as_str()?;
    Some(format!("casebook://runs/{id}"))
}

/// Keeps the selected tests of a report. Without `all` or a test, only failures, which are complete without the list of tests.
pub(in crate::mcp) fn selected(mut report: Value, test: Option<&str>, all: bool) -> Value {
    let keeps = |one: &Value| {
        let field = |name: &&str| one[*name].as_str().unwrap_or_default();
        test.is_none_or(|test| {
            let has_id = ["id", "stable_id"].iter().any(|name| field(name) == test);
            let mut names = ["title", "name"].iter();
            has_id || names.any(|name| field(name).contains(test))
        })
    };
    for name in ["tests", "failures", "slowest"] {
        if let Some(tests) = report[name].as_array_mut() {
            tests.retain(keeps);
        }
    }
    if !all && test.is_none() {
        report.as_object_mut().map(|report| report.remove("tests"));
    }
    report
}

pub(super) const DIFF: Tool = Tool {
    name: "diff",
    title: "Compare two runs",
    description: "What changed between two recorded runs: tests that newly fail or pass, slower tests, criteria, usage.",
    effect: Effect::Reads,
    input: || {
        closed_object(
            &[
                (
                    "base",
                    text("The earlier record, as for `report`; default: latest~1"),
                ),
                ("new", text("The later record; default: the newest")),
            ],
            &[],
        )
    },
    result: || json!({ "type": "object" }),
    call: |input, call| {
        let (base, new) = (input.path("base")?, input.path("new")?);
        // With only one of them, the other is the default.
        let base = base.or_else(|| new.map(|_| "latest~1"));
        let words = Words::new(&["diff", "--json", "--"]).all(base).all(new);
        Answer::json(&call.run(&words.done())?)
    },
};

pub(super) const HISTORY: Tool = Tool {
    name: "history",
    title: "Trends across runs",
    description: "Trends of recorded runs: pass rates, durations, flaky and slow tests, and since which run and commit a test fails.",
    effect: Effect::Reads,
    input: || {
        closed_object(
            &[
                ("test", text("Only tests whose names or ids contain this")),
                (
                    "limit",
                    positive("Use at most this many runs, newest first"),
                ),
            ],
            &[],
        )
    },
    result: || json!({ "type": "object" }),
    call: |input, call| {
        let words = Words::new(&["history", "--json"])
            .option("test", input.text("test")?)
            .option("limit", input.number("limit")?);
        Answer::json(&call.run(&words.done())?)
    },
};

pub(super) const COVERAGE: Tool = Tool {
    name: "coverage",
    title: "States without a test",
    description: "Which states of which characteristics of Ruby methods are covered by a test, were run, and passed.",
    effect: Effect::Reads,
    input: || {
        closed_object(
            &[
                (
                    "paths",
                    texts("Ruby files, FILE#method or directories; default: the project"),
                ),
                (
                    "runs",
                    texts("Use the results of these records; default: the newest"),
                ),
            ],
            &[],
        )
    },
    result: || json!({ "type": "object" }),
    call: |input, call| {
        ruby_project::check(&call.session.root)?;
        let words = Words::new(&["coverage", "--json"])
            .options("run", input.paths("runs")?)
            .all(input.paths("paths")?);
        Answer::json(&call.run(&words.done())?)
    },
};
