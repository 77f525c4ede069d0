//! A table of tests with several trials: how often they passed, with the confidence interval.

use std::collections::HashMap;
use std::io;

use casebook_record::{
    TestOutcome, TestTally, TrialResult, TrialScore, TrialThreshold, TrialTotals, TrialsByTest,
    mean_at,
};

use super::page::Page;
use super::slowest::{cell, widest};
use super::style::{BAD, BOLD, DIM, GOOD, PLAIN, WARN};
use super::styled::Span;
use super::text::{columns, count, one_line};

/// Tests listed, those with differing trials and failed ones first.
const LISTED: usize = 50;

/// Columns of a row without the title, the passed trials, the rate, and pass@k and pass^k.
const MARGINS: usize = 8;
/// Columns of pass@k and pass^k.
const PAIR: usize = 16;
/// Columns of the rate with its interval, and without it in a narrow terminal.
const RATE: usize = 16;
const SHORT_RATE: usize = 6;
/// Shortest title that can be recognized.
const MIN_TITLE: usize = 16;

/// Tests with trials, collected during a run or from its record.
#[derive(Default)]
pub(super) struct Trials {
    tests: Vec<TestTrialRow>,
    indexes: HashMap<String, usize>,
}

struct TestTrialRow {
    position: u64,
    title: String,
    tally: TestTally,
}

/// The number of trials that pass@k and pass^k are about.
#[derive(Clone, Copy)]
enum K {
    /// All trials of a test.
    All,
    Number(u64),
}

impl K {
    /// Those that are shown. That of 1 is the pass rate, which is always shown.
    fn shown(requested: &[u64]) -> Vec<K> {
        match requested {
            [] => vec![K::All],
            requested => {
                let numbers = requested.iter().filter(|k| **k > 1);
                numbers.map(|k| K::Number(*k)).collect()
            }
        }
    }

    fn of(self, score: TrialScore) -> u64 {
        match self {
            K::All => score.trials,
            K::Number(k) => k,
        }
    }

    fn name(self) -> String {
        match self {
            K::All => "n".to_owned(),
            K::Number(k) => k.to_string(),
        }
    }
}

impl Trials {
    pub(super) fn of(trials: TrialsByTest) -> Trials {
        let rows = (0..)
            .zip(trials.tests)
            .map(|(position, test)| TestTrialRow {
                position,
                title: test.title,
                tally: test.tally,
            });
        Trials {
            tests: rows.collect(),
            indexes: HashMap::new(),
        }
    }

    /// Counts a trial of a test. A trial without a result only adds the test.
    pub(super) fn add(
        &mut self,
        (test, title): &(String, String),
        position: u64,
        threshold: Option<TrialThreshold>,
        result: Option<TrialResult>,
    ) {
        let index = *self.indexes.entry(test.clone()).or_insert(self.tests.len());
        if index == self.tests.len() {
            let title = title.clone();
            self.tests.push(TestTrialRow {
                position,
                title,
                tally: TestTally::new(threshold),
            });
        }
        let test = &mut self.tests[index];
        test.position = test.position.min(position);
        test.tally.add_result(result);
    }

    /// Shows the table, if any test has trials. `k` are the numbers of trials for pass@k and pass^k.
    pub(super) fn show(&mut self, page: &mut Page, k: &[u64]) -> io::Result<()> {
        if self.tests.is_empty() {
            return Ok(());
        }
        page.heading("Trials")?;
        let ks = K::shown(k);
        let scores = || self.tests.iter().map(|test| test.tally.score);
        let overall = TrialTotals::of(scores());
        let means: Vec<_> = ks
            .iter()
            .map(|k| (*k, k.mean(scores(), &overall)))
            .collect();
        let not_run = self.tests.iter().map(|test| test.tally.not_run).sum();
        // The list may be cut, so the most important tests come first.
        self.tests
            .sort_by_key(|test| (test_rank(&test.tally), test.position));
        self.table(page, &ks)?;
        match self.tests.len().saturating_sub(LISTED) {
            0 => Ok(()),
            hidden => page.row(
                2,
                &[(DIM, &format!("… and {}", count(hidden, "more test")))],
            ),
        }?;
        show_overall(page, &overall, &means, not_run)?;
        page.paragraph(2, 2, &[(DIM, &legend(&ks))])
    }

    fn table(&self, page: &mut Page, ks: &[K]) -> io::Result<()> {
        let rows: Vec<_> = self.tests.iter().take(LISTED).collect();
        let titles: Vec<_> = rows.iter().map(|row| one_line(&row.title)).collect();
        let passed = rows.iter().map(|row| columns(&passed_trials(&row.tally)));
        let passed = passed.fold("passed".len(), usize::max);
        let numbers_width = MARGINS + PAIR * ks.len();
        let rate = if page.width() < numbers_width + passed + RATE + MIN_TITLE {
            SHORT_RATE
        } else {
            RATE
        };
        let room = page.width().saturating_sub(numbers_width + passed + rate);
        let title = widest(&titles, |title| title).min(room);
        let pairs = ks.iter().map(|k| {
            let name = k.name();
            format!(
                "  {:>6}  {:>6}",
                format!("pass@{name}"),
                format!("pass^{name}")
            )
        });
        let head = format!(
            "{}  {:>passed$}  {:rate$}{}",
            " ".repeat(title + 2),
            "passed",
            "pass@1",
            pairs.collect::<String>()
        );
        let head = head.trim_end().to_owned();
        page.row(2, &[(DIM, &head)])?;
        for (row, text) in rows.iter().zip(&titles) {
            let numbers = numbers(&row.tally, ks, [passed, rate]);
            let mark = test_mark(&row.tally);
            page.row(2, &[mark, (PLAIN, &cell(text, title)), (PLAIN, &numbers)])?;
        }
        Ok(())
    }
}

