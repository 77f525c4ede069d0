//! The reviewer: rules R1 to R4. It only reads the spec. `checks` lists all checks. `wording` and `structure` examine
//! the outline, `code` examines the Ruby code with the help of `roles`, and `states` compares the spec with the
//! metadata. [`report`] formats the result.

mod checks;
mod code;
mod report;
mod roles;
mod states;
mod structure;
mod wording;

pub use checks::{CHECKS, Check, Severity};
pub use report::report;
pub(crate) use wording::CORNER_WORDS;

use self::roles::SpecRoles;
use crate::metadata::read::Plan;
use crate::outline::outline;
use crate::ruby::{RubyError, TestLevel};
use crate::spec::leftovers;

/// Checks on how contexts and examples are arranged.
const STRUCTURAL: [&str; 8] = [
    "both-directions",
    "context-setup",
    "depth",
    "duplicate-let",
    "happy-path-first",
    "invariant-example",
    "missing-state",
    "one-behaviour",
];

/// One finding of the review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The check that found it.
    pub check: &'static Check,
    /// Usually that of the check.
    pub severity: Severity,
    /// 1-based.
    pub line: usize,
    /// What is wrong at that line.
    pub issue: String,
}

/// The result of a review.
#[derive(Debug, Clone, Default)]
pub struct Review {
    /// Sorted by line.
    pub findings: Vec<Finding>,
}

impl Review {
    fn add(&mut self, slug: &str, line: usize, issue: impl Into<String>) {
        let check = checks::find(slug);
        self.add_as(slug, check.severity, line, issue);
    }

    fn add_as(&mut self, slug: &str, severity: Severity, line: usize, issue: impl Into<String>) {
        self.findings.push(Finding {
            check: checks::find(slug),
            severity,
            line,
            issue: issue.into(),
        });
    }

    /// The number of findings of that severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings
            .iter()
            .filter(|finding| finding.severity == severity)
            .count()
    }

    /// The number of findings about the arrangement of contexts and examples, which rewording cannot fix.
    pub fn structural(&self) -> usize {
        self.findings
            .iter()
            .filter(|finding| STRUCTURAL.contains(&finding.check.slug))
            .count()
    }

    /// The overall rating.
    pub fn status(&self) -> &'static str {
        match (
            self.count(Severity::Violation),
            self.count(Severity::Warning),
        ) {
            (0, 0) => "excellent",
            (0, 1..=5) => "good",
            (0, _) => "needs attention",
            _ => "needs improvement",
        }
    }
}

/// How strictly the style guide is applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Guide {
    /// Matters of wording on which the guide and its users differ are suggestions: a lowercase "not", and contexts that begin
    /// with "with" or "without" on the first level.
    #[default]
    Lenient,
    /// They are violations.
    Strict,
}

impl Guide {
    /// The severity of such a finding.
    fn severity(self) -> Severity {
        match self {
            Guide::Lenient => Severity::Suggestion,
            Guide::Strict => Severity::Violation,
        }
    }
}

/// What the reviewer needs besides the text of the spec.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReviewContext<'a> {
    /// The path of the spec from the project root.
    pub path: &'a str,
    /// The test level of the spec, if known.
    pub level: Option<TestLevel>,
    /// The metadata of the methods it tests, if any.
    pub plans: &'a [Plan],
    /// How strictly the style guide is applied.
    pub guide: Guide,
}

/// Reviews a spec. A spec that is not valid Ruby is reviewed as far as it can be parsed.
pub fn review(spec: &str, context: &ReviewContext<'_>) -> Review {
    let mut review = Review::default();
    for (line, token) in leftovers(spec) {
        review.add("leftover", line, format!("{token} is left over"));
    }
    let read = match outline(spec.as_bytes(), context.path) {
        Ok(outline) => Some(outline),
        Err(RubyError::Syntax { line, message }) if review.findings.is_empty() => {
            review.add("syntax", line, message);
            None
        }
        Err(_) => None,
    };
    if let Some(outline) = &read {
        for group in outline.groups.iter().chain(&outline.shared) {
            wording::check(group, context.guide, &mut review);
            structure::check(group, context.plans, &mut review);
        }
        states::check(outline, context, &mut review);
    }
    code::check(spec, context, &SpecRoles::of(read.as_ref()), &mut review);
    review.findings.sort_by_key(|finding| finding.line);
    review
}
