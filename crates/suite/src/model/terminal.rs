//! [`Terminal`]: the pseudo-terminal of a command, and the dialogue with it.

use std::time::Duration;

use casebook_source::Span;

use super::key::Key;

/// A pseudo-terminal and the dialogue with the command in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terminal {
    /// The location of `tty` in the suite.
    pub span: Span,
    /// Its size when the command starts.
    pub size: TerminalSize,
    /// What is expected and sent, in order.
    pub dialogue: Vec<DialogueEntry>,
}

/// The size of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalSize {
    /// At least 1.
    pub columns: u16,
    /// At least 1.
    pub rows: u16,
}

impl Default for TerminalSize {
    fn default() -> TerminalSize {
        TerminalSize {
            columns: 80,
            rows: 24,
        }
    }
}

/// One entry of a dialogue: waits for a text, then resizes the terminal, then sends its input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DialogueEntry {
    /// Its location in the suite.
    pub span: Span,
    /// What must appear after the match of the previous entry.
    pub expect: Option<ExpectedText>,
    /// How long to wait for it.
    pub within: Duration,
    /// The new size of the terminal.
    pub resize: Option<TerminalSize>,
    /// The text to send, exactly as it is.
    pub send: Option<String>,
    /// The keys to press after that.
    pub keys: Vec<Key>,
}

/// A text that must appear.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExpectedText {
    /// This text.
    Text(String),
    /// A match of this POSIX ERE.
    Pattern(String),
}

impl ExpectedText {
    /// As in the suite: a pattern has slashes around it.
    pub fn as_written(&self) -> String {
        match self {
            ExpectedText::Text(text) => text.clone(),
            ExpectedText::Pattern(pattern) => format!("/{pattern}/"),
        }
    }

    fn map_text(&self, change: &impl Fn(&str) -> String) -> ExpectedText {
        match self {
            ExpectedText::Text(text) => ExpectedText::Text(change(text)),
            ExpectedText::Pattern(pattern) => ExpectedText::Pattern(change(pattern)),
        }
    }
}

impl Terminal {
    /// The terminal with the texts of its dialogue changed.
    pub(super) fn map_texts(&self, change: &impl Fn(&str) -> String) -> Terminal {
        let entries = self.dialogue.iter();
        Terminal {
            dialogue: entries
                .map(|entry| DialogueEntry {
                    expect: entry.expect.as_ref().map(|text| text.map_text(change)),
                    send: entry.send.as_deref().map(change),
                    ..entry.clone()
                })
                .collect(),
            ..self.clone()
        }
    }
}
