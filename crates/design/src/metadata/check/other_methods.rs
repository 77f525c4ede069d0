//! The entries of `other_methods`: each has the sections of one method.

use serde_json::Value;

use super::{ValidationReport, got};
use crate::metadata::document::Document;
use crate::metadata::methods::{OTHER_METHODS, other_method};
use crate::metadata::read::{Layout, layout};

/// Adds the problems of the other methods, with the path of their entry.
pub(super) fn check(
    document: &Document,
    report: &mut ValidationReport,
    check_method: impl Fn(&Document) -> ValidationReport,
) {
    let value = document.value();
    let Some(list) = value.get(OTHER_METHODS) else {
        return;
    };
    if layout(value) == Layout::Plugin {
        return;
    }
    let Value::Array(list) = list else {
        return report.wrong(format!("{OTHER_METHODS} must be a list, {}", got(list)));
    };
    for (index, entry) in list.iter().enumerate() {
        let path = format!("{OTHER_METHODS}[{index}]");
        match other_method(document, index) {
            Some(method) => add(check_method(&method), &path, report),
            None => report.wrong(format!("{path} must be a mapping, {}", got(entry))),
        }
    }
}

fn add(found: ValidationReport, path: &str, report: &mut ValidationReport) {
    let errors = found.errors.into_iter();
    let errors = errors.map(|(group, message)| (group, located(&message, path)));
    report.errors.extend(errors);
    let warnings = found.warnings.iter().map(|message| located(message, path));
    report.warnings.extend(warnings);
}

/// Puts the path of an entry before the path in a message: `Missing target.class`, `target.class must be …`.
fn located(message: &str, path: &str) -> String {
    let missing = ["Missing section: ", "Missing "];
    let start = missing.iter().find(|start| message.starts_with(**start));
    let (start, rest) = message.split_at(start.map_or(0, |start| start.len()));
    format!("{start}{path}.{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_entry() {
        for (message, expected) in [
            (
                "Missing section: target",
                "Missing section: other_methods[1].target",
            ),
            (
                "Missing target.class",
                "Missing other_methods[1].target.class",
            ),
            (
                "characteristics[0].level must be 1, got: 2",
                "other_methods[1].characteristics[0].level must be 1, got: 2",
            ),
        ] {
            assert_eq!(located(message, "other_methods[1]"), expected);
        }
    }
}
