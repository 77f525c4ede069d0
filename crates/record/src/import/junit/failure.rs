//! Interprets `failure` and `error` elements.

use super::super::example::Failure;
use super::super::location;
use super::xml::Element;

/// Reads the element with its text. `class` is the test's class; the location is taken from its stack frames.
pub(super) fn read(element: &Element, text: &str, class: &str) -> Failure {
    let text = text.trim_matches(['\r', '\n']).trim_end();
    let found = find_location(text, class);
    Failure {
        message: message(element, text),
        exception_class: element
            .get("type")
            .or(found.as_ref().and_then(|found| found.class))
            .unwrap_or_else(|| default_class(&element.name))
            .to_owned(),
        backtrace: text.lines().map(str::to_owned).collect(),
        location: found.map(|found| found.location),
    }
}

fn message(element: &Element, text: &str) -> String {
    let first_line = || text.lines().map(str::trim).find(|line| !line.is_empty());
    let message = element.get("message").or_else(first_line);
    message.unwrap_or("no message").to_owned()
}

fn default_class(element: &str) -> &'static str {
    if element.ends_with("rror") {
        "JUnit::Error"
    } else {
        "JUnit::Failure"
    }
}

struct FailureLocation<'a> {
    location: String,
    /// Only pytest sets it: it writes the class after the location and nowhere else.
    class: Option<&'a str>,
}

fn find_location<'a>(text: &'a str, class: &str) -> Option<FailureLocation<'a>> {
    let found = location::in_panic(text)
        .or_else(|| location::in_stack(text, class))
        .or_else(|| location::in_prose(text));
    if let Some(location) = found {
        return Some(FailureLocation {
            location,
            class: None,
        });
    }
    let (location, what) = location::in_report(text)?;
    let is_class = !what.is_empty() && !what.contains(char::is_whitespace);
    Some(FailureLocation {
        location,
        class: is_class.then_some(what),
    })
}
