//! The command of a command test: what was run, how it ended, what it wrote.

use std::io;

use casebook_record::Metadata;
use serde_json::Value;

use super::output::{Output, ending, full_output_location};
use super::page::Page;
use super::style::{BOLD, DIM, PLAIN};

/// The streams, as a command test has them.
const STREAMS: [&str; 3] = ["output", "stdout", "stderr"];

/// A command test's command.
#[derive(Clone, Copy)]
pub(super) struct Command<'m> {
    fields: &'m Value,
}

impl<'m> Command<'m> {
    /// What the metadata tell of it, if they are those of a command test.
    pub(super) fn of(metadata: &'m Metadata) -> Option<Command<'m>> {
        let fields = metadata
            .get("command")
            .filter(|fields| fields.is_object())?;
        Some(Command { fields })
    }

    /// What the command wrote, by stream: those that are not empty.
    pub(super) fn streams(self) -> impl Iterator<Item = Output<'m>> {
        STREAMS.into_iter().filter_map(move |name| {
            let text = self.text(name)?;
            (!text.is_empty()).then_some(Output { name, text })
        })
    }

    /// How much of what it wrote can be read there.
    pub(super) fn kept(self) -> &'static str {
        if self.is("over_limit") {
            "what was kept of it: "
        } else {
            "all of it: "
        }
    }

    /// Where all of what it wrote can be read, as far as it was captured.
    pub(super) fn full_output_location(self, record: Option<&str>) -> Option<String> {
        let file = self.text("output_file");
        // What was not kept is not in the record either.
        let kept = file.is_some() || !self.is("truncated");
        full_output_location(record, file).filter(|_| kept)
    }

    /// Shows the command line, how it ended, and the streams that have not been `seen`.
    pub(super) fn show(
        self,
        page: &mut Page,
        indent: usize,
        seen: &[&str],
        record: Option<&str>,
    ) -> io::Result<()> {
        self.show_line(page, indent)?;
        let mut cut = false;
        let unseen = |stream: &Output| !seen.contains(&stream.name);
        for stream in self.streams().filter(unseen) {
            let so_far = format!("{} so far", stream.name);
            let name = if self.is("timed_out") {
                &so_far
            } else {
                stream.name
            };
            let stream = Output { name, ..stream };
            stream.show(page, indent + 2)?;
            cut |= self.is("truncated") || !stream.is_short();
        }
        match self.full_output_location(record).filter(|_| cut) {
            Some(place) => page.verbatim(indent + 2, &[(DIM, self.kept()), (PLAIN, &place)]),
            None => Ok(()),
        }
    }

    /// Shows the command line, how it ended and all that is recorded of what it wrote.
    pub(super) fn trace(self, page: &mut Page, indent: usize) -> io::Result<()> {
        self.show_line(page, indent)?;
        self.streams()
            .try_for_each(|stream| stream.show_whole(page, indent + 2))
    }

    fn show_line(self, page: &mut Page, indent: usize) -> io::Result<()> {
        if let Some(command) = self.text("command") {
            page.paragraph(indent, 2, &[(DIM, "$ "), (BOLD, command.trim_end())])?;
        }
        let mut ending = ending(self.fields);
        if self.wrote_nothing() {
            ending.push("no output".into());
        }
        if ending.is_empty() {
            return Ok(());
        }
        page.paragraph(indent + 2, 0, &[(PLAIN, &ending.join(", "))])
    }

    fn wrote_nothing(self) -> bool {
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
