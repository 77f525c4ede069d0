//! Commands in a pseudo-terminal: how they are started, what the terminal shows, and the dialogue with them.
//!
//! See docs/design/2026-11-18-terminals.md for the reasons.

mod command;
mod emulator;
mod key;
mod pty;
mod redact;
mod screen;
mod starter;

pub(crate) use command::{TerminalCommand, TerminalResult};
pub(crate) use emulator::Emulator;
pub(crate) use redact::redact;
pub(crate) use starter::in_terminal;
pub use starter::start_in_terminal;
