//! `casebook coverage`: what was designed, joined with what was written and what was run.
//!
//! `designs` finds what varies, `suites` and `specs` the tests that say they cover it, `results` what came of them.
//! Two languages meet here: `covers` understands the names that suites use, `contexts` those of a spec's groups.

mod contexts;
mod covering;
mod covers;
mod designs;
mod markers;
mod matrix;
mod results;
mod specs;
mod stale;
mod suites;

use std::io::Write as _;

use casebook_report::coverage::{self, Matrix};

use super::problems::plural;
use super::report::write_page;
use crate::arguments::coverage::Coverage;
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;

use contexts::Methods;
use covering::Tests;

pub(super) fn run(arguments: &Coverage, context: &mut Context) -> Result<Exit, CommandError> {
    let redactor = context.redactor(&[])?;
    context.messages.redact(redactor.clone());
    let runs = results::load(&arguments.runs, &redactor, context)?;
    let designs = designs::find(&arguments.paths, context)?;
    let mut tests = Tests::default();
    suites::add(&mut tests, &arguments.suites, &designs.all, context)?;
    let methods = Methods::new(&designs.all);
    specs::add(&mut tests, &methods, context);
    results::add(&mut tests, &runs, &methods, &context.folder);
    for warning in tests.warnings() {
        context.messages.warn(warning);
    }
    let matrix = Matrix {
        methods: matrix::methods(&designs.all, &tests),
        runs: runs.into_iter().map(|run| run.name).collect(),
        minimum: arguments.min,
    };
    show(&matrix, arguments, context)?;
    verdict(&matrix, designs.unread, context)
}

fn show(matrix: &Matrix, arguments: &Coverage, context: &mut Context) -> Result<(), CommandError> {
    if let Some(file) = &arguments.html {
        write_page(file, context, |out| coverage::html(matrix, out))?;
    } else if arguments.json {
        let json = coverage::json(matrix);
        serde_json::to_writer_pretty(&mut context.stdout, &json).map_err(std::io::Error::from)?;
        context.stdout.write_all(b"\n")?;
    } else {
        let width = context.width.unwrap_or(100);
        coverage::report(matrix, context.color, width, &mut context.stdout)?;
    }
    Ok(context.stdout.flush()?)
}

fn verdict(matrix: &Matrix, unread: u64, context: &Context) -> Result<Exit, CommandError> {
    let Some(minimum) = matrix.minimum else {
        return Ok(Exit::Passed);
    };
    if !matrix.is_enough() {
        let counts = matrix.states();
        context.messages.error(&format!(
            "{} of {} states passed, {}%: --min asks for {minimum}%",
            counts.passed,
            counts.designed,
            counts.percent(counts.passed),
        ));
        return Ok(Exit::Failed);
    }
    // What is enough of a part may be too little of all.
    match unread {
        0 => Ok(Exit::Passed),
        unread => {
            let files = plural(unread, "metadata file");
            Err(CommandError::Unread(format!("{unread} {files}")))
        }
    }
}
