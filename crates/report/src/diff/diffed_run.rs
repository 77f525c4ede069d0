//! One of the two compared runs.

use casebook_record::{RunData, Time};
use serde::Serialize;
use serde_json::Value;

use crate::examples::is_interrupted;
use crate::terminal::text::count;

/// Settings that select some of the tests, and the options that set them.
const SELECTIONS: [(&str, &str); 4] = [
    ("configuration.filter", "--filter"),
    ("configuration.tags", "--tag"),
    ("configuration.shard", "--shard"),
    ("configuration.tests", "--failed"),
];

/// One of the two compared runs.
#[derive(Debug, Serialize)]
#[expect(missing_docs, reason = "the fields are those of the record")]
pub struct DiffedRun<'r> {
    pub run_id: &'r str,
    pub started_at: Time,
    pub git_commit: Option<&'r str>,
    pub example_count: usize,
    /// Including interrupted tests.
    pub failed_count: usize,
    /// Counts that only people read.
    #[serde(skip)]
    pub(crate) unfinished: Unfinished,
    /// The options that selected some of its tests.
    #[serde(skip)]
    pub(crate) selected_by: Vec<&'static str>,
}

/// Tests without a result.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unfinished {
    interrupted: usize,
    not_run: usize,
}

impl Unfinished {
    fn of(run: &RunData) -> Unfinished {
        let planned = run.metadata.get("example_count").and_then(Value::as_u64);
        let planned = planned.and_then(|planned| usize::try_from(planned).ok());
        let examples = run.examples.values();
        Unfinished {
            interrupted: examples.filter(|example| is_interrupted(example)).count(),
            not_run: planned.unwrap_or(0).saturating_sub(run.examples.len()),
        }
    }
}

impl<'r> DiffedRun<'r> {
    pub(super) fn of(run: &'r RunData) -> DiffedRun<'r> {
        let summary = run.summary();
        let selections = SELECTIONS.into_iter();
        DiffedRun {
            run_id: &run.run_id,
            started_at: run.started_at,
            git_commit: run.git_commit.as_deref(),
            example_count: summary.example_count,
            failed_count: summary.failed_count,
            unfinished: Unfinished::of(run),
            selected_by: selections
                .filter(|(setting, _)| run.metadata.dig(setting).is_some())
                .map(|(_, option)| option)
                .collect(),
        }
    }

    /// Whether only some tests were selected.
    pub(super) fn is_selection(&self) -> bool {
        !self.selected_by.is_empty()
    }

    /// `4 tests, 0 failed, 2 interrupted, 1 not run · selected by --filter`.
    pub(crate) fn facts(&self) -> String {
        let Unfinished {
            interrupted,
            not_run,
        } = self.unfinished;
        let mut facts = vec![
            count(self.example_count + not_run, "test"),
            format!("{} failed", self.failed_count.saturating_sub(interrupted)),
        ];
        let unfinished = [(interrupted, "interrupted"), (not_run, "not run")];
        let unfinished = unfinished.into_iter().filter(|(number, _)| *number > 0);
        facts.extend(unfinished.map(|(number, word)| format!("{number} {word}")));
        let facts = facts.join(", ");
        if self.is_selection() {
            format!("{facts} · selected by {}", self.selected_by.join(", "))
        } else {
            facts
        }
    }
}
