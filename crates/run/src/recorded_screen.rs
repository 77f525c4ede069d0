//! The screen of a terminal in the record.

use casebook_record::{Screen, ScreenLine};
use serde_json::{Value, json};

use crate::budget::OutputBudget;

/// The screen with its colors, or an excerpt of its text if that is too long.
pub(crate) fn recorded_screen(screen: &Screen, budget: &OutputBudget) -> Value {
    let (value, is_truncated) = budget.value(&json!(screen));
    if !is_truncated {
        return value;
    }
    let (text, _) = budget.excerpt(screen.text().as_bytes());
    let lines = text.lines().map(|line| ScreenLine::Plain(line.to_owned()));
    json!(Screen {
        lines: lines.collect(),
        ..*screen
    })
}
