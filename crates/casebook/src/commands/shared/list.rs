//! Lists tests without running them.

use std::io::{self, Write};

use casebook_record::Redactor;
use casebook_run::{Plan, PlannedSuite};
use serde_json::{Value, json};

use crate::arguments::run::{FormatKind, OutputFormat};
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;

/// A test in a list.
pub(crate) struct Item<'a> {
    /// Its id in the record.
    pub(crate) id: String,
    /// File and line.
    pub(crate) place: String,
    pub(crate) title: String,
    pub(crate) tags: Vec<&'a str>,
    pub(crate) is_skipped: bool,
}

/// How a list is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListFormat {
    Lines,
    Json,
}

impl ListFormat {
    /// From the values of `--format`.
    pub(crate) fn of(formats: &[OutputFormat]) -> Result<ListFormat, CommandError> {
        let kinds: Vec<_> = formats.iter().map(|one| (one.kind, &one.file)).collect();
        match kinds.as_slice() {
            [] | [(FormatKind::Pretty, None)] => Ok(ListFormat::Lines),
            [(FormatKind::Json, None)] => Ok(ListFormat::Json),
            _ => Err(CommandError::ListFormat),
        }
    }
}

impl Item<'_> {
    /// One line: location, title, tags.
    fn write(&self, redactor: &Redactor, out: &mut dyn Write) -> io::Result<()> {
        let title = redactor.text(&self.title);
        write!(out, "{}  {}", self.place, title.escape_debug())?;
        if !self.tags.is_empty() {
            write!(out, "  [{}]", self.tags.join(", "))?;
        }
        if self.is_skipped {
            write!(out, "  (skipped)")?;
        }
        writeln!(out)
    }

    fn json(&self, redactor: &Redactor) -> Value {
        let (file, line) = match self.place.rsplit_once(':') {
            Some((file, line)) => (file, line.parse::<u64>().ok()),
            None => (self.place.as_str(), None),
        };
        json!({
            "id": self.id,
            "file": file,
            "line": line,
            "title": redactor.text(&self.title),
            "tags": self.tags,
            "skipped": self.is_skipped,
        })
    }
}

/// Writes a list of tests.
pub(crate) fn write(
    items: &[Item<'_>],
    format: ListFormat,
    redactor: &Redactor,
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        ListFormat::Lines => items
            .iter()
            .try_for_each(|item| item.write(redactor, out))?,
        ListFormat::Json => {
            let tests: Vec<_> = items.iter().map(|item| item.json(redactor)).collect();
            let list = json!({ "count": tests.len(), "tests": tests });
            serde_json::to_writer_pretty(&mut *out, &list)?;
            writeln!(out)?;
        }
    }
    out.flush()
}

pub(crate) fn show(
    plan: &Plan,
    format: ListFormat,
    redactor: &Redactor,
    context: &mut Context,
) -> Result<Exit, CommandError> {
    let tests = plan.suites.iter().flat_map(PlannedSuite::planned_tests);
    let items = tests.map(|planned| {
        let test = planned.test();
        let line = planned.suite.suite.file.position(test.span.start).line;
        Item {
            id: planned.id.clone(),
            place: format!("{}:{line}", planned.suite.name()),
            title: planned.title().to_string(),
            tags: test.tags.iter().map(String::as_str).collect(),
            is_skipped: test.skip.is_some(),
        }
    });
    write(
        &items.collect::<Vec<_>>(),
        format,
        redactor,
        &mut context.stdout,
    )?;
    Ok(Exit::Passed)
}
