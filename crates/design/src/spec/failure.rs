//! Turns examples that failed into pending ones.

use super::block::{indent_of, leftovers};
use super::observed::OBSERVED;

/// The longest error that is quoted, in characters.
const MAX_ERROR: usize = 100;

/// An example that becomes pending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PendingExample {
    /// The line of its expectation, 1-based.
    pub(crate) line: usize,
    /// Why it is pending.
    pub(crate) reason: String,
    /// The first line of the error with which it failed, if it was run.
    pub(crate) error: Option<String>,
}

/// Replaces the expectations of these examples: they become pending, with the reason and the error.
pub(crate) fn make_pending(text: &str, examples: &[PendingExample]) -> String {
    let mut lines: Vec<String> = text.lines().map(ToOwned::to_owned).collect();
    let mut examples: Vec<_> = examples.iter().collect();
    examples.sort_by_key(|example| std::cmp::Reverse(example.line));
    for example in examples {
        let at = example.line - 1;
        let indent = indent_of(&lines[at]);
        let comment = example.error.as_ref();
        let comment = comment.map(|error| format!("{:indent$}# {}", "", plain(error)));
        let skip = pending_line(&plain(&example.reason));
        let skip = format!("{:indent$}{skip}", "");
        let first = first_line(&lines, at);
        lines.splice(first..=at, comment.into_iter().chain([skip]));
    }
    lines.join("\n") + "\n"
}

/// The first line to replace: an observed example starts with its comment.
fn first_line(lines: &[String], expectation: usize) -> usize {
    let first = expectation.saturating_sub(2);
    let comment = lines[first..expectation]
        .iter()
        .position(|line| line.trim() == OBSERVED);
    comment.map_or(expectation, |index| first + index)
}

/// The beginning of the line that makes an example pending.
pub(super) const PENDING: &str = "skip 'To be completed:";

/// The line that makes an example pending.
pub(super) fn pending_line(reason: &str) -> String {
    format!("{PENDING} {}'", quoted(reason))
}

/// Escapes a text for single quotes in Ruby.
pub(super) fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\'', "\\'")
}

/// An error on one short line without addresses, which differ between runs, and without anything that looks like a
/// placeholder.
fn plain(error: &str) -> String {
    let mut text = without_addresses(error);
    if text.chars().count() > MAX_ERROR {
        text = text.chars().take(MAX_ERROR).collect::<String>() + "…";
    }
    if leftovers(&text).is_empty() {
        text
    } else {
        text.replace('{', "{ ")
    }
}

/// `#<Cart:0x00007f> @a` becomes `#<Cart> @a`.
fn without_addresses(text: &str) -> String {
    let mut parts = text.split(":0x");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain += part.trim_start_matches(|digit: char| digit.is_ascii_hexdigit());
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_expectations_become_pending() {
        let spec = "it 'a' do\n  expect(result).to eq(1)\nend\nit 'b' do\n    expect(result).to eq(2)\nend\n";
        let example = |line, reason: &str, error: Option<&str>| PendingExample {
            line,
            reason: reason.to_owned(),
            error: error.map(ToOwned::to_owned),
        };
        for (examples, expected) in [
            (vec![], spec.to_owned()),
            (
                vec![
                    example(2, "it failed: NameError: it's", Some("NameError: it's")),
                    example(5, "unknown", None),
                ],
                "it 'a' do\n  # NameError: it's\n  skip 'To be completed: it failed: NameError: it\\'s'\nend\n\
                 it 'b' do\n    skip 'To be completed: unknown'\nend\n"
                    .to_owned(),
            ),
        ] {
            assert_eq!(make_pending(spec, &examples), expected);
        }
    }

    #[test]
    fn errors_are_short_and_the_same_in_every_run() {
        for (error, expected) in [
            ("E: #<Cart:0x00007f1d @a=#<B:0x1>>", "E: #<Cart @a=#<B>>"),
            ("KeyError: {NAME}", "KeyError: { NAME}"),
            ("KeyError: {name}", "KeyError: {name}"),
        ] {
            assert_eq!(plain(error), expected);
        }
        assert_eq!(plain(&"x".repeat(300)).chars().count(), MAX_ERROR + 1);
    }
}
