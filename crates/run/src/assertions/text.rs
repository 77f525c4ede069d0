//! Assertions on text.

use std::path::Path;

use casebook_record::Comparison;
use casebook_suite::ere::Ere;
use casebook_suite::model::TextCheck;

use super::pattern::MatchError;
use super::{CheckResult, Normalizers, file, pattern, quoted, shortened};
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
        TextCheck::EqualsFile(_) => "equals the file",
        TextCheck::Contains(_) => "contains",
        TextCheck::NotContains(_) => "does not contain",
        TextCheck::Matches(_) => "matches",
        TextCheck::NotMatches(_) => "does not match",
    }
}

/// The comparison in the record.
pub(crate) fn comparison(check: &TextCheck) -> Comparison {
    match check {
        TextCheck::Equals(_) | TextCheck::EqualsFile(_) => Comparison::Equals,
        TextCheck::Contains(_) => Comparison::Contains,
        TextCheck::NotContains(_) => Comparison::NotContains,
        TextCheck::Matches(_) => Comparison::Matches,
        TextCheck::NotMatches(_) => Comparison::NotMatches,
    }
}

/// The text that is checked.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'a> {
    /// Its name in messages.
    pub(crate) name: &'a str,
    /// The text, without the newlines at its end.
    pub(crate) text: &'a [u8],
    /// Whether the case of letters is ignored, except by `Equals`.
    pub(crate) ignore_case: bool,
    /// The directory of the suite, for the files that contain expected texts.
    pub(crate) suite_dir: &'a Path,
    /// Change the text that `Equals` compares.
    pub(crate) normalizers: &'a Normalizers,
}

impl Subject<'_> {
    /// The offset of the first part of the text that equals this one.
    fn position(&self, part: &str) -> Result<Option<usize>, MatchError> {
        let part = needle(part);
        if !self.ignore_case {
            return Ok(memchr::memmem::find(self.text, part));
        }
        let literal = Ere::literal(&String::from_utf8_lossy(part));
        pattern::check(&literal, self.text, true)
    }

    fn find(&self, pattern: &str) -> Result<Option<usize>, MatchError> {
        pattern::check(pattern, self.text, self.ignore_case)
    }
}

/// Checks the text.
pub(crate) fn check(
    subject: &Subject<'_>,
    check: &TextCheck,
    budget: &OutputBudget,
) -> CheckResult {
    let Subject { name, text, .. } = *subject;
    let mut is_undecided = false;
    let mut known = |found: Result<Option<usize>, MatchError>| {
        is_undecided = found.is_err();
        found
    };
    let (expected, problem) = match check {
        TextCheck::Equals(expected) => return equality(subject, expected.as_bytes(), budget),
        TextCheck::EqualsFile(path) => return equals_file(subject, path, budget),
        TextCheck::Contains(part) => {
            let missing = || format!("{name} does not contain {}", quoted(part));
            (part, required(known(subject.position(part)), missing))
        }
        TextCheck::NotContains(part) => {
            let found = |at| {
                format!(
                    "{name} contains {} in line {}",
                    quoted(part),
                    line(text, at)
                )
            };
            (part, forbidden(known(subject.position(part)), found))
        }
        TextCheck::Matches(pattern) => {
            let missing = || {
                let hint = anchor_hint(pattern, text);
                format!("{name} does not match {}{hint}", shortened(pattern))
            };
            (pattern, required(known(subject.find(pattern)), missing))
        }
        TextCheck::NotMatches(pattern) => {
            let found = |at| {
                format!(
                    "{name} matches {} in line {}",
                    shortened(pattern),
                    line(text, at)
                )
            };
            (pattern, forbidden(known(subject.find(pattern)), found))
        }
    };
    let result = CheckResult {
        problem,
        expected: Some(expected.as_str().into()),
        is_undecided,
        ..CheckResult::default()
    };
    result.with_actual(text, budget)
}

/// The problem if nothing was found.
fn required(
    found: Result<Option<usize>, MatchError>,
    missing: impl Fn() -> String,
) -> Option<String> {
    match found {
        Ok(Some(_)) => None,
        Ok(None) => Some(missing()),
        Err(error) => Some(error.to_string()),
    }
}

/// The problem if something was found.
fn forbidden(
    found: Result<Option<usize>, MatchError>,
    message: impl Fn(usize) -> String,
) -> Option<String> {
    match found {
        Ok(found) => found.map(message),
        Err(error) => Some(error.to_string()),
    }
}

