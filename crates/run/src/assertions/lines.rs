//! Assertions on the lines of the output.

use casebook_suite::model::conversation::Bounds;

use super::CheckResult;
use crate::numbers::{counted, float, format_bounds};
use crate::shell::capture::Captured;

const TRUNCATED: &str = "output was truncated by --max-output, so its lines cannot be counted";

/// The lines of the text; an empty text has none.
fn lines(text: &[u8]) -> Vec<&[u8]> {
    if text.is_empty() {
        return Vec::new();
    }
    text.split(|byte| *byte == b'\n').collect()
}

/// Checks the number of lines.
pub(super) fn count(bounds: Bounds, output: &Captured) -> CheckResult {
    let count = lines(output.text()).len();
    let problem = if output.truncated {
        Some(TRUNCATED.to_owned())
    } else if bounds.contains(float(count)) {
        None
    } else {
        let required = format_bounds(bounds);
        Some(format!(
            "output has {} instead of {required}",
            counted(count, "line")
        ))
    };
    CheckResult {
        problem,
        expected: Some(bounds.to_fields().into()),
        actual: Some(count.into()),
        ..CheckResult::default()
    }
}

/// Checks one line; negative numbers count from the end.
pub(super) fn line(number: i32, expected: &str, output: &Captured) -> CheckResult {
    let lines = lines(output.text());
    let index = match usize::try_from(number) {
        Ok(number) => number.checked_sub(1),
        Err(_) => lines.len().checked_sub(number.unsigned_abs() as usize),
    };
    let actual = index.and_then(|index| lines.get(index));
    let problem = match actual {
        _ if number < 0 && output.truncated => Some(TRUNCATED.to_owned()),
        Some(actual) if *actual == expected.as_bytes() => None,
        Some(_) => Some(format!("line {number} of the output is different")),
        None => Some(format!(
            "output has no line {number}: it has {}",
            counted(lines.len(), "line")
        )),
    };
    CheckResult {
        problem,
        expected: Some(expected.into()),
        actual: actual.map(|line| String::from_utf8_lossy(line).into()),
        ..CheckResult::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn captured(text: &str) -> Captured {
        let mut captured = Captured::default();
        captured.take(text.as_bytes(), 100);
        captured
    }

    #[test]
    fn lines_are_counted_without_the_newlines_at_the_end() {
        let exactly = |count: f64| Bounds {
            min: Some(count),
            max: Some(count),
        };
        for (text, lines) in [("", 0.0), ("\n\n", 0.0), ("a", 1.0), ("a\n\nb\n", 3.0)] {
            let result = count(exactly(lines), &captured(text));
            assert_eq!(result.problem, None, "{text:?}");
        }
        let result = count(exactly(2.0), &captured("a\n"));
        assert_eq!(result.problem.unwrap(), "output has 1 line instead of 2");
    }

    #[test]
    fn lines_are_found_from_both_ends() {
        let output = captured("a\nb\nc\n");
        for (number, expected, passes) in [
            (1, "a", true),
            (3, "c", true),
            (-1, "c", true),
            (-3, "a", true),
            (2, "a", false),
        ] {
            let result = line(number, expected, &output);
            assert_eq!(result.problem.is_none(), passes, "{number}");
        }
        for number in [4, -4] {
            let problem = line(number, "a", &output).problem.unwrap();
            assert_eq!(
                problem,
                format!("output has no line {number}: it has 3 lines")
            );
        }
    }
}
