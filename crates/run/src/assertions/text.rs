//! Assertions on text.

use casebook_record::Comparison;
use casebook_suite::ere::Ere;
use casebook_suite::model::TextCheck;

use super::{CheckResult, pattern, quoted, shortened};
use crate::budget::OutputBudget;
use crate::shell::capture::trimmed;

/// Describes the assertion, to follow the field's name.
pub(super) fn description(check: &TextCheck) -> String {
    format!(" {}", expected(check))
}

/// The expected text in quotes, or the pattern without.
pub(crate) fn expected(check: &TextCheck) -> String {
    if check.is_pattern() {
        shortened(check.expected())
    } else {
        quoted(check.expected())
    }
}

/// The comparison as a verb.
pub(crate) fn verb(check: &TextCheck) -> &'static str {
    match check {
        TextCheck::Equals(_) => "equals",
        TextCheck::Contains(_) => "contains",
        TextCheck::NotContains(_) => "does not contain",
        TextCheck::Matches(_) => "matches",
        TextCheck::NotMatches(_) => "does not match",
    }
}

/// The comparison in the record.
pub(crate) fn comparison(check: &TextCheck) -> Comparison {
    match check {
        TextCheck::Equals(_) => Comparison::Equals,
        TextCheck::Contains(_) => Comparison::Contains,
        TextCheck::NotContains(_) => Comparison::NotContains,
        TextCheck::Matches(_) => Comparison::Matches,
        TextCheck::NotMatches(_) => Comparison::NotMatches,
    }
}

/// Checks the text, without the newlines at its end.
pub(crate) fn check(
    name: &str,
    check: &TextCheck,
    text: &[u8],
    budget: &OutputBudget,
) -> CheckResult {
    let (expected, problem) = match check {
        TextCheck::Equals(expected) => (expected, equals(name, expected, text)),
        TextCheck::Contains(part) => {
            let problem = position(text, needle(part))
                .is_none()
                .then(|| format!("{name} does not contain {}", quoted(part)));
            (part, problem)
        }
        TextCheck::NotContains(part) => {
            let problem = position(text, needle(part)).map(|at| {
                format!(
                    "{name} contains {} in line {}",
                    quoted(part),
                    line(text, at)
                )
            });
            (part, problem)
        }
        TextCheck::Matches(pattern) => {
            let problem = match pattern::check(pattern, text) {
                Ok(Some(_)) => None,
                Ok(None) => {
                    let hint = anchor_hint(pattern, text);
                    Some(format!(
                        "{name} does not match {}{hint}",
                        shortened(pattern)
                    ))
                }
                Err(error) => Some(error.to_string()),
            };
            (pattern, problem)
        }
        TextCheck::NotMatches(pattern) => {
            let problem = match pattern::check(pattern, text) {
                Ok(Some(at)) => Some(format!(
                    "{name} matches {} in line {}",
                    shortened(pattern),
                    line(text, at)
                )),
                Ok(None) => None,
                Err(error) => Some(error.to_string()),
            };
            (pattern, problem)
        }
    };
    let result = CheckResult {
        problem,
        expected: Some(expected.as_str().into()),
        ..CheckResult::default()
    };
    result.with_actual(text, budget)
}

/// The problem with a truncated text: what is not in it may be in the missing rest.
pub(super) fn truncated_problem(
    name: &str,
    check: &TextCheck,
    problem: Option<String>,
) -> Option<String> {
    let requires_complete_text = match check {
        TextCheck::Equals(_) | TextCheck::NotContains(_) | TextCheck::NotMatches(_) => true,
        TextCheck::Contains(_) | TextCheck::Matches(_) => false,
    };
    let reason = "was truncated by --max-output, so the rest cannot be checked";
    match problem {
        None if requires_complete_text => Some(format!("{name} {reason}")),
        Some(problem) if !requires_complete_text => Some(format!("{problem}; it {reason}")),
        problem => problem,
    }
}

fn equals(name: &str, expected: &str, text: &[u8]) -> Option<String> {
    if trimmed(expected.as_bytes()) == text {
        return None;
    }
    Some(match (expected.trim_end_matches('\n'), text) {
        (_, []) => format!("{name} is empty"),
        ("", _) => format!("{name} is not empty"),
        _ => format!("{name} differs from the expected text"),
    })
}

/// At most this many lines are tried one by one.
const LINES: usize = 200;
/// Longer lines are skipped, because some patterns would take long.
const LONG_LINE: usize = 4 << 10;

/// A hint for users who expect `^` and `$` to match at the ends of each line.
fn anchor_hint(pattern: &str, text: &[u8]) -> String {
    let has_lines = text.contains(&b'\n');
    let Some(pattern) = Some(pattern)
        .filter(|pattern| has_lines && pattern.contains(['^', '$']))
        .and_then(|pattern| Ere::new(pattern).ok())
    else {
        return String::new();
    };
    let mut lines = text.split(|byte| *byte == b'\n').take(LINES).zip(1..);
    let matching = lines.find(|(line, _)| line.len() < LONG_LINE && pattern.is_match(line));
    matching.map_or_else(String::new, |(_, number)| {
        format!("; line {number} matches, but ^ and $ match only at the ends of the whole text")
    })
}

/// Removes newlines at the end, as from the checked text.
fn needle(part: &str) -> &[u8] {
    let trimmed = trimmed(part.as_bytes());
    // A text of newlines only is searched for unchanged.
    if trimmed.is_empty() {
        part.as_bytes()
    } else {
        trimmed
    }
}

fn position(text: &[u8], part: &[u8]) -> Option<usize> {
    memchr::memmem::find(text, part)
}

fn line(text: &[u8], at: usize) -> usize {
    text[..at].iter().filter(|byte| **byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_compared_without_the_newlines_at_their_ends() {
        let passes = |check: &TextCheck, text: &str| {
            super::check(
                "output",
                check,
                trimmed(text.as_bytes()),
                &OutputBudget::default(),
            )
            .problem
            .is_none()
        };
        for (check, text, expected) in [
            (TextCheck::Equals("a\n\n".into()), "a\n", true),
            (TextCheck::Equals("a ".into()), "a", false),
            (TextCheck::Equals(String::new()), "\n\n", true),
            (TextCheck::Contains("b\n".into()), "a\nb", true),
            (TextCheck::Contains("b\nc".into()), "a\nb\nc", true),
            (TextCheck::NotContains("b".into()), "a", true),
            (TextCheck::Matches("^a.b$".into()), "a\nb\n", true),
            (TextCheck::NotMatches("[0-9]".into()), "a1", false),
        ] {
            assert_eq!(passes(&check, text), expected, "{check:?} on {text:?}");
        }
    }

    #[test]
    fn anchors_meant_for_a_line_get_a_hint() {
        let problem = |pattern: &str| {
            let check = TextCheck::Matches(pattern.into());
            super::check(
                "output",
                &check,
                b"beer 3\nbread 2",
                &OutputBudget::default(),
            )
            .problem
            .unwrap()
        };
        assert_eq!(
            problem("^bread [0-9]$"),
            "output does not match ^bread [0-9]$; line 2 matches, but ^ and $ match only at the ends of the whole text"
        );
        assert_eq!(problem("^wine$"), "output does not match ^wine$");
        assert_eq!(problem("wine"), "output does not match wine");
    }

    #[test]
    fn unexpected_text_is_located() {
        let result = check(
            "output",
            &TextCheck::NotContains("x".into()),
            b"a\nb\nx",
            &OutputBudget::default(),
        );
        assert_eq!(result.problem.unwrap(), "output contains \"x\" in line 3");
    }
}
