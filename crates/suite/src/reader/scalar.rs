//! Decodes numbers, booleans, durations and choices.

use std::time::Duration;

use casebook_source::yaml::Node;
use casebook_source::{Diagnostic, closest_match};

use super::Reader;
use crate::codes::WRONG_VALUE;

impl Reader<'_, '_> {
    /// A whole number from 0 to `max`.
    pub(crate) fn number(&mut self, field: &str, node: &Node, max: u32) -> Option<u32> {
        let text = self.text(field, node)?;
        let number = text
            .trim()
            .parse::<u32>()
            .ok()
            .filter(|number| *number <= max);
        if number.is_none() {
            self.type_error(
                node,
                format!("`{field}` must be a whole number from 0 to {max}, got '{text}'"),
            );
        }
        number
    }

    /// A whole number from 1 to `max`.
    pub(crate) fn count(&mut self, field: &str, node: &Node, max: u32) -> Option<u32> {
        let text = self.text(field, node)?;
        let number = text.trim().parse::<u32>().ok();
        let number = number.filter(|number| (1..=max).contains(number));
        if number.is_none() {
            self.type_error(
                node,
                format!("`{field}` must be a whole number from 1 to {max}, got '{text}'"),
            );
        }
        number
    }

    /// A number that is neither infinite nor NaN.
    pub(crate) fn finite_number(&mut self, field: &str, node: &Node) -> Option<f64> {
        let text = self.text(field, node)?;
        let number = text.trim().parse::<f64>().ok();
        let number = number.filter(|number| number.is_finite());
        if number.is_none() {
            self.type_error(node, format!("`{field}` must be a number, got '{text}'"));
        }
        number
    }

    /// One of these words.
    pub(crate) fn choice(
        &mut self,
        field: &str,
        node: &Node,
        words: &[&'static str],
    ) -> Option<&'static str> {
        let text = self.text(field, node)?;
        let word = words.iter().find(|word| **word == text.trim()).copied();
        if word.is_none() {
            let suggestion = closest_match(text.trim(), words.iter().copied());
            let help = suggestion.map(|name| format!("did you mean `{name}`?"));
            let message = format!(
                "`{field}` must be one of {}, got '{text}'",
                words.join(", ")
            );
            let problem = Diagnostic::error(WRONG_VALUE, node.span, message);
            self.problems.push(problem.maybe_help(help));
        }
        word
    }

    pub(crate) fn bool(&mut self, field: &str, node: &Node) -> Option<bool> {
        let text = self.text(field, node)?;
        let bool = as_bool(&text);
        if bool.is_none() {
            self.type_error(
                node,
                format!("`{field}` must be true or false, got '{text}'"),
            );
        }
        bool
    }

    /// Seconds, or a number with a unit.
    pub(crate) fn duration(&mut self, field: &str, node: &Node) -> Option<Duration> {
        let text = self.text(field, node)?;
        let duration = as_duration(text.trim());
        if duration.is_none() {
            let message = format!("`{field}` must be a positive number of seconds, got '{text}'");
            self.type_error(node, message)
                .help_last("write 2, 0.5, 500ms, 30s or 2m");
        }
        duration
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
