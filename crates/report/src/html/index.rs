//! The index of all tests, one small row each, which the page unpacks first.

use std::io;

use casebook_record::model::ScenarioData;
use casebook_record::{
    Metadata, NOT_RUN, TestOutcome, TestTrials, TrialScore, TrialTotals, TrialsByTest,
};
use indexmap::IndexMap;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::details::Details;
use super::row::Row;
use super::{Neighbors, Options};
use crate::reviews::Review;
use crate::scores::{ScoreFigures, Scores};

/// The data that is unpacked when the page opens.
#[derive(Serialize)]
pub(super) struct Index<'r> {
    run: Run<'r>,
    /// The recorded tests, then the planned ones that were not run.
    rows: &'r RawValue,
    /// The distinct topic graphs, which rows refer to by index.
    graphs: &'r [Value],
    scenarios: &'r IndexMap<String, ScenarioData>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trials: Option<Trials<'r>>,
    /// The criteria with scores.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    scores: Vec<(&'r str, ScoreFigures)>,
    #[serde(skip_serializing_if = "<[Review]>::is_empty")]
    reviews: &'r [Review],
    /// The index of the first row in each chunk.
    chunks: &'r [usize],
}

#[derive(Serialize)]
struct Run<'r> {
    id: &'r str,
    started: String,
    /// Milliseconds since 1970; the start times of rows are relative to this.
    start: i64,
    /// The duration in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    duration: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<&'r serde_json::Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<&'r str>,
    metadata: Metadata,
    #[serde(flatten)]
    neighbors: Option<&'r Neighbors>,
    /// Whether it is in progress.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    live: bool,
}

/// Scores of tests with several trials.
#[derive(Serialize)]
struct Trials<'r> {
    overall: TrialTotals,
    tests: Vec<TestRates<'r>>,
}

#[derive(Serialize)]
struct TestRates<'r> {
    test: &'r str,
    #[serde(flatten)]
    score: TrialScore,
    interval: Option<(f64, f64)>,
    flaky: bool,
    outcome: TestOutcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    needs: Option<u64>,
    /// Trials that could not be run.
    not_run: u64,
}

/// The index of a run.
pub(super) fn of<'r>(
    run: &'r casebook_record::Run,
    details: &'r mut Details,
    trials: &'r TrialsByTest,
    scores: &'r Scores,
    options: &'r Options,
) -> io::Result<Index<'r>> {
    let not_run = run.metadata.get(NOT_RUN).and_then(Value::as_array);
    for row in not_run.into_iter().flatten().filter_map(Row::not_run) {
        details.push_row(&serde_json::to_string(&row)?);
    }
    details.rows.push(']');
    Ok(Index {
        run: Run {
            neighbors: Some(&options.neighbors),
            ..Run::of(run, options.record.as_deref())
        },
        rows: serde_json::from_str(&details.rows)?,
        graphs: &details.graphs,
        scenarios: &run.scenarios,
        trials: Trials::of(&trials.tests),
        scores: scores.figures().collect(),
        reviews: &options.reviews,
        chunks: &details.starts,
    })
}

/// The index of a run in progress, whose rows are JSON objects. It has no charts that need the complete run.
pub(super) fn of_live<'r>(
    run: &'r casebook_record::Run,
    rows: &'r RawValue,
    record: Option<&'r str>,
) -> Index<'r> {
    Index {
        run: Run {
            live: true,
            ..Run::of(run, record)
        },
        rows,
        graphs: &[],
        scenarios: &run.scenarios,
        trials: None,
        scores: Vec::new(),
        reviews: &[],
        chunks: &[],
    }
}

impl<'r> Trials<'r> {
    fn of(tests: &'r [TestTrials]) -> Option<Trials<'r>> {
        let trials = |trials: &'r TestTrials| TestRates {
            test: &trials.test,
            score: trials.tally.score,
            interval: trials.tally.score.interval(),
            flaky: trials.tally.score.is_mixed(),
            outcome: trials.tally.outcome(),
            needs: trials.tally.threshold.map(|threshold| threshold.needs),
            not_run: trials.tally.not_run,
        };
        (!tests.is_empty()).then(|| Trials {
            overall: TrialTotals::of(tests.iter().map(|trials| trials.tally.score)),
            tests: tests.iter().map(trials).collect(),
        })
    }
}

impl<'r> Run<'r> {
    fn of(run: &'r casebook_record::Run, record: Option<&'r str>) -> Run<'r> {
        let mut metadata = run.metadata.clone();
        metadata.remove(NOT_RUN);
        Run {
            id: &run.run_id,
            started: run.started_at.format("%Y-%m-%d %H:%M:%S UTC"),
            start: run.started_at.as_millis(),
            duration: run.finished_at.map(|end| end.millis_since(run.started_at)),
            seed: run.seed.as_ref(),
            commit: run.git_commit.as_deref(),
            record,
            metadata,
            neighbors: None,
            live: false,
        }
    }
}
