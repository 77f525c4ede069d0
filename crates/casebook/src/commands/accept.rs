//! `casebook accept`: writes the actual output of failed tests into their suites.
//!
//! [`recorded`] reads what failed from a record. [`proposals`] finds the value of each failure in its suite, or why it is not
//! changed. [`review`] lets the user decide, and [`writing`] changes the files.

mod agreement;
mod editor;
mod proposals;
mod prune;
mod recorded;
mod refusal;
mod review;
mod selected;
mod suite_file;
mod writing;

use std::path::PathBuf;

use casebook_record::Run;

use crate::arguments::accept::Accept;
use crate::commands::shared::load_record;
use crate::commands::shared::plural::plural;
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;
use proposals::Proposals;
use recorded::RecordedTests;
use selected::SelectedTests;
use writing::Edits;

pub(super) fn run(arguments: &Accept, context: &mut Context) -> Result<Exit, CommandError> {
    if arguments.prune {
        return prune::run(arguments, context);
    }
    let Some(selected) = SelectedTests::find(&arguments.paths, context)? else {
        return Ok(Exit::CouldNotTest);
    };
    let record = load_record::open(None, context)?;
    let tests = RecordedTests::read(&record.run, |file| selected.has_file(file))?;
    let is_selected = |file: &str, lines: &_| selected.includes(file, lines);
    let mut proposals = Proposals::find(&tests, &is_selected, context);
    if proposals.is_empty() {
        let shown = record.shown.display();
        let reason = reason_for_nothing(&tests);
        let message = format!("nothing to accept: {reason} ({shown})");
        context.messages.info(&message);
        return Ok(Exit::Passed);
    }
    let mut refused = proposals.report_refusals(context);
    if arguments.review {
        review::review(&mut proposals, context)?;
    }
    let edits = Edits::new(&mut proposals);
    refused += proposals.report_refusals(context);
    if arguments.dry_run {
        edits.write_patch(context)?;
    } else {
        edits.write(context)?.report(context);
    }
    Ok(if refused == 0 {
        Exit::Passed
    } else {
        Exit::Failed
    })
}

fn reason_for_nothing(tests: &RecordedTests) -> &'static str {
    if tests.failed().next().is_none() {
        "no selected test failed"
    } else {
        "no selected test failed on a value that can be accepted"
    }
}

/// What was accepted after a run.
#[derive(Default)]
pub(super) struct AcceptedRun {
    /// The suites and snapshots that were written.
    pub(super) files: Vec<PathBuf>,
    /// How many tests failed only on values that were accepted.
    pub(super) resolved: usize,
}

/// `run --update`: accepts everything that differs in this run.
pub(super) fn after_run(run: &Run, context: &Context) -> Result<AcceptedRun, CommandError> {
    let tests = RecordedTests::read(run, |_| true)?;
    let mut proposals = Proposals::find(&tests, &|_, _| true, context);
    if proposals.is_empty() {
        return Ok(AcceptedRun::default());
    }
    let edits = Edits::new(&mut proposals);
    proposals.report_refusals(context);
    let written = edits.write(context)?;
    written.report(context);
    Ok(AcceptedRun {
        resolved: proposals.resolved_tests(&tests),
        files: written.paths,
    })
}

/// Files that were written.
#[derive(Default)]
struct WrittenFiles {
    /// The number of values in them.
    values: usize,
    /// Their paths as the user names them.
    names: Vec<String>,
    paths: Vec<PathBuf>,
}

impl WrittenFiles {
    fn report(&self, context: &Context) {
        let message = match self.values as u64 {
            0 => "nothing was accepted".to_owned(),
            count => {
                let values = plural(count, "value");
                format!("{count} {values} accepted: {}", self.names.join(", "))
            }
        };
        context.messages.info(&message);
    }
}