/// The sort key: trials that differ, then all failed, no result, all passed.
pub(super) fn rank(score: TrialScore) -> u8 {
    match score {
        score if score.is_mixed() => 0,
        TrialScore { trials: 0, .. } => 2,
        TrialScore { passed: 0, .. } => 1,
        _ => 3,
    }
}

pub(super) fn mark(score: TrialScore) -> Span<'static> {
    match rank(score) {
        0 => (WARN, "~ "),
        1 => (BAD, "✗ "),
        2 => (WARN, "○ "),
        _ => (GOOD, "✓ "),
    }
}

/// The sort key of a test: that of its trials, with a test that failed before one that passed.
fn test_rank(tally: &TestTally) -> (bool, u8) {
    let is_met = tally.threshold.is_some() && tally.outcome() == TestOutcome::Passed;
    (is_met, rank(tally.score))
}

/// A test with a threshold passes or fails as a whole.
fn test_mark(tally: &TestTally) -> Span<'static> {
    match tally.outcome() {
        TestOutcome::Failed if tally.threshold.is_some() || tally.not_run > 0 => (BAD, "✗ "),
        TestOutcome::Passed if tally.threshold.is_some() => (GOOD, "✓ "),
        _ => mark(tally.score),
    }
}

/// `8 of 10 (needs 8), 1 could not be run`
fn passed_trials(tally: &TestTally) -> String {
    let needs = tally.threshold.map_or_else(String::new, |threshold| {
        format!(" (needs {})", threshold.needs)
    });
    let not_run = match tally.not_run {
        0 => String::new(),
        number => format!(", {number} could not be run"),
    };
    format!("{}{needs}{not_run}", passed(tally.score))
}

fn legend(ks: &[K]) -> String {
    let mut parts = vec!["pass@1: one trial passes, with the 95% confidence interval".to_owned()];
    parts.extend(ks.iter().map(|k| {
        let name = k.name();
        format!("pass@{name}: at least one of {name} trials passes · pass^{name}: all {name} trials pass")
    }));
    parts.join(" · ")
}

impl K {
    /// The mean over all tests with that many trials.
    fn mean(
        self,
        scores: impl Iterator<Item = TrialScore>,
        overall: &TrialTotals,
    ) -> Option<(f64, f64)> {
        match self {
            K::All => overall.pass_at_n.zip(overall.pass_hat_n),
            K::Number(k) => mean_at(scores, k),
        }
    }
}

/// `3 of 5`
pub(super) fn passed(score: TrialScore) -> String {
    format!("{} of {}", score.passed, score.trials)
}

/// `  3 of 5  60% (23–88%)        100%      0%`
fn numbers(tally: &TestTally, ks: &[K], [wide, room]: [usize; 2]) -> String {
    let score = tally.score;
    let passed = passed_trials(tally);
    let Some((low, high)) = score.interval() else {
        return match tally.not_run {
            0 => "  no verdict".into(),
            _ => format!("  {passed:>wide$}"),
        };
    };
    let rate = percent(score.rate());
    let rate = match (hundredths(low), hundredths(high)) {
        (low, high) if room >= RATE => format!("{rate} ({low}–{high}%)"),
        _ => rate,
    };
    let pairs = ks.iter().map(|k| {
        let k = k.of(score);
        let [at, hat] = [score.pass_at(k), score.pass_hat(k)].map(percent);
        format!("  {at:>6}  {hat:>6}")
    });
    let gap = room.saturating_sub(columns(&rate));
    let pairs = pairs.collect::<String>();
    format!("  {passed:>wide$}  {rate}{}{pairs}", " ".repeat(gap))
}

fn show_overall(
    page: &mut Page,
    overall: &TrialTotals,
    means: &[(K, Option<(f64, f64)>)],
    not_run: u64,
) -> io::Result<()> {
    let Some((low, high)) = overall.score.interval() else {
        return Ok(());
    };
    let TrialScore { trials, passed } = overall.score;
    let total = format!(
        "{} in {}",
        count(overall.tests, "test"),
        trial_count(trials)
    );
    let pairs = means.iter().map(|(k, mean)| {
        let (name, [at, hat]) = (
            k.name(),
            [mean.map(|(at, _)| at), mean.map(|(_, hat)| hat)].map(percent),
        );
        format!(" · pass@{name} {at} · pass^{name} {hat}")
    });
    let not_run = match not_run {
        0 => String::new(),
        number => format!(" · {} could not be run", trial_count(number)),
    };
    let rates = format!(
        ": {passed} passed, {} ({}–{}%) · pass@1 {}{}{not_run}",
        percent(overall.score.rate()),
        hundredths(low),
        hundredths(high),
        percent(overall.pass_at_1),
        pairs.collect::<String>(),
    );
    let flaky = match overall.flaky {
        0 => String::new(),
        flaky => format!(" · {flaky} flaky"),
    };
    page.blank()?;
    let spans = [(BOLD, &*total), (PLAIN, &*rates), (WARN.bold(), &*flaky)];
    page.paragraph(2, 2, &spans)
}

fn trial_count(number: u64) -> String {
    count(usize::try_from(number).unwrap_or(usize::MAX), "trial")
}

/// `60%`
pub(crate) fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "–".into(), |share| format!("{}%", hundredths(share)))
}

/// Rounded; only exactly 0 and 1 are shown as 0 and 100.
fn hundredths(share: f64) -> String {
    match share * 100.0 {
        tiny if tiny > 0.0 && tiny < 1.0 => "<1".into(),
        most if most > 99.0 && most < 100.0 => ">99".into(),
        other => format!("{other:.0}"),
    }
}
