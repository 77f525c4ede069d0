//! [`TurnCapture`]: a value that a turn captures.

use casebook_source::Span;

/// A value that later turns use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnCapture {
    /// Its name.
    pub name: String,
    /// Its location in the suite.
    pub span: Span,
    /// Where the value is found.
    pub source: TurnCaptureSource,
    /// Whether the value is redacted.
    pub is_secret: bool,
}

/// Where a captured value is found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnCaptureSource {
    /// The first group of a POSIX ERE that matches in the reply, or its whole match if it has no groups.
    Reply(String),
    /// The value at a JSON Pointer into the result of the tool.
    Result {
        /// The tool.
        tool: String,
        /// The pointer.
        pointer: String,
    },
    /// The value at a JSON Pointer into the arguments of the tool.
    Argument {
        /// The tool.
        tool: String,
        /// The pointer.
        pointer: String,
    },
}
