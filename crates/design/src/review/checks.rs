//! [`Check`]: what the reviewer looks for, with the rules of the style guide: numbers of its 28 earlier rules and of its 17
//! present ones.

mod table;

pub use table::CHECKS;

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// A "must" rule of the guide is broken.
    Violation,
    /// A "should" rule of the guide is broken.
    Warning,
    /// A "may" rule of the guide is not followed.
    Suggestion,
}

/// One check.
#[derive(Debug, PartialEq, Eq)]
pub struct Check {
    /// Its stable name.
    pub slug: &'static str,
    /// Its number among the earlier 28 rules, if it has one.
    pub rule: Option<u8>,
    /// The severity of its findings, unless a finding overrides it.
    pub severity: Severity,
    /// Whether it may report false positives.
    pub is_heuristic: bool,
    /// Why it matters.
    pub why: &'static str,
    /// What to do.
    pub fix: &'static str,
}

impl Check {
    /// The rule's number in the present guide.
    pub fn present_rule(&self) -> Option<&'static str> {
        const PRESENT: [&str; 28] = [
            "1", "2", "3", "4.1", "4.2", "4.5", "4.2", "4.3", "4.4", "6", "5", "9.1", "9.2", "9.3",
            "7", "8", "10.1", "10.1", "10.2", "10.3", "10.4", "12", "11", "13", "14", "15", "16",
            "17",
        ];
        let rule = usize::from(self.rule?);
        PRESENT.get(rule.checked_sub(1)?).copied()
    }

    /// The rule that it follows, with its numbers in both editions of the guide.
    pub fn rules(&self) -> String {
        match (self.rule, self.present_rule()) {
            (Some(earlier), Some(present)) => {
                format!("style guide {present} ({earlier} in its earlier edition)")
            }
            _ => "Casebook's own".to_owned(),
        }
    }
}

/// The check with that slug.
pub(super) fn find(slug: &str) -> &'static Check {
    CHECKS
        .iter()
        .find(|check| check.slug == slug)
        .expect("the slug is in CHECKS")
}
