//! `casebook check`: reports all problems in suites.

use std::io::{self, Write as _};

use serde::Serialize;

use super::explain;
use crate::arguments::{Check, CheckFormat};
use crate::commands::shared::problems::{Problem, github, sarif};
use crate::commands::shared::project::Project;
use crate::commands::shared::suites::{self, CheckSummary, ProblemOutput};
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;

/// The result as JSON.
#[derive(Serialize)]
struct Report<'r> {
    #[serde(flatten)]
    counts: &'r CheckSummary,
    /// Arguments without a suite, and files that could not be read.
    unmatched: &'r [String],
    problems: &'r [Problem],
}

pub(super) fn run(arguments: &Check, context: &mut Context) -> Result<Exit, CommandError> {
    let project = Project::read(context)?;
    let shown = match arguments.format {
        CheckFormat::Pretty => ProblemOutput::Stdout,
        _ => ProblemOutput::Nowhere,
    };
    if shown == ProblemOutput::Stdout {
        for problem in project.rendered(context.color) {
            write!(context.stdout, "{problem}\n\n")?;
        }
    }
    let paths = if arguments.paths.is_empty() {
        &project.defaults.paths
    } else {
        &arguments.paths
    };
    let suites = suites::read(paths, shown, context)?;
    let mut summary = suites.summary;
    summary.add_problems(project.problems.len() as u64);
    if shown == ProblemOutput::Nowhere {
        let in_suites = suites.files.iter();
        let in_suites = in_suites.flat_map(|(_, checked)| Problem::of_suite(checked));
        let report = Report {
            counts: &summary,
            unmatched: &suites.unmatched,
            problems: &project.as_data().chain(in_suites).collect::<Vec<_>>(),
        };
        report.write(arguments.format, &mut context.stdout)?;
    }
    context.messages.info(&summary.summary());
    Ok(if summary.is_ok() {
        Exit::Passed
    } else {
        Exit::CouldNotTest
    })
}

impl Report<'_> {
    fn write(&self, format: CheckFormat, out: &mut dyn io::Write) -> io::Result<()> {
        match format {
            CheckFormat::Pretty => {}
            CheckFormat::Json => {
                serde_json::to_writer_pretty(&mut *out, self)?;
                writeln!(out)?;
            }
            CheckFormat::Github => github::write(self.problems, out)?,
            CheckFormat::Sarif => {
                let log = sarif::log(self.problems, explain::rule, self.unmatched);
                serde_json::to_writer_pretty(&mut *out, &log)?;
                writeln!(out)?;
            }
        }
        out.flush()
    }
}
