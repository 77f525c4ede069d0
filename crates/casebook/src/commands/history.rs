//! `casebook history`: shows trends across recorded runs.

mod export;
mod progress;
mod prune;

use std::io::Write as _;

use casebook_record::{History, Store};
use casebook_report::history::{self, Trends};
use casebook_report::terminal;

use super::shared::documents;
use crate::arguments::history::{History as Arguments, HistoryCommand};
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<Exit, CommandError> {
    if let Some(HistoryCommand::Prune(prune)) = &arguments.command {
        return prune::run(prune, context);
    }
    if let Some(file) = &arguments.sqlite {
        return export::run(file, arguments.limit, context);
    }
    let history = read(context)?;
    let options = history::Options {
        limit: arguments.limit.map(|limit| limit as usize),
        test: arguments.test.clone(),
        slowest: arguments.slowest,
    };
    let trends = Trends::of(&history, &options);
    if let Some(file) = &arguments.html {
        documents::write_page(file, context, |out| history::html::write(&trends, out))?;
    } else if arguments.json {
        documents::write_json(&trends, context)?;
    } else {
        let options = documents::terminal_options(context);
        terminal::history(&trends, &options, &mut context.stdout)?;
    }
    context.stdout.flush()?;
    Ok(Exit::Passed)
}

/// All recorded runs; those that cannot be read are named in warnings.
fn read(context: &mut Context) -> Result<History, CommandError> {
    let redactor = context.redactor(&[])?;
    context.messages.redact(redactor.clone());
    let store = Store::in_project(&context.dir);
    let progress = progress::Progress::new(context);
    let mut history = store.history(Context::cpus(), &|done, of| progress.show(done, of));
    drop(progress);
    history.redact(&redactor);
    for (dir, reason) in &history.damaged {
        let reason = reason.replace(&format!("{}/", context.dir.display()), "");
        context.messages.warn(&format!("skipped {dir}: {reason}"));
    }
    if history.runs.is_empty() {
        // Returns the error for an empty store.
        store.find(None, &context.dir)?;
    }
    Ok(history)
}
