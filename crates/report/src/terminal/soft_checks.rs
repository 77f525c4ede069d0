//! The scores of criteria, and failed soft checks. The latter do not fail a test, so this list is the only place that shows them, together with checks
//! that could not be judged.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;

use casebook_record::event::EvaluationRecorded;
use casebook_record::{ExampleData, Metadata};

use super::page::Page;
use super::slowest::{cell, widest};
use super::style::{BAD, DIM, PLAIN, WARN};
use super::text::one_line;
use crate::flag;
use crate::scores::Scores;

/// Checks listed.
const LISTED: usize = 20;
/// Reasons listed for checks that could not be judged.
const REASONS: usize = 5;
/// Columns of a row without the name of the check, and the shortest name.
const COUNTS: usize = 60;
const MIN_CHECK: usize = 24;

/// The results of all soft checks of a run.
#[derive(Default)]
pub(super) struct SoftChecks {
    checks: BTreeMap<String, Count>,
    /// Why checks could not be judged.
    reasons: BTreeSet<String>,
    /// Results of running tests by id. Only those of the last attempt count.
    running: HashMap<String, Vec<(String, SoftResult)>>,
    /// The scores of all criteria with a scale, hard ones too.
    scores: Scores,
}

enum SoftResult {
    Held,
    Failed,
    Inconclusive,
    Unjudged(String),
}

/// The results of one check over all tests.
#[derive(Default)]
struct Count {
    passed: usize,
    failed: usize,
    inconclusive: usize,
    unjudged: usize,
}

impl SoftChecks {
    /// Counts the results of an example of a finished run.
    pub(super) fn add_example(&mut self, example: &ExampleData) {
        self.scores.add_example(example);
        let evaluations = example.evaluations.iter();
        for one in evaluations.filter(|one| one.mode.as_deref() == Some("soft")) {
            let message = one.failure_message.as_deref();
            let found = SoftResult::of(one.passed, message, &one.metadata);
            self.add(one.description.clone(), found);
        }
    }

    /// Starts an attempt at a test and drops the results of the previous one.
    pub(super) fn begin(&mut self, example: &str) {
        self.running.remove(example);
        self.scores.begin(example);
    }

    pub(super) fn note(&mut self, event: &EvaluationRecorded) {
        self.scores.note(event);
        if !is_soft(event) {
            return;
        }
        let message = event.failure_message.as_deref();
        let found = SoftResult::of(event.passed, message, &event.metadata);
        let of_test = self.running.entry(event.example_id.clone()).or_default();
        of_test.push((event.description.clone(), found));
    }

    /// Counts the results of a test whose last attempt has ended.
    pub(super) fn end(&mut self, example: &str) {
        self.scores.end(example);
        for (check, found) in self.running.remove(example).unwrap_or_default() {
            self.add(check, found);
        }
    }

    fn add(&mut self, check: String, found: SoftResult) {
        let count = self.checks.entry(check).or_default();
        match found {
            SoftResult::Held => count.passed += 1,
            SoftResult::Failed => count.failed += 1,
            SoftResult::Inconclusive => count.inconclusive += 1,
            SoftResult::Unjudged(why) => {
                count.unjudged += 1;
                self.reasons.insert(why);
            }
        }
    }

    /// Shows the scores, and lists the checks that did not always pass.
    pub(super) fn show(&self, page: &mut Page) -> io::Result<()> {
        self.show_scores(page)?;
        let some: Vec<_> = self
            .checks
            .iter()
            .filter(|(_, count)| count.passed < count.all())
            .map(|(check, count)| (one_line(check), count))
            .collect();
        if some.is_empty() {
            return Ok(());
        }
        page.heading("`evaluate` checks")?;
        let room = page.width().saturating_sub(COUNTS).max(MIN_CHECK);
        let width = widest(&some, |(check, _)| check).min(room);
        for (check, count) in some.iter().take(LISTED) {
            count.show(page, &cell(check, width))?;
        }
        more(page, some.len().saturating_sub(LISTED))?;
        for reason in self.reasons.iter().take(REASONS) {
            page.paragraph(2, 2, &[(WARN, reason)])?;
        }
        more(page, self.reasons.len().saturating_sub(REASONS))
    }
}

impl SoftChecks {
    fn show_scores(&self, page: &mut Page) -> io::Result<()> {
        let figures: Vec<_> = self.scores.figures().collect();
        if figures.is_empty() {
            return Ok(());
        }
        page.heading("Scores")?;
        for (criterion, figures) in figures.iter().take(LISTED) {
            let mean = format!("{}: mean {}", one_line(criterion), figures.mean_text());
            let distribution = format!(" · scores {}", figures.distribution_text());
            page.paragraph(2, 4, &[(PLAIN, &mean), (DIM, &distribution)])?;
        }
        more(page, figures.len().saturating_sub(LISTED))
    }
}

