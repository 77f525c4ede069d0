//! The bash code of a suite that bash must check, and its syntax errors.

use casebook_source::{Diagnostic, Severity, SourceFile, Span};

use crate::bash::ShellSyntax;
use crate::check::Checked;
use crate::codes::BASH_SYNTAX;

/// Bash code of a suite that may have a syntax error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptToCheck {
    /// The code, with variables substituted.
    pub text: String,
    /// Whether it can be checked together with other code.
    pub syntax: ShellSyntax,
    /// Its location.
    pub(crate) span: Span,
    /// The part of the file it is in.
    pub(crate) part: Option<String>,
}

impl ScriptToCheck {
    pub(crate) fn new(text: &str, syntax: ShellSyntax, span: Span) -> ScriptToCheck {
        ScriptToCheck {
            text: text.to_owned(),
            syntax,
            span,
            part: None,
        }
    }
}

/// What bash reports about code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BashError {
    /// The message, without the location.
    pub message: String,
    /// The line of the code, counted from 1.
    pub line: usize,
    /// Whether bash runs the code anyway.
    pub is_warning: bool,
}

impl Checked {
    /// Adds the errors that bash found in [`Checked::scripts`].
    pub fn add_bash_errors<'e>(
        &mut self,
        errors: impl IntoIterator<Item = (&'e ScriptToCheck, &'e BashError)>,
    ) {
        let before = self.diagnostics.len();
        let found = errors
            .into_iter()
            .map(|(script, error)| diagnostic(&self.file, script, error));
        self.diagnostics.extend(found);
        if self.diagnostics.len() > before {
            let all = std::mem::take(&mut self.diagnostics);
            self.diagnostics = super::sort_and_deduplicate(&self.file, all);
        }
        let mut all = self.diagnostics.iter();
        if all.any(|problem| problem.severity == Severity::Error) {
            self.suite = None;
        }
    }
}

fn diagnostic(file: &SourceFile, script: &ScriptToCheck, error: &BashError) -> Diagnostic {
    let lines = script.text.lines().count().max(1);
    let line = error.line.clamp(1, lines);
    let located = line_as_written(file, script, line);
    let within = match located {
        None if lines > 1 => format!(" (line {line} of the code)"),
        _ => String::new(),
    };
    let message = format!("bash: {}{within}", error.message);
    let span = located.unwrap_or(script.span);
    let problem = if error.is_warning {
        Diagnostic::warning(BASH_SYNTAX, span, message)
    } else {
        Diagnostic::error(BASH_SYNTAX, span, message)
    };
    Diagnostic {
        part: script.part.clone(),
        ..problem.maybe_help(help(&error.message).map(str::to_owned))
    }
}

fn help(message: &str) -> Option<&'static str> {
    if message.contains("unexpected end of file") {
        return Some("an `if`, `for`, `while`, `case`, `{` or `(` is not closed");
    }
    if message.contains("looking for matching") {
        return Some("the quote or bracket is not closed");
    }
    message
        .contains("here-document")
        .then_some("the last line of a here-document is its delimiter alone, without spaces")
}

/// The location of a line of code that is written as it is run: on one line, or in a literal block (`|`).
fn line_as_written(file: &SourceFile, script: &ScriptToCheck, line: usize) -> Option<Span> {
    let source = file.slice(script.span);
    let count = |text: &str| text.trim_end().lines().count();
    if count(source) != count(&script.text) {
        return None;
    }
    let mut lines = source.split_inclusive('\n');
    let before: usize = lines.by_ref().take(line - 1).map(str::len).sum();
    let text = lines.next()?;
    let indent = text.len() - text.trim_start().len();
    let start = script.span.start + before;
    Some(Span::new(start + indent, start + text.trim_end().len()))
}
