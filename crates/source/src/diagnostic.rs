//! A problem in a user's file, as a value.

use std::sync::Arc;

use crate::code::Code;
use crate::file::SourceFile;
use crate::span::Span;

/// Whether a problem prevents the suite from running.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The suite is not run.
    Error,
    /// Reported only; the suite is run.
    Warning,
}

/// Another location related to a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The related location.
    pub span: Span,
    /// How it is related, such as "first given here".
    pub text: String,
}

/// A problem in a user's file with its location and, where possible, a fix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The kind of problem.
    pub code: Code,
    /// Error or warning.
    pub severity: Severity,
    /// The problem in one line.
    pub message: String,
    /// Its location.
    pub span: Span,
    /// Related locations.
    pub labels: Vec<Label>,
    /// How to fix it.
    pub help: Option<String>,
    /// The names of the scenarios that have this problem. The checker appends them to the message.
    pub scenarios: Vec<String>,
    /// The part of the file it is in, as shown to the user: "test `lists`". `None`: the file itself.
    pub part: Option<String>,
    /// The file it is in. `None`: the file being checked.
    pub file: Option<Arc<SourceFile>>,
}

impl Diagnostic {
    /// An error at `span`.
    pub fn error(code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            severity: Severity::Error,
            message: message.into(),
            span,
            labels: Vec::new(),
            help: None,
            scenarios: Vec::new(),
            part: None,
            file: None,
        }
    }

    /// A warning at `span`.
    pub fn warning(code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Warning,
            ..Diagnostic::error(code, span, message)
        }
    }

    /// Sets the help text.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// Sets the help text; `None` keeps the current one.
    #[must_use]
    pub fn maybe_help(mut self, help: Option<String>) -> Diagnostic {
        self.help = help.or(self.help);
        self
    }

    /// Adds a related location.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push(Label {
            span,
            text: text.into(),
        });
        self
    }
}
