//! The palette: a few styles, each with one meaning, from the sixteen colors that terminal themes define.

use anstyle::{AnsiColor, Style};
use casebook_record::{ExampleData, Status};

use crate::examples::is_interrupted;

pub(super) const PLAIN: Style = Style::new();
pub(super) const BOLD: Style = Style::new().bold();
/// Text around the content: rules, numbers, locations.
pub(super) const DIM: Style = Style::new().dimmed();
pub(super) const GOOD: Style = AnsiColor::Green.on_default();
pub(super) const BAD: Style = AnsiColor::Red.on_default();
pub(super) const WARN: Style = AnsiColor::Yellow.on_default();
/// Locations in the user's files.
pub(super) const LOCATION: Style = AnsiColor::Cyan.on_default();
pub(super) const USER: Style = AnsiColor::Blue.on_default().bold();
pub(super) const AGENT: Style = AnsiColor::Magenta.on_default().bold();

/// The mark of an example's status in its color, followed by a space.
pub(super) fn mark(example: &ExampleData) -> (Style, &'static str) {
    match example.status {
        Status::Passed if example.is_flaky() => (WARN, "~ "),
        Status::Passed => (GOOD, "✓ "),
        Status::Failed if is_interrupted(example) => (WARN, "▸ "),
        Status::Failed => (BAD, "✗ "),
        Status::Pending => (WARN, "○ "),
        Status::Running => (WARN, "▸ "),
    }
}

/// The mark of a passed or failed expectation.
pub(super) fn check(passed: bool) -> (Style, &'static str) {
    if passed {
        (GOOD, "✓ ")
    } else {
        (BAD, "✗ ")
    }
}
