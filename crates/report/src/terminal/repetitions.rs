//! A table of repeated tests: how often they passed, with the confidence interval, and the slowest repetition.

use std::io;

use casebook_record::{Repetitions, TrialScore};

use super::duration::human;
use super::page::Page;
use super::slowest::{cell, widest};
use super::style::{DIM, PLAIN};
use super::text::{columns, count, one_line};
use super::trials::{mark, passed, rank};

/// Tests listed, those with failed repetitions first.
const LISTED: usize = 50;
/// Shortest title that can be recognized.
const MIN_TITLE: usize = 16;
/// Columns of the indent, the mark and the gaps between the columns.
const GAPS: usize = 10;

/// Repeated tests, collected during a run or from its record.
#[derive(Default)]
pub(super) struct RepeatedTests(Vec<RepeatedTest>);

struct RepeatedTest {
    position: u64,
    title: String,
    repetitions: Repetitions,
}

impl RepeatedTests {
    pub(super) fn add(&mut self, title: String, position: u64, repetitions: Repetitions) {
        self.0.push(RepeatedTest {
            position,
            title,
            repetitions,
        });
    }

    /// Shows the table, if any test was repeated.
    pub(super) fn show(&mut self, page: &mut Page) -> io::Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        page.heading("Repetitions")?;
        // The list may be cut, so the most important tests come first.
        self.0
            .sort_by_key(|test| (rank(test.repetitions.score()), test.position));
        self.table(page)?;
        match self.0.len().saturating_sub(LISTED) {
            0 => Ok(()),
            hidden => {
                let more = format!("… and {}", count(hidden, "more test"));
                page.row(2, &[(DIM, &more)])
            }
        }?;
        let legend = "in parentheses: the 95% confidence interval of the pass rate";
        page.paragraph(2, 2, &[(DIM, legend)])
    }

    fn table(&self, page: &mut Page) -> io::Result<()> {
        let rows = || self.0.iter().take(LISTED);
        let titles: Vec<_> = rows().map(|row| one_line(&row.title)).collect();
        let numbers: Vec<_> = rows().map(|row| numbers(row.repetitions)).collect();
        let widths = [0, 1].map(|column| widest(&numbers, |numbers| &numbers[column]));
        let room = page.width().saturating_sub(GAPS + widths[0] + widths[1]);
        let full: Vec<_> = rows().map(|row| slowest(row.repetitions)).collect();
        let has_room = widest(&full, |text| text) + MIN_TITLE <= room;
        let short = || rows().map(|row| human(row.repetitions.slowest_ms));
        let slowest: Vec<_> = if has_room { full } else { short().collect() };
        let room = room.saturating_sub(widest(&slowest, |text| text));
        let title = widest(&titles, |title| title).min(room);
        for (number, row) in rows().enumerate() {
            let [passed, rate] = &numbers[number];
            let gap = [widths[0] - columns(passed), widths[1] - columns(rate)];
            let text = format!(
                "  {}{passed}  {rate}{}",
                " ".repeat(gap[0]),
                " ".repeat(gap[1])
            );
            page.row(
                2,
                &[
                    mark(row.repetitions.score()),
                    (PLAIN, &cell(&titles[number], title)),
                    (PLAIN, &text),
                    (DIM, &format!("  {}", slowest[number])),
                ],
            )?;
        }
        Ok(())
    }
}

/// `97 of 100` and `97% (91.5–99%)`
fn numbers(repetitions: Repetitions) -> [String; 2] {
    let score = repetitions.score();
    [format!("{} passed", passed(score)), rate(score)]
}

/// `slowest 1.2 s (repetition 45)`
fn slowest(repetitions: Repetitions) -> String {
    let duration = human(repetitions.slowest_ms);
    format!("slowest {duration} (repetition {})", repetitions.slowest)
}

/// All about the repetitions of a test: `97 of 100 repetitions passed, 97% (91.5–99%), slowest 1.2 s (repetition 45)`.
pub(crate) fn repetitions_line(repetitions: Repetitions) -> String {
    let score = repetitions.score();
    format!(
        "{} repetitions passed, {}, {}",
        passed(score),
        rate(score),
        slowest(repetitions)
    )
}

/// `97% (91.5–99%)`: the pass rate with its 95 % interval.
fn rate(score: TrialScore) -> String {
    let (Some(rate), Some((low, high))) = (score.rate(), score.interval()) else {
        return "–".into();
    };
    let [rate, low, high] = [rate, low, high].map(|share| percent(share, score.trials));
    format!("{rate}% ({low}–{high}%)")
}

/// The more repetitions, the more digits are significant.
fn percent(share: f64, trials: u64) -> String {
    let digits = trials.max(1).ilog10().saturating_sub(1) as usize;
    let text = format!("{:.digits$}", share * 100.0);
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_has_as_many_digits_as_the_repetitions_give() {
        for (passed, trials, text) in [
            (3, 3, "100% (44–100%)"),
            (0, 1, "0% (0–79%)"),
            (97, 100, "97% (91.5–99%)"),
            (99_998, 100_000, "99.998% (99.9927–99.9995%)"),
        ] {
            assert_eq!(rate(TrialScore { trials, passed }), text);
        }
        assert_eq!(rate(TrialScore::default()), "–");
    }
}
