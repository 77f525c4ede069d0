//! [`Problem`]: a problem in a file as data, for programs that read the output of `check` and of `design review`.

pub(crate) mod github;
pub(crate) mod sarif;

use casebook_source::{Diagnostic, Severity, SourceFile, Span};
use casebook_suite::Checked;
use serde::Serialize;

/// A problem with its location and, where possible, a fix.
#[derive(Debug, Serialize)]
pub(crate) struct Problem {
    pub(crate) code: &'static str,
    pub(crate) severity: Level,
    pub(crate) message: String,
    #[serde(flatten)]
    pub(crate) location: Location,
    /// The part of the file, such as "test `lists`".
    pub(crate) part: Option<String>,
    pub(crate) help: Option<String>,
    /// The change that removes the problem.
    pub(crate) fix: Option<Fix>,
    pub(crate) related: Vec<Related>,
}

/// How serious a problem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Level {
    Error,
    Warning,
    /// A suggestion of `design review`.
    Note,
}

/// A part of a file. Lines and columns are counted from 1, columns in characters; the end is excluded.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Location {
    pub(crate) file: String,
    pub(crate) line: usize,
    /// `None` for the whole line.
    pub(crate) column: Option<usize>,
    pub(crate) end_line: Option<usize>,
    pub(crate) end_column: Option<usize>,
}

/// A text to write instead of what is at a location.
#[derive(Debug, Serialize)]
pub(crate) struct Fix {
    #[serde(flatten)]
    pub(crate) location: Location,
    pub(crate) text: String,
}

/// Another location, and how it is related.
#[derive(Debug, Serialize)]
pub(crate) struct Related {
    #[serde(flatten)]
    pub(crate) location: Location,
    pub(crate) message: String,
}

impl Location {
    fn of(file: &SourceFile, span: Span) -> Location {
        let (start, end) = (file.position(span.start), file.position(span.end));
        Location {
            file: file.name().to_owned(),
            line: start.line,
            column: Some(start.column),
            end_line: Some(end.line),
            end_column: Some(end.column),
        }
    }

    /// A line.
    pub(crate) fn line(file: impl Into<String>, line: usize) -> Location {
        Location {
            file: file.into(),
            line,
            column: None,
            end_line: None,
            end_column: None,
        }
    }
}

impl Problem {
    /// The problem of a diagnostic in this file, unless it names another one.
    pub(crate) fn new(diagnostic: &Diagnostic, file: &SourceFile) -> Problem {
        let file = diagnostic.file.as_deref().unwrap_or(file);
        let fix = diagnostic.replacement(file).map(|replacement| Fix {
            location: Location::of(file, replacement.span),
            text: replacement.text,
        });
        let related = diagnostic.labels.iter().map(|label| Related {
            location: Location::of(file, label.span),
            message: label.text.clone(),
        });
        Problem {
            code: diagnostic.code.name,
            severity: match diagnostic.severity {
                Severity::Error => Level::Error,
                Severity::Warning => Level::Warning,
            },
            message: diagnostic.message.clone(),
            location: Location::of(file, diagnostic.span),
            part: diagnostic.part.clone(),
            help: diagnostic.help.clone(),
            fix,
            related: related.collect(),
        }
    }

    /// All problems of a suite.
    pub(crate) fn of_suite(checked: &Checked) -> impl Iterator<Item = Problem> {
        let all = checked.diagnostics.iter();
        all.map(|diagnostic| Problem::new(diagnostic, &checked.file))
    }
}
