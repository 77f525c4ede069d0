//! The reviewer: rules R1 to R4. It reads, and changes nothing.
//!
//! `checks` lists what is looked for, `wording` and `structure` look at the outline, `code` at the Ruby code (`cast` tells
//! it who is tested), `states` compares with the metadata, [`report`] writes it down.

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

/// Checks of the arrangement.
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

/// One thing that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Which check.
    pub check: &'static Check,
    /// How bad.
    pub severity: Severity,
    /// Where.
    pub line: usize,
    /// What.
    pub issue: String,
}

/// What came of a review.
#[derive(Debug, Clone, Default)]
pub struct Review {
    /// In the order of the lines.
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

    /// How many of that severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings
            .iter()
            .filter(|finding| finding.severity == severity)
            .count()
    }

    /// How many findings are about how contexts and examples are arranged: what no change of wording mends.
    pub fn structural(&self) -> usize {
        self.findings
            .iter()
            .filter(|finding| STRUCTURAL.contains(&finding.check.slug))
            .count()
    }

    /// In two words.
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

/// What is known about a spec besides its text.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReviewContext<'a> {
    /// Its path from the root.
    pub path: &'a str,
    /// The level of the test.
    pub level: Option<TestLevel>,
    /// The metadata, if there is some.
    pub plans: &'a [Plan],
}

/// Reviews a spec. One that is not Ruby, or not yet, is looked at as far as it can be read.
pub fn review(spec: &str, about: &ReviewContext<'_>) -> Review {
    let mut review = Review::default();
    for (line, token) in leftovers(spec) {
        review.add("leftover", line, format!("{token} is left over"));
    }
    let read = match outline(spec.as_bytes(), about.path) {
        Ok(outline) => Some(outline),
        Err(RubyError::Syntax { line, message }) if review.findings.is_empty() => {
            review.add("syntax", line, message);
            None
        }
        Err(_) => None,
    };
    if let Some(outline) = &read {
        for group in outline.groups.iter().chain(&outline.shared) {
            wording::check(group, &mut review);
            structure::check(group, &mut review);
        }
        states::check(outline, about, &mut review);
    }
    code::check(spec, about, &SpecRoles::of(read.as_ref()), &mut review);
    review.findings.sort_by_key(|finding| finding.line);
    review
}
