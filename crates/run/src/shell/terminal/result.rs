//! [`TerminalResult`]: what a terminal adds to the result of a command.

use casebook_record::Screen;

use super::emulator::Emulator;

/// What a terminal adds to the result of a command.
#[derive(Debug, Clone, Default)]
pub(crate) struct TerminalResult {
    /// What it shows at the end, or when the command was terminated.
    pub(crate) screen: Screen,
    /// Which of its lines continue in the next one.
    pub(crate) wrapped: Vec<bool>,
    /// The same without colors, and with secrets.
    pub(crate) text: String,
    /// The entries of the dialogue whose text appeared.
    pub(crate) matched: Vec<usize>,
    /// Why the dialogue ended early.
    pub(crate) problem: Option<DialogueProblem>,
}

/// The entry of a dialogue whose text did not appear.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DialogueProblem {
    pub(crate) entry: usize,
    pub(crate) message: String,
    /// Whether the command was still running and was terminated.
    pub(crate) was_running: bool,
}

impl TerminalResult {
    /// Takes what the terminal shows now.
    pub(crate) fn take_screen(&mut self, emulator: &Emulator) {
        (self.screen, self.wrapped) = emulator.screen();
        self.text = self.screen.text();
    }
}
