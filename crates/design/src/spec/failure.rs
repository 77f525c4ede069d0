//! Turns examples that failed into pending ones.

use super::block::{indent_of, leftovers};

/// The longest error that is quoted, in characters.
const MAX_ERROR: usize = 100;

/// Before the error of an example that failed, in the reason why it is pending.
pub(crate) const FAILED: &str = "it failed: ";

/// Replaces the expectations on these lines (1-based): the example becomes pending, with this reason.
pub(crate) fn make_pending(text: &str, failures: &[(usize, String)]) -> String {
    let mut lines: Vec<String> = text.lines().map(ToOwned::to_owned).collect();
    let mut failures: Vec<_> = failures.iter().collect();
    failures.sort_by_key(|(line, _)| std::cmp::Reverse(*line));
    for (line, reason) in failures {
        let at = line - 1;
        let indent = indent_of(&lines[at]);
        let reason = plain(reason);
        let comment = reason.strip_prefix(FAILED).unwrap_or(&reason);
        let new = [
            format!("{:indent$}# {comment}", ""),
            format!("{:indent$}{}", "", pending_line(&reason)),
        ];
        lines.splice(at..=at, new);
    }
    lines.join("\n") + "\n"
}

/// The line that makes an example pending.
pub(super) fn pending_line(reason: &str) -> String {
    format!("skip 'To be completed: {}'", quoted(reason))
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
        for (failures, expected) in [
            (vec![], spec.to_owned()),
            (
                vec![(2, "it failed: NameError: it's"), (5, "it failed: expected: 2, got: 3")],
                "it 'a' do\n  # NameError: it's\n  skip 'To be completed: it failed: NameError: it\\'s'\nend\n\
                 it 'b' do\n    # expected: 2, got: 3\n    skip 'To be completed: it failed: expected: 2, got: 3'\nend\n"
                    .to_owned(),
            ),
        ] {
            let failures: Vec<_> = failures
                .into_iter()
                .map(|(line, error)| (line, error.to_owned()))
                .collect();
            assert_eq!(make_pending(spec, &failures), expected);
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
