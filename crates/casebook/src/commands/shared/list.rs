//! Lists tests without running them.

use std::io::{self, Write};

use casebook_record::Redactor;
use casebook_run::Plan;

use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;

/// A test in a list.
pub(crate) struct Item<'a> {
    /// File and line.
    pub(crate) place: String,
    pub(crate) title: String,
    pub(crate) tags: Vec<&'a str>,
    pub(crate) is_skipped: bool,
}

impl Item<'_> {
    /// One line: location, title, tags.
    pub(crate) fn write(&self, redactor: &Redactor, out: &mut dyn Write) -> io::Result<()> {
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
}

pub(crate) fn show(
    plan: &Plan,
    redactor: &Redactor,
    context: &mut Context,
) -> Result<Exit, CommandError> {
    for suite in &plan.suites {
        for planned in suite.planned_tests() {
            let test = planned.test();
            let line = suite.suite.file.position(test.span.start).line;
            let item = Item {
                place: format!("{}:{line}", suite.name()),
                title: planned.title().to_string(),
                tags: test.tags.iter().map(String::as_str).collect(),
                is_skipped: test.skip.is_some(),
            };
            item.write(redactor, &mut context.stdout)?;
        }
    }
    context.stdout.flush()?;
    Ok(Exit::Passed)
}
