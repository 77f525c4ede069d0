//! The command of a command test: its command line, how it exited, its output.

use std::io;

use casebook_record::{Metadata, Screen};
use serde_json::Value;

use super::output::{Output, ending, full_output_location};
use super::page::Page;
use super::screen;
use super::style::{BOLD, DIM, PLAIN};

/// The names of the streams in the record.
const STREAMS: [&str; 3] = ["output", "stdout", "stderr"];

/// A command test's command.
#[derive(Clone, Copy)]
pub(super) struct Command<'m> {
    fields: &'m Value,
    /// The name of the hook that failed.
    failed_hook: Option<&'m str>,
}

impl<'m> Command<'m> {
    /// The command in the metadata; `None` if they are not those of a command test.
    pub(super) fn of(metadata: &'m Metadata) -> Option<Command<'m>> {
        let fields = metadata
            .get("command")
            .filter(|fields| fields.is_object())?;
        let hook = metadata.get("hook").and_then(|hook| hook.get("name"));
        Some(Command {
            fields,
            failed_hook: hook.and_then(Value::as_str),
        })
    }

    /// The streams that are not empty.
    pub(super) fn streams(self) -> impl Iterator<Item = Output<'m>> {
        STREAMS.into_iter().filter_map(move |name| {
            let text = self.text(name)?;
            let lines = self
                .fields
                .get(format!("{name}_lines"))
                .and_then(Value::as_u64);
            (!text.is_empty()).then_some(Output {
                name,
                text,
                lines: lines.and_then(|lines| lines.try_into().ok()),
            })
        })
    }

    /// The label before the location of the full output.
    pub(super) fn output_label(self) -> &'static str {
        if self.is("over_limit") {
            "truncated output: "
        } else {
            "full output: "
        }
    }

    /// The location of the full output, as far as it was captured.
    pub(super) fn full_output_location(self, record: Option<&str>) -> Option<String> {
        let file = self.text("output_file");
        // Output beyond the limit is not in the record.
        let is_recorded = file.is_some() || !self.is("truncated");
        full_output_location(record, file).filter(|_| is_recorded)
    }

    /// Shows the command line, how it exited, and the streams that are not in `already_shown`.
    pub(super) fn show(
        self,
        page: &mut Page,
        indent: usize,
        already_shown: &[&str],
        record: Option<&str>,
    ) -> io::Result<()> {
        self.show_line(page, indent)?;
        let screen = self.screen();
        let screen_name = self.so_far(Screen::KEY);
        if let Some(screen) = screen
            .as_ref()
            .filter(|_| !already_shown.contains(&Screen::KEY))
        {
            screen::show(page, indent + 2, &screen_name, screen)?;
        }
        let mut truncated = false;
        let is_new = |stream: &Output| {
            !already_shown.contains(&stream.name) && !is_on_screen(stream, screen.as_ref())
        };
        for stream in self.streams().filter(is_new) {
            let name = self.so_far(stream.name);
            let stream = Output {
                name: &name,
                ..stream
            };
            stream.show(page, indent + 2)?;
            truncated |= self.is("truncated") || !stream.is_short();
        }
        match self.full_output_location(record).filter(|_| truncated) {
            Some(location) => page.verbatim(
                indent + 2,
                &[(DIM, self.output_label()), (PLAIN, &location)],
            ),
            None => Ok(()),
        }
    }

    /// The screen of its terminal.
    pub(super) fn screen(self) -> Option<Screen> {
        Screen::of_value(self.fields.get(Screen::KEY)?)
    }

    /// The name of what a command that timed out has shown so far.
    fn so_far(self, name: &str) -> String {
        if self.is("timed_out") {
            format!("{name} so far")
        } else {
            name.to_owned()
        }
    }

    /// Shows the command line, how it exited, and all recorded output.
    pub(super) fn trace(self, page: &mut Page, indent: usize) -> io::Result<()> {
        self.show_line(page, indent)?;
        if let Some(screen) = self.screen() {
            screen::show(page, indent + 2, Screen::KEY, &screen)?;
        }
        self.streams()
            .try_for_each(|stream| stream.show_all_lines(page, indent + 2))
    }

    fn show_line(self, page: &mut Page, indent: usize) -> io::Result<()> {
        if let Some(command) = self.text("command") {
            page.paragraph(indent, 2, &[(DIM, "$ "), (BOLD, command.trim_end())])?;
        }
        let not_run = if self.is("service_failed") {
            Some("not run, because a service failed".to_owned())
        } else if self.text("phase") == Some("requirement") {
            Some("not run, because a requirement is not met".to_owned())
        } else {
            self.failed_setup()
                .map(|hook| format!("not run, because `{hook}` failed"))
        };
        let mut ending: Vec<_> = not_run.into_iter().chain(ending(self.fields)).collect();
        if self.has_no_output() {
            ending.push("no output".into());
        }
        if ending.is_empty() {
            return Ok(());
        }
        page.paragraph(indent + 2, 0, &[(PLAIN, &ending.join(", "))])
    }

    /// The hook that failed before the command could run.
    fn failed_setup(self) -> Option<&'m str> {
        match self.text("phase")? {
            phase @ ("setup" | "setupFile") => self.failed_hook.or(Some(phase)),
            _ => None,
        }
    }

    fn has_no_output(self) -> bool {
        let recorded = STREAMS.iter().any(|name| self.text(name).is_some());
        recorded && self.streams().next().is_none()
    }

    pub(super) fn text(self, field: &str) -> Option<&'m str> {
        self.fields.get(field).and_then(Value::as_str)
    }

    fn is(self, field: &str) -> bool {
        self.fields.get(field) == Some(&Value::Bool(true))
    }
}

/// Whether the screen shows the same lines, so that the output need not be repeated.
fn is_on_screen(output: &Output, screen: Option<&Screen>) -> bool {
    let lines = |text: &str| -> Vec<String> {
        let lines = text.trim_end().lines();
        lines.map(|line| line.trim_end().to_owned()).collect()
    };
    screen.is_some_and(|screen| lines(&without_escapes(output.text)) == lines(&screen.text()))
}

/// The text without control sequences such as colors.
fn without_escapes(text: &str) -> String {
    let mut pieces = text.split("\u{1b}[");
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let end = piece.find(|c: char| ('@'..='~').contains(&c));
        plain.push_str(end.map_or("", |end| &piece[end + 1..]));
    }
    plain
}
