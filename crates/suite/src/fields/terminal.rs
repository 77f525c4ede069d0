//! The fields of terminals.

use super::{Field, Shape, field};
use crate::model::key::KEY_NAMES;

/// The largest number of columns and rows.
pub(crate) const MAX_SIZE: u32 = 1000;

/// Runs a command in a pseudo-terminal.
pub const TERMINAL: [Field; 2] = [
    field(
        "tty",
        Shape::Either(&Shape::Bool, &Shape::Object(TERMINAL_SIZE)),
        "Run the command in a pseudo-terminal: true, or its columns and rows (default: 80 and 24)",
    ),
    field(
        "dialogue",
        Shape::Many(&Shape::Object(DIALOGUE_ENTRY)),
        "What to wait for and what to send in the terminal, in order",
    ),
];

/// The size of a terminal.
pub const TERMINAL_SIZE: &[Field] = &[
    field("columns", Shape::Count(MAX_SIZE), "Number of columns"),
    field("rows", Shape::Count(MAX_SIZE), "Number of rows"),
];

/// The fields of an entry of a dialogue.
pub const DIALOGUE_ENTRY: &[Field] = &[
    field(
        "expect",
        Shape::NonEmptyText,
        "Text, or /POSIX ERE/, that must appear after the match of the previous entry",
    ),
    field(
        "within",
        Shape::Duration,
        "How long to wait for it (default: 5s)",
    ),
    field(
        "resize",
        Shape::Object(TERMINAL_SIZE),
        "New size of the terminal",
    ),
    field("send", Shape::Text, "Text to send, exactly as it is"),
    field(
        "sendLine",
        Shape::Text,
        "Text to send, followed by the Enter key",
    ),
    field(
        "keys",
        Shape::OneOrMany(&Shape::Choice(KEY_NAMES)),
        "Keys to press: enter, tab, up, f1, ctrl-c and so on",
    ),
];
