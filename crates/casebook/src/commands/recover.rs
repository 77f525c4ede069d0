//! `casebook recover`: rebuilds run.json from a journal.

use std::path::Path;

use casebook_record::{Redactor, Run, Store, open_journal, open_run, write_run};
use casebook_report::terminal;

use crate::arguments::Recover;
use crate::commands::shared::input_problems;
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;

pub(super) fn run(recover: &Recover, context: &mut Context) -> Result<Exit, CommandError> {
    let redactor = context.redactor(&[])?;
    context.messages.redact(redactor.clone());
    let journal =
        Store::in_project(&context.dir).find_journal(recover.run.as_deref(), &context.dir)?;
    let recovered = open_journal(&journal, &redactor)?;
    let target = journal.parent().unwrap_or(Path::new("")).join("run.json");
    if would_lose(&target, &recovered.run) {
        return Err(CommandError::WouldOverwriteRun(target));
    }
    write_run(&target, &*recovered.run)?;
    let shown = |path: &Path| {
        let path = path.strip_prefix(&context.dir).unwrap_or(path);
        path.display().to_string()
    };
    input_problems::report(&shown(&journal), &recovered.problems, &context.messages);
    let summary = terminal::summary_line(&recovered.run)?;
    let target = shown(&target);
    context
        .messages
        .info(&format!("rebuilt {target}: {summary}"));
    Ok(if recovered.problems.is_damage() {
        Exit::CouldNotTest
    } else {
        Exit::Passed
    })
}

/// Whether the existing file is valid and contains another run, or more examples than the journal.
fn would_lose(target: &Path, rebuilt: &Run) -> bool {
    open_run(target, &Redactor::default()).is_ok_and(|existing| {
        let run = existing.run;
        run.run_id != rebuilt.run_id || run.examples.count() > rebuilt.examples.count()
    })
}
