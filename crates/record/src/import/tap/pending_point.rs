//! A test point whose diagnostics may follow in later lines.

use serde_json::Value;

use super::super::example::{Attempt, ImportedOutcome};
use super::super::truncated::TruncatedText;
use super::line::{Directive, Point};
use super::report::PointDiagnostics;
use crate::metadata::Metadata;
use crate::time::Time;

/// A point that has been read but not emitted.
#[derive(Debug)]
pub(super) struct PendingPoint {
    pub(super) point: Point,
    pub(super) line: u64,
    pub(super) level: usize,
    /// When the previous point was read.
    pub(super) started: Time,
    pub(super) ended: Time,
    /// Seconds, from its own line.
    pub(super) duration: Option<f64>,
    pub(super) diagnostics: TruncatedText,
    pub(super) text: IndentedText,
    pub(super) yaml: Value,
    pub(super) role: Role,
}

/// Text without `#` that mocha writes below a failed point, indented by two spaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IndentedText {
    Absent,
    Open,
    Closed,
}

/// The meaning of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Example,
    /// The result of a subtest, with whether any test in it failed.
    SubtestResult {
        failed_inside: bool,
    },
}

impl PendingPoint {
    /// Whether the point is `not ok` without a directive that excuses it.
    pub(super) fn fails(&self) -> bool {
        !self.point.ok && self.point.directive.is_none()
    }

    /// Whether to emit an example. The result of a subtest only repeats its tests, unless it alone reports a failure.
    pub(super) fn needs_example(&self) -> bool {
        match self.role {
            Role::Example => true,
            Role::SubtestResult { failed_inside } => self.fails() && !failed_inside,
        }
    }

    /// Adds a diagnostic of a failed point. After a passed point, the YAML block or indented text, a comment belongs to
    /// something else.
    pub(super) fn comment(&mut self, text: &str) {
        if !self.point.ok && self.yaml.is_null() && self.text == IndentedText::Absent {
            self.diagnostic(text);
        }
    }

    /// Adds a line of indented text, which starts directly below a failed point and ends with the indentation. Returns
    /// false if the line is not part of it.
    pub(super) fn indented_line(&mut self, number: u64, text: &str) -> bool {
        let margin = self.level * 4 + 2;
        let (indent, content) = text.split_at_checked(margin).unwrap_or((text, ""));
        let is_indented = indent.chars().all(|c| c == ' ');
        let continues = match self.text {
            IndentedText::Open => is_indented,
            IndentedText::Absent => {
                let below_failure = number == self.line + 1 && !self.point.ok;
                // A comment or a deeper line is not the first line of such text.
                let is_text = indent.len() == margin && !content.starts_with([' ', '#']);
                below_failure && is_indented && is_text
            }
            IndentedText::Closed => false,
        };
        if continues {
            self.text = IndentedText::Open;
            self.diagnostic(content);
        } else if self.text == IndentedText::Open {
            self.text = IndentedText::Closed;
        }
        continues
    }

    fn diagnostic(&mut self, text: &str) {
        self.diagnostics.push(text);
        self.diagnostics.push("\n");
    }

    /// The attempt and its location.
    pub(super) fn into_attempt(self) -> (Attempt, Option<String>) {
        let fails = self.fails();
        let (diagnostics, _) = self.diagnostics.into_text();
        let report = PointDiagnostics {
            yaml: &self.yaml,
            diagnostics: &diagnostics,
        };
        let location = report.location();
        let since_the_last = millis_as_seconds(self.ended.millis_since(self.started));
        let duration = report.duration().or(self.duration);
        let outcome = match self.point.directive {
            _ if fails => ImportedOutcome::Failed(report.failure()),
            // `ok` with a TODO is a test that node and vitest did not run, or one that passes before its time.
            Some(Directive::Skip(reason) | Directive::Todo(reason)) => pending(reason),
            None => ImportedOutcome::Passed,
        };
        let mut metadata = Metadata::new();
        if !self.yaml.is_null() {
            metadata.set("yaml", self.yaml);
        }
        let attempt = Attempt {
            started: self.started,
            ended: self.ended,
            duration: duration.unwrap_or(since_the_last),
            outcome,
            metadata,
        };
        (attempt, location)
    }
}

fn pending(reason: String) -> ImportedOutcome {
    // mocha writes `-` instead of a reason.
    ImportedOutcome::Pending(Some(reason).filter(|reason| !matches!(reason.as_str(), "" | "-")))
}

#[expect(
    clippy::cast_precision_loss,
    reason = "the milliseconds of any run are below 2⁵³"
)]
fn millis_as_seconds(millis: i64) -> f64 {
    millis as f64 / 1000.0
}