/// Whether the summary counts the result of a check: of a soft one, or the score of any.
pub(super) fn is_counted(event: &EvaluationRecorded) -> bool {
    is_soft(event) || event.metadata.get("score").is_some()
}

/// Whether the evaluation is a soft check.
fn is_soft(event: &EvaluationRecorded) -> bool {
    event.mode.as_deref() == Some("soft")
}

impl SoftResult {
    fn of(passed: bool, message: Option<&str>, metadata: &Metadata) -> SoftResult {
        if passed {
            return SoftResult::Held;
        }
        let verdict = metadata.get("verdict").and_then(serde_json::Value::as_str);
        match verdict {
            _ if flag(metadata, "unjudged") => {
                SoftResult::Unjudged(message.unwrap_or_default().to_owned())
            }
            Some("inconclusive") => SoftResult::Inconclusive,
            _ => SoftResult::Failed,
        }
    }
}

impl Count {
    fn all(&self) -> usize {
        self.passed + self.failed + self.inconclusive + self.unjudged
    }

    /// `✗ satisfies friendly  2 of 4 passed, 1 failed, 1 inconclusive`
    fn show(&self, page: &mut Page, check: &str) -> io::Result<()> {
        let mark = match self.failed {
            0 => (WARN, "? "),
            _ => (BAD, "✗ "),
        };
        let others = [
            (self.failed, "failed"),
            (self.inconclusive, "inconclusive"),
            (self.unjudged, "not judged"),
        ];
        let others = others.iter().filter(|(number, _)| *number > 0);
        let others: Vec<_> = others
            .map(|(number, word)| format!(", {number} {word}"))
            .collect();
        let others = others.concat();
        let text = format!("  {} of {} passed{others}", self.passed, self.all());
        page.row(2, &[mark, (PLAIN, check), (PLAIN, &text)])
    }
}

fn more(page: &mut Page, hidden: usize) -> io::Result<()> {
    match hidden {
        0 => Ok(()),
        hidden => page.row(2, &[(DIM, &format!("… and {hidden} more"))]),
    }
}

#[cfg(test)]
mod tests {
    use casebook_record::Time;
    use serde_json::{Value, json};

    use super::*;

    fn evaluation(
        mode: &str,
        check: &str,
        message: Option<&str>,
        metadata: &Value,
    ) -> EvaluationRecorded {
        let metadata = metadata.as_object().cloned().unwrap_or_default();
        EvaluationRecorded {
            time: Time::from_millis(0),
            example_id: "1".into(),
            turn_number: None,
            mode: Some(mode.into()),
            r#type: None,
            name: None,
            description: check.into(),
            passed: message.is_none(),
            reasoning: None,
            failure_message: message.map(str::to_owned),
            metadata: metadata.into_iter().collect(),
        }
    }

    fn shown(soft: &SoftChecks) -> String {
        let mut out = Vec::new();
        soft.show(&mut Page::new(&mut out, false, 80)).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn failed_and_unjudged_soft_checks_are_listed_with_reasons() {
        let mut soft = SoftChecks::default();
        let unjudged = json!({"verdict": "inconclusive", "unjudged": true});
        let why = Some("cannot get a verdict: status 401");
        for (mode, check, message, metadata) in [
            (
                "soft",
                "satisfies friendly",
                None,
                json!({"verdict": "passed"}),
            ),
            (
                "soft",
                "satisfies friendly",
                Some("no"),
                json!({"verdict": "failed"}),
            ),
            (
                "soft",
                "satisfies friendly",
                Some("?"),
                json!({"verdict": "inconclusive"}),
            ),
            ("soft", "intent help", why, unjudged.clone()),
            ("soft", "claims a price", why, unjudged),
            ("soft", "contains x", None, json!({})),
            ("hard", "contains y", Some("no"), json!({})),
        ] {
            soft.note(&evaluation(mode, check, message, &metadata));
        }
        assert_eq!(shown(&soft), "", "the test has not ended");
        soft.end("1");
        insta::assert_snapshot!(shown(&soft), @r"

        ── `evaluate` checks ───────────────────────────────────────────────────────────

          ? claims a price      0 of 1 passed, 1 not judged
          ? intent help         0 of 1 passed, 1 not judged
          ✗ satisfies friendly  1 of 3 passed, 1 failed, 1 inconclusive
          cannot get a verdict: status 401
        ");
    }

    #[test]
    fn only_the_last_attempt_counts_and_passed_checks_are_not_listed() {
        let mut soft = SoftChecks::default();
        soft.note(&evaluation("soft", "contains x", Some("no"), &json!({})));
        soft.begin("1");
        soft.note(&evaluation("soft", "contains x", None, &json!({})));
        soft.end("1");
        assert_eq!(shown(&soft), "");
    }
}
