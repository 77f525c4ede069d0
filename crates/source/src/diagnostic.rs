//! A problem in a user's file, as a value.

use std::sync::Arc;

use crate::code::Code;
use crate::file::SourceFile;
use crate::span::Span;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Nothing is run while there is one.
    Error,
    /// Worth knowing.
    Warning,
}

/// Another place that has to do with a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What it has to do with it.
    pub text: String,
}

/// A problem in a user's file: what, where, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// What kind of problem.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in one line.
    pub message: String,
    /// Where.
    pub span: Span,
    /// Other places that have to do with it.
    pub labels: Vec<Label>,
    /// What to do about it.
    pub help: Option<String>,
    /// Of which of many equal things it is true, by their names; the message ends where these are to be told.
    pub of: Vec<String>,
    /// The test it is in.
    pub within: Option<String>,
    /// The file it is in, if that is another than the one that is checked.
    pub file: Option<Arc<SourceFile>>,
}

impl Diagnostic {
    /// An error at that place.
    pub fn error(code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            severity: Severity::Error,
            message: message.into(),
            span,
            labels: Vec::new(),
            help: None,
            of: Vec::new(),
            within: None,
            file: None,
        }
    }

    /// A warning at that place.
    pub fn warning(code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Warning,
            ..Diagnostic::error(code, span, message)
        }
    }

    /// With what to do about it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// With what to do about it, if that can be guessed.
    #[must_use]
    pub fn maybe_help(mut self, help: Option<String>) -> Diagnostic {
        self.help = help.or(self.help);
        self
    }

    /// With another place that has to do with it.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push(Label {
            span,
            text: text.into(),
        });
        self
    }
}
