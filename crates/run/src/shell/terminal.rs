//! Commands in a pseudo-terminal: how they are started, and what the terminal shows.
//!
//! See docs/design/2026-11-18-terminals.md for the reasons.

mod emulator;
mod key;
mod pty;
mod redact;
mod result;
mod screen;
mod starter;

pub(crate) use emulator::Emulator;
pub(crate) use key::key_bytes;
pub(crate) use pty::{PseudoTerminal, set_size};
pub(crate) use redact::redact;
pub(crate) use result::{DialogueProblem, TerminalResult};
pub(crate) use starter::in_terminal;
pub use starter::start_in_terminal;
