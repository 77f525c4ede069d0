//! A table of tests with several trials: how often they passed, with the confidence interval.

use std::collections::HashMap;
use std::io;

use casebook_record::{TrialScore, TrialTotals, TrialsByTest};

use super::page::Page;
use super::slowest::{cell, widest};
use super::style::{BAD, BOLD, DIM, GOOD, PLAIN, WARN};
use super::styled::Span;
use super::text::{columns, count, one_line};

/// Tests listed, those with differing trials and failed ones first.
const LISTED: usize = 50;

/// Columns of a row without the title, the passed trials and the rate.
const NUMBERS: usize = 24;
/// Columns of the rate with its interval, and without it in a narrow terminal.
const RATE: usize = 16;
const SHORT_RATE: usize = 6;
/// Shortest title that can be recognized.
const MIN_TITLE: usize = 16;

const LEGEND: &str = "pass@1: one trial passes · pass@n: at least one of n trials passes · pass^n: all n trials pass";

/// Tests with trials, collected during a run or from its record.
#[derive(Default)]
pub(super) struct Trials {
    tests: Vec<TestTrialRow>,
    indexes: HashMap<String, usize>,
}

struct TestTrialRow {
    position: u64,
    title: String,
    score: TrialScore,
}

impl Trials {
    pub(super) fn of(trials: TrialsByTest) -> Trials {
        let rows = (0..)
            .zip(trials.tests)
            .map(|(position, test)| TestTrialRow {
                position,
                title: test.title,
                score: test.score,
            });
        Trials {
            tests: rows.collect(),
            indexes: HashMap::new(),
        }
    }

    /// Counts a trial of a test. A trial without a result only adds the test.
    pub(super) fn add(&mut self, test: &str, title: &str, position: u64, passed: Option<bool>) {
        let index = *self
            .indexes
            .entry(test.to_owned())
            .or_insert(self.tests.len());
        if index == self.tests.len() {
            let title = title.to_owned();
            self.tests.push(TestTrialRow {
                position,
                title,
                score: TrialScore::default(),
            });
        }
        let test = &mut self.tests[index];
        test.position = test.position.min(position);
        if let Some(passed) = passed {
            test.score.add(passed);
        }
    }

    /// Shows the table, if any test has trials.
    pub(super) fn show(&mut self, page: &mut Page) -> io::Result<()> {
        if self.tests.is_empty() {
            return Ok(());
        }
        page.heading("Trials")?;
        let overall = TrialTotals::of(self.tests.iter().map(|test| test.score));
        // The list may be cut, so the most important tests come first.
        self.tests
            .sort_by_key(|test| (rank(test.score), test.position));
        self.table(page)?;
        match self.tests.len().saturating_sub(LISTED) {
            0 => Ok(()),
            hidden => page.row(
                2,
                &[(DIM, &format!("… and {}", count(hidden, "more test")))],
            ),
        }?;
        show_overall(page, &overall)?;
        page.paragraph(2, 2, &[(DIM, LEGEND)])
    }

    fn table(&self, page: &mut Page) -> io::Result<()> {
        let rows: Vec<_> = self.tests.iter().take(LISTED).collect();
        let titles: Vec<_> = rows.iter().map(|row| one_line(&row.title)).collect();
        let passed = rows.iter().map(|row| passed(row.score).len());
        let passed = passed.fold("passed".len(), usize::max);
        let rate = if page.width() < NUMBERS + passed + RATE + MIN_TITLE {
            SHORT_RATE
        } else {
            RATE
        };
        let room = page.width().saturating_sub(NUMBERS + passed + rate);
        let title = widest(&titles, |title| title).min(room);
        let head = format!(
            "{}  {:>passed$}  {:rate$}  pass@n  pass^n",
            " ".repeat(title + 2),
            "passed",
            "pass@1"
        );
        page.row(2, &[(DIM, &head)])?;
        for (row, text) in rows.iter().zip(&titles) {
            let (mark, numbers) = (mark(row.score), numbers(row.score, [passed, rate]));
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

/// `3 of 5`
pub(super) fn passed(score: TrialScore) -> String {
    format!("{} of {}", score.passed, score.trials)
}

/// `  3 of 5  60% (23–88%)        100%      0%`
fn numbers(score: TrialScore, [wide, room]: [usize; 2]) -> String {
    let Some((low, high)) = score.interval() else {
        return "  no verdict".into();
    };
    let passed = passed(score);
    let rate = percent(score.rate());
    let rate = match (hundredths(low), hundredths(high)) {
        (low, high) if room >= RATE => format!("{rate} ({low}–{high}%)"),
        _ => rate,
    };
    let [at, hat] = [score.pass_at(score.trials), score.pass_hat(score.trials)].map(percent);
    let gap = room.saturating_sub(columns(&rate));
    format!(
        "  {passed:>wide$}  {rate}{}  {at:>6}  {hat:>6}",
        " ".repeat(gap)
    )
}

fn show_overall(page: &mut Page, overall: &TrialTotals) -> io::Result<()> {
    let Some((low, high)) = overall.score.interval() else {
        return Ok(());
    };
    let TrialScore { trials, passed } = overall.score;
    let total = format!("{} in {trials} trials", count(overall.tests, "test"));
    let rates = format!(
        ": {passed} passed, {} ({}–{}%) · pass@1 {} · pass@n {} · pass^n {}",
        percent(overall.score.rate()),
        hundredths(low),
        hundredths(high),
        percent(overall.pass_at_1),
        percent(overall.pass_at_n),
        percent(overall.pass_hat_n),
    );
    let flaky = match overall.flaky {
        0 => String::new(),
        flaky => format!(" · {flaky} flaky"),
    };
    page.blank()?;
    let spans = [(BOLD, &*total), (PLAIN, &*rates), (WARN.bold(), &*flaky)];
    page.paragraph(2, 2, &spans)
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
