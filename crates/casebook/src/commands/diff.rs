//! `casebook diff`: compares two recorded runs.

use std::io::Write as _;

use casebook_record::Store;
use casebook_report::diff::{self, Diff, Spreads};
use casebook_report::terminal;

use super::shared::{documents, load_record};
use crate::arguments::diff::{Diff as Arguments, FailOn};
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;

/// The default for BASE.
const BEFORE_LATEST: &str = "latest~1";

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<Exit, CommandError> {
    let base = arguments.base.as_deref().unwrap_or(BEFORE_LATEST);
    let base = load_record::load(Some(base), context)?.run;
    let new = load_record::load(arguments.new.as_deref(), context)?.run;
    let history = Store::in_project(&context.dir).history(Context::cpus(), &|_, _| {});
    let spreads = Spreads::in_history(&history, &[&base.run_id, &new.run_id]);
    let diff = Diff::with_spreads(&base, &new, &spreads);
    if let Some(file) = &arguments.html {
        documents::write_page(file, context, |out| diff::html::write(&diff, out))?;
    } else if arguments.json {
        documents::write_json(&diff, context)?;
    } else if arguments.markdown {
        diff::markdown::write(&diff, &mut context.stdout)?;
    } else {
        let options = documents::terminal_options(context);
        terminal::run_diff(&diff, &options, &mut context.stdout)?;
    }
    context.stdout.flush()?;
    Ok(
        if arguments.fail_on.iter().any(|what| happened(*what, &diff)) {
            Exit::Failed
        } else {
            Exit::Passed
        },
    )
}

fn happened(what: FailOn, diff: &Diff) -> bool {
    match what {
        FailOn::Regression => diff.has_regression(),
        FailOn::Criteria => diff.has_worse_criterion(),
        FailOn::Slower => diff.has_slower_test(),
    }
}
