//! [`Failed`]: what was expected, and what was there instead.

use std::io;

use casebook_record::model::EvaluationData;
use casebook_record::{Comparison, Screen, ScreenLine, Stream};
use serde_json::Value;

use super::AlreadyShown;
use crate::terminal::closest_call;
use crate::terminal::excerpt::Excerpt;
use crate::terminal::mismatch;
use crate::terminal::output::Output;
use crate::terminal::page::Page;
use crate::terminal::style::{DIM, PLAIN};
use crate::terminal::text_diff::ShownDiff;
use crate::terminal::value::{text, text_at};

/// Lines of the suite to show, without and with a comparison that repeats them.
const SOURCE_LINES: usize = 6;
const REPEATED_LINES: usize = 2;

/// How a failed expectation is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Display {
    /// Only the message, because it says all, or the transcript shows the rest.
    Message,
    /// A diff of the expected and the actual text.
    Diff,
    /// The expected and the actual JSON value.
    Json,
    /// The missing text, and the closest line.
    Missing,
    /// The line that contains the forbidden text.
    Forbidden,
    /// The expected and the actual value, unless the message contains them.
    Values,
}

impl Display {
    /// Chooses the display. Replies are not repeated, because the transcript contains them.
    fn of(comparison: Option<Comparison>, of_command: bool) -> Display {
        use Comparison::{
            Combined, Command, Contains, End, Equals, Exists, ExitCode, FileMode, Folder, Json,
            JsonMatches, Judge, Matches, NotContains, NotMatches, Number, Snapshot, ToolCalls,
            Topic,
        };
        match comparison {
            Some(Equals | Folder | Snapshot) => Display::Diff,
            Some(Json) => Display::Json,
            Some(Contains | Matches | NotContains | NotMatches) if !of_command => Display::Message,
            Some(Contains) => Display::Missing,
            Some(NotContains | NotMatches) => Display::Forbidden,
            Some(
                ToolCalls | Topic | Number | Judge | Command | Exists | ExitCode | FileMode
                | JsonMatches | End | Combined,
            ) => Display::Message,
            Some(Matches) | None => Display::Values,
        }
    }
}

/// A failed expectation.
pub(super) struct Failed<'f> {
    pub(super) evaluation: &'f EvaluationData,
    pub(super) already_shown: &'f AlreadyShown<'f>,
}

