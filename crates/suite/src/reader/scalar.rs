//! Decodes numbers, booleans, durations and choices.

use std::time::Duration;

use casebook_source::yaml::Node;
use casebook_source::{Diagnostic, closest_match};

use super::Reader;
use crate::codes::WRONG_VALUE;
use crate::run_time::shown;

impl Reader<'_, '_> {
    /// A whole number from 0 to `max`.
    pub(crate) fn number(&mut self, field: &str, node: &Node, max: u32) -> Option<u32> {
        self.whole_number(field, node, 0, max)
    }

    /// A whole number from 1 to `max`.
    pub(crate) fn count(&mut self, field: &str, node: &Node, max: u32) -> Option<u32> {
        self.whole_number(field, node, 1, max)
    }

    fn whole_number(&mut self, field: &str, node: &Node, min: u32, max: u32) -> Option<u32> {
        self.parsed(
            field,
            node,
            &format!("a whole number from {min} to {max}"),
            |text| {
                let number = text.parse().ok();
                number.filter(|number| (min..=max).contains(number))
            },
        )
    }

    /// A number that is neither infinite nor NaN.
    pub(crate) fn finite_number(&mut self, field: &str, node: &Node) -> Option<f64> {
        self.parsed(field, node, "a number", |text| {
            let number = text.parse::<f64>().ok();
            number.filter(|number| number.is_finite())
        })
    }

    /// A JSON Pointer.
    pub(crate) fn pointer(&mut self, field: &str, node: &Node) -> Option<String> {
        let text = self.text(field, node)?;
        if text.is_empty() || text.starts_with('/') {
            return Some(text);
        }
        let message = format!("`{text}` is not a JSON Pointer");
        let help = format!("a pointer begins with a slash: `/{text}`");
        self.note(WRONG_VALUE, node.span, message).help_last(&help);
        None
    }

    /// One of these words.
    pub(crate) fn choice(
        &mut self,
        field: &str,
        node: &Node,
        words: &[&'static str],
    ) -> Option<&'static str> {
        let expected = format!("one of {}", words.join(", "));
        let text = self.single(field, node, &expected)?;
        let word = words.iter().find(|word| **word == text.trim()).copied();
        if word.is_none() {
            let suggestion = closest_match(text.trim(), words.iter().copied());
            let help = suggestion.map(|name| format!("did you mean `{name}`?"));
            let message = format!("`{field}` must be {expected}, got '{text}'");
            let problem = Diagnostic::error(WRONG_VALUE, node.span, message);
            self.problems.push(problem.maybe_help(help));
        }
        word
    }

    pub(crate) fn bool(&mut self, field: &str, node: &Node) -> Option<bool> {
        let expected = "true or false";
        let text = self.single(field, node, expected)?;
        let bool = as_bool(&text);
        if bool.is_none() {
            self.not_a_bool(field, node, expected, &text);
        }
        bool
    }

    /// A boolean or a string that is not empty. `expected` describes both, for messages. Words that mean a boolean in YAML 1.1 are
    /// neither: `skip: no` would skip the test.
    pub(crate) fn bool_or_text(
        &mut self,
        field: &str,
        node: &Node,
        expected: &str,
    ) -> Option<BoolOrText> {
        let text = self.single(field, node, expected)?;
        if let Some(bool) = as_bool(&text) {
            return Some(BoolOrText::Bool(bool));
        }
        if text.trim().is_empty() || old_bool(&text).is_some() {
            self.not_a_bool(field, node, expected, &text);
            return None;
        }
        Some(BoolOrText::Text(text))
    }

    fn not_a_bool(&mut self, field: &str, node: &Node, expected: &str, text: &str) {
        self.type_error(node, format!("`{field}` must be {expected}, got '{text}'"));
        if let Some(meant) = old_bool(text) {
            self.help_last(&format!(
                "write `{field}: {meant}`; `{}` is a boolean in YAML 1.1, but a string in YAML 1.2",
                text.trim()
            ));
        }
    }

    /// Seconds, or a number with a unit.
    pub(crate) fn duration(&mut self, field: &str, node: &Node) -> Option<Duration> {
        self.parsed(field, node, DURATION, as_duration)
    }

    /// A single value that `parse` accepts; `expected` describes it for messages.
    pub(crate) fn parsed<T>(
        &mut self,
        field: &str,
        node: &Node,
        expected: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let text = self.single(field, node, expected)?;
        let value = parse(text.trim());
        if value.is_none() {
            let text = shown(&text);
            self.type_error(node, format!("`{field}` must be {expected}, got '{text}'"));
        }
        value
    }

    /// The text of a single value; `expected` describes the values allowed, for messages.
    fn single(&mut self, field: &str, node: &Node, expected: &str) -> Option<String> {
        if node.is_null() {
            let message = format!("`{field}` has no value; it must be {expected}");
            self.type_error(node, message)
                .help_last("write a value, or remove the field");
            return None;
        }
        if node.as_text().is_none() {
            let message = format!("`{field}` must be {expected}, not {}", node.describe());
            self.type_error(node, message);
            return None;
        }
        self.text(field, node)
    }
}

/// A value that is a boolean or a string.
pub(crate) enum BoolOrText {
    Bool(bool),
    Text(String),
}

/// The durations allowed, for messages.
pub const DURATION: &str = "a positive number of seconds, or a duration such as 500ms, 30s or 2m";

/// The boolean that a word means in YAML 1.1.
fn old_bool(text: &str) -> Option<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "yes" | "on" | "y" => Some(true),
        "no" | "off" | "n" => Some(false),
        _ => None,
    }
}

pub(crate) fn as_bool(text: &str) -> Option<bool> {
    match text.trim() {
        "true" | "True" | "TRUE" => Some(true),
        "false" | "False" | "FALSE" => Some(false),
        _ => None,
    }
}

/// Parses a positive duration: `2`, `0.5`, `500ms`, `30s`, `2m`, `1h`.
pub fn as_duration(text: &str) -> Option<Duration> {
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match &text[number.len()..] {
        "" | "s" => 1.0,
        "ms" => 0.001,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    let plain = number
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    let seconds = number
        .trim()
        .parse::<f64>()
        .ok()
        .filter(|number| plain && *number > 0.0)?
        * factor;
    Duration::try_from_secs_f64(seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_durations() {
        for (text, millis) in [
            ("2", Some(2000)),
            ("0.5", Some(500)),
            ("500ms", Some(500)),
            ("30s", Some(30_000)),
            ("2m", Some(120_000)),
            ("1h", Some(3_600_000)),
            ("0", None),
            ("-1", None),
            ("abc", None),
            ("", None),
            ("1e3", None),
            ("inf", None),
            ("NaN", None),
            ("5 s", None),
            ("5d", None),
            ("99999999999999999999h", None),
        ] {
            assert_eq!(
                as_duration(text).map(|duration| duration.as_millis()),
                millis,
                "{text}"
            );
        }
    }
}
