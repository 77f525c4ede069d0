//! The palette: few styles, each with one meaning, from the sixteen colours that every terminal theme sets readably.

use anstyle::{AnsiColor, Style};
use casebook_record::{ExampleData, Status};

pub(super) const PLAIN: Style = Style::new();
pub(super) const BOLD: Style = Style::new().bold();
/// What frames the content: rules, numbers, places.
pub(super) const DIM: Style = Style::new().dimmed();
pub(super) const GOOD: Style = AnsiColor::Green.on_default();
pub(super) const BAD: Style = AnsiColor::Red.on_default();
pub(super) const WARN: Style = AnsiColor::Yellow.on_default();
/// Where in the user's files.
pub(super) const PLACE: Style = AnsiColor::Cyan.on_default();
pub(super) const USER: Style = AnsiColor::Blue.on_default().bold();
pub(super) const AGENT: Style = AnsiColor::Magenta.on_default().bold();

/// The sign of an example's status, in its colour, with a space behind it.
pub(super) fn mark(example: &ExampleData) -> (Style, &'static str) {
    match example.status {
        Status::Passed if example.is_flaky() => (WARN, "~ "),
        Status::Passed => (GOOD, "✓ "),
        Status::Failed => (BAD, "✗ "),
        Status::Pending => (WARN, "○ "),
        Status::Running => (WARN, "▸ "),
    }
}

/// The sign of an expectation that held or did not.
pub(super) fn check(passed: bool) -> (Style, &'static str) {
    if passed {
        (GOOD, "✓ ")
    } else {
        (BAD, "✗ ")
    }
}