impl Failed<'_> {
    pub(super) fn show(&self, page: &mut Page, indent: usize) -> io::Result<Option<&'static str>> {
        let metadata = &self.evaluation.metadata;
        let excerpt = Excerpt::of(|field| metadata.get(field));
        if self.display() == Display::Message {
            excerpt.show(page, indent, SOURCE_LINES)?;
            return match self.value("nearest_call") {
                Some(call) => closest_call::show(page, indent, call).map(|()| None),
                None => Ok(None),
            };
        }
        let diff = self.diff();
        let lines = if diff.is_some() {
            REPEATED_LINES
        } else {
            SOURCE_LINES
        };
        excerpt.show(page, indent, lines)?;
        self.show_path(page, indent)?;
        if let Some(diff) = diff {
            self.show_diff(page, indent, &diff)?;
            self.show_unnormalized(page, indent)?;
            return Ok(self.stream());
        }
        self.show_values(page, indent)?;
        Ok(None)
    }

    /// Shows the path of the compared file, unless the message names it.
    fn show_path(&self, page: &mut Page, indent: usize) -> io::Result<()> {
        let path = text_at(&self.evaluation.metadata, "path");
        match path.filter(|path| !self.message().contains(path.as_str())) {
            Some(path) => page.row(indent, &[(DIM, "file  "), (PLAIN, &path)]),
            None => Ok(()),
        }
    }

    fn display(&self) -> Display {
        let comparison = Comparison::of(&self.evaluation.metadata);
        Display::of(comparison, self.already_shown.command.is_some())
    }

    /// The compared stream of the command, if showing it after the diff would repeat it.
    fn stream(&self) -> Option<&'static str> {
        let command = self.already_shown.command?;
        let name = self.compared_stream()?;
        let actual = self.value("actual")?.as_str()?.trim_end();
        let is_all = |stream: Output| stream.name == name && stream.text.trim_end() == actual;
        let screen = command.screen().filter(|_| name == Screen::KEY);
        // The diff does not have the colors of the screen.
        let is_plain = |line: &ScreenLine| matches!(line, ScreenLine::Plain(_));
        let is_screen = screen
            .is_some_and(|screen| screen.text() == actual && screen.lines.iter().all(is_plain));
        (self.is_truncated() || is_screen || command.streams().any(is_all)).then_some(name)
    }

    fn compared_stream(&self) -> Option<&'static str> {
        Stream::of(&self.evaluation.metadata).map(Stream::name)
    }

    /// Whether only the beginning and the end of the actual text were recorded.
    fn is_truncated(&self) -> bool {
        self.value("actual_truncated") == Some(&Value::Bool(true))
    }

    /// The diff, if complete texts were compared.
    fn diff(&self) -> Option<ShownDiff> {
        match (self.value("expected")?, self.value("actual")?) {
            (Value::String(expected), Value::String(actual))
                if self.display() == Display::Diff
                    || self.display() == Display::Json && !self.is_json_in_message() =>
            {
                Some(ShownDiff::of(expected, actual))
            }
            (expected, actual) if is_nested(expected) || is_nested(actual) => {
                Some(ShownDiff::of(&pretty(expected), &pretty(actual)))
            }
            _ => None,
        }
    }

    fn show_diff(&self, page: &mut Page, indent: usize, diff: &ShownDiff) -> io::Result<()> {
        diff.show(page, indent)?;
        let truncated = self.is_truncated();
        if truncated {
            let note = "this diff contains only the beginning and the end of the output";
            page.paragraph(indent, 0, &[(DIM, note)])?;
        }
        let location = self
            .already_shown
            .command
            .filter(|_| self.stream().is_some() && (truncated || !diff.is_complete))
            .and_then(|command| {
                Some((
                    command.output_label(),
                    command.full_output_location(self.already_shown.record)?,
                ))
            });
        match location {
            Some((label, location)) => page.verbatim(indent, &[(DIM, label), (PLAIN, &location)]),
            None => Ok(()),
        }
    }

    /// Shows the text of a file before normalizing. That of a stream is shown with the command.
    fn show_unnormalized(&self, page: &mut Page, indent: usize) -> io::Result<()> {
        match self.value("unnormalized") {
            Some(Value::String(text)) if self.compared_stream().is_none() => Output {
                name: "before normalizing",
                text,
                lines: None,
            }
            .show(page, indent),
            _ => Ok(()),
        }
    }

    fn show_values(&self, page: &mut Page, indent: usize) -> io::Result<()> {
        let display = self.display();
        if display == Display::Json {
            return self.show_json(page, indent);
        }
        let texts = match (self.value("expected"), self.value("actual")) {
            (Some(Value::String(expected)), Some(Value::String(actual))) => {
                Some((expected, actual))
            }
            _ => None,
        };
        if let Some((expected, actual)) = texts.filter(|_| display == Display::Forbidden) {
            return self.show_found(page, indent, expected, actual);
        }
        self.show_value(page, indent, "expected")?;
        if let Some((expected, actual)) = texts.filter(|_| display == Display::Missing) {
            mismatch::show_near_miss(page, indent, expected, actual)?;
        }
        if self.is_shown_below() {
            return Ok(());
        }
        self.show_value(page, indent, "actual")
    }

    /// Whether the actual text is a stream of the command, which is shown below.
    fn is_shown_below(&self) -> bool {
        self.already_shown.command.is_some_and(|command| {
            let name = self.compared_stream();
            command.streams().any(|stream| name == Some(stream.name))
                || name == Some(Screen::KEY) && command.screen().is_some()
        })
    }

    /// Shows both values as JSON, because `1` and `"1"` differ, unless the message has both.
    fn show_json(&self, page: &mut Page, indent: usize) -> io::Result<()> {
        if self.is_json_in_message() {
            return Ok(());
        }
        let (Some(expected), Some(actual)) = (self.value("expected"), self.value("actual")) else {
            return Ok(());
        };
        show_line(page, indent, "expected", expected)?;
        show_line(page, indent, "actual", actual)
    }

    /// Whether the message has the actual value and after it the expected one: `"1"` does not contain the value `1`.
    fn is_json_in_message(&self) -> bool {
        let (Some(expected), Some(actual)) = (self.value("expected"), self.value("actual")) else {
            return false;
        };
        let pointer = self.value("pointer").and_then(Value::as_str);
        let message = self.message();
        let message = message.strip_prefix(pointer.unwrap_or_default());
        message
            .and_then(|message| message.split_once(&actual.to_string()))
            .is_some_and(|(_, rest)| rest.contains(&expected.to_string()))
    }

    fn show_found(
        &self,
        page: &mut Page,
        indent: usize,
        expected: &str,
        actual: &str,
    ) -> io::Result<()> {
        // For a pattern, only the runner knows the matched text and records it.
        let found = match self.value("found") {
            Some(Value::String(found)) => found,
            _ => expected,
        };
        let found = mismatch::show_found(page, indent, found, actual)?;
        if found || self.is_shown_below() {
            return Ok(());
        }
        self.show_value(page, indent, "actual")
    }

    /// Shows a value that neither the message nor the lines of the suite contain.
    fn show_value(&self, page: &mut Page, indent: usize, field: &str) -> io::Result<()> {
        let Some(value) = self.value(field).filter(|value| self.is_informative(value)) else {
            return Ok(());
        };
        match value {
            Value::String(text) if text.trim_end_matches('\n').contains('\n') => Output {
                name: field,
                text,
                lines: None,
            }
            .show(page, indent),
            // A single line is shown as JSON, so that white space at its ends is visible.
            value => show_line(page, indent, field, value),
        }
    }

    /// Whether showing the value helps. White space does only if it was expected.
    fn is_informative(&self, value: &Value) -> bool {
        let text = text(value);
        let text = text.trim();
        let is_in_message = |message: &str| message.contains(text);
        let source = text_at(&self.evaluation.metadata, "source").unwrap_or_default();
        text.is_empty()
            || ![self.already_shown.message, self.message(), &source]
                .into_iter()
                .any(is_in_message)
    }

    fn message(&self) -> &str {
        let message = self.evaluation.failure_message.as_deref();
        message.unwrap_or_default()
    }

    fn value(&self, field: &str) -> Option<&Value> {
        self.evaluation.metadata.get(field)
    }
}

fn show_line(page: &mut Page, indent: usize, field: &str, value: &Value) -> io::Result<()> {
    let label = format!("{field:<10}");
    page.paragraph(indent, 10, &[(DIM, &label), (PLAIN, &value.to_string())])
}

fn is_nested(value: &Value) -> bool {
    value.is_object() || value.is_array()
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).expect("a JSON value can be serialized")
}