/// The problem with a truncated text: what is not in it may be in the missing rest.
pub(super) fn truncated_problem(
    name: &str,
    check: &TextCheck,
    problem: Option<String>,
) -> Option<String> {
    let requires_complete_text = match check {
        TextCheck::Equals(_)
        | TextCheck::EqualsFile(_)
        | TextCheck::NotContains(_)
        | TextCheck::NotMatches(_) => true,
        TextCheck::Contains(_) | TextCheck::Matches(_) => false,
    };
    let reason = "was truncated by --max-output, so the rest cannot be checked";
    match problem {
        None if requires_complete_text => Some(format!("{name} {reason}")),
        Some(problem) if !requires_complete_text => Some(format!("{problem}; it {reason}")),
        problem => problem,
    }
}

/// Checks the text against the content of a file next to the suite.
fn equals_file(subject: &Subject<'_>, path: &str, budget: &OutputBudget) -> CheckResult {
    let mut result = match file::content(&subject.suite_dir.join(path), path) {
        Ok(content) => equality(subject, content.text(), budget),
        Err(problem) => CheckResult {
            problem: Some(format!("the expected text cannot be read: {problem}")),
            ..CheckResult::default()
        }
        .with_actual(subject.text, budget),
    };
    if result.expected.is_some() {
        result.problem = result.problem.map(|problem| format!("{problem} in {path}"));
    }
    result.more.push(("expected_file", path.into()));
    result
}

/// Compares the complete text, both after normalizing.
fn equality(subject: &Subject<'_>, expected: &[u8], budget: &OutputBudget) -> CheckResult {
    let Subject {
        text, normalizers, ..
    } = *subject;
    let normalized = normalizers.apply(expected).and_then(|expected| {
        let text = normalizers.apply(text)?;
        Ok((expected, text))
    });
    let (expected, actual) = match normalized {
        Ok(texts) => texts,
        Err(error) => {
            let problem = Some(format!("`normalize`: {error}"));
            let result = CheckResult {
                problem,
                ..CheckResult::default()
            };
            return result.with_actual(text, budget);
        }
    };
    let result = CheckResult {
        problem: equals(subject.name, &expected, &actual),
        expected: Some(String::from_utf8_lossy(&expected).into()),
        ..CheckResult::default()
    };
    result
        .with_actual(&actual, budget)
        .with_unnormalized(text, &actual, budget)
}

fn equals(name: &str, expected: &[u8], text: &[u8]) -> Option<String> {
    let expected = trimmed(expected);
    if expected == text {
        return None;
    }
    Some(match (expected, text) {
        (_, []) => format!("{name} is empty"),
        ([], _) => format!("{name} is not empty"),
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

fn line(text: &[u8], at: usize) -> usize {
    text[..at].iter().filter(|byte| **byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    static NO_NORMALIZERS: Normalizers = Normalizers::none();

    fn output(text: &[u8]) -> Subject<'_> {
        Subject {
            name: "output",
            text,
            ignore_case: false,
            suite_dir: Path::new(""),
            normalizers: &NO_NORMALIZERS,
        }
    }

    #[test]
    fn case_is_ignored_except_by_equals() {
        for (check, expected) in [
            (TextCheck::Contains("a.b (C)".into()), true),
            (TextCheck::Contains("axb".into()), false),
            (TextCheck::NotContains("a.B".into()), false),
            (TextCheck::Matches("^see a".into()), true),
            (TextCheck::NotMatches("SEE".into()), false),
            (TextCheck::Equals("see a.b (c)".into()), false),
        ] {
            let subject = Subject {
                ignore_case: true,
                ..output(b"See A.b (c)")
            };
            let result = super::check(&subject, &check, &OutputBudget::default());
            assert_eq!(result.problem.is_none(), expected, "{check:?}");
        }
    }

    #[test]
    fn texts_are_compared_without_the_newlines_at_their_ends() {
        let passes = |check: &TextCheck, text: &str| {
            super::check(
                &output(trimmed(text.as_bytes())),
                check,
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
                &output(b"beer 3\nbread 2"),
                &check,
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
            &output(b"a\nb\nx"),
            &TextCheck::NotContains("x".into()),
            &OutputBudget::default(),
        );
        assert_eq!(result.problem.unwrap(), "output contains \"x\" in line 3");
    }
}
