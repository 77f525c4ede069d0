//! `casebook coverage`: shows which states of which characteristics are covered, run and passed.
//!
//! Reads suites and records; `casebook_coverage` joins them with designs and specs.

mod newest_runs;
mod observe;
mod prove;

use std::fs;
use std::io::Write as _;
use std::path::Path;

use casebook_coverage::{Designs, FindError, Join, Observation, find_designs};
use casebook_design::metadata::location::find_root;
use casebook_record::{Redactor, RunData, Store};
use casebook_report::coverage::{self, Matrix, Method};
use casebook_suite::discover;

use super::shared::documents::{write_json, write_page};
use super::shared::input_problems;
use super::shared::plural::plural;
use super::shared::suites::read_file;
use crate::arguments::coverage::Coverage;
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;

/// A record, with the name that users type for it.
struct NamedRun {
    name: String,
    data: RunData,
}

pub(super) fn run(arguments: &Coverage, context: &mut Context) -> Result<Exit, CommandError> {
    let redactor = context.redactor(&[])?;
    context.messages.redact(redactor.clone());
    let root = find_root(&context.dir).unwrap_or_else(|| context.dir.clone());
    let tested = observe_and_prove(arguments, &root, &redactor, context)?;
    let observation = Observation::load(&root)?;
    let runs = load_runs(&arguments.runs, &redactor, context)?;
    let designs = designs(arguments, observation.as_ref(), &root, context)?;
    warn_all(&designs.warnings, context);
    match (designs.is_empty(), designs.warnings.is_empty()) {
        (false, _) => {}
        (true, true) => return Err(CommandError::NothingDesigned),
        (true, false) => return Err(CommandError::NoReadableDesign),
    }
    let mut methods = covered_methods(&designs, &runs, arguments, context)?;
    if let Some(observation) = &observation {
        observation.annotate(&mut methods);
    }
    let matrix = Matrix {
        methods,
        runs: runs.into_iter().map(|run| run.name).collect(),
        observed: observation.map(|one| one.command.join(" ")),
        minimum: arguments.min,
    };
    show(&matrix, arguments, context)?;
    match check_minimum(&matrix, designs.unreadable, context)? {
        Exit::Passed => Ok(tested),
        exit => Ok(exit),
    }
}

/// The methods with the tests that cover them.
fn covered_methods(
    designs: &Designs,
    runs: &[NamedRun],
    arguments: &Coverage,
    context: &Context,
) -> Result<Vec<Method>, CommandError> {
    let mut join = Join::new(&designs.all, &context.dir);
    add_suites(&mut join, &arguments.suites, context)?;
    join.add_specs();
    join.add_runs(&runs.iter().map(|run| &run.data).collect::<Vec<_>>());
    warn_all(join.warnings(), context);
    Ok(join.methods())
}

/// Runs the command, if there is one to run. Returns its exit code.
fn observe_and_prove(
    arguments: &Coverage,
    root: &Path,
    redactor: &Redactor,
    context: &mut Context,
) -> Result<Exit, CommandError> {
    let mut exit = Exit::Passed;
    if arguments.observe {
        exit = observe::run(arguments, root, redactor, context)?;
    } else if !arguments.prove && !arguments.command.is_empty() {
        return Err(CommandError::NothingToObserve);
    }
    if arguments.prove {
        prove::run(arguments, root, context)?;
    }
    Ok(exit)
}

/// The designs of the project and, if its specs were observed, all observed methods.
fn designs(
    arguments: &Coverage,
    observation: Option<&Observation>,
    root: &Path,
    context: &Context,
) -> Result<Designs, CommandError> {
    let Some(observation) = observation else {
        return Ok(find_designs(&arguments.paths, &context.dir)?);
    };
    // With an observation, a path may have no metadata.
    let found = find_designs(&arguments.paths, &context.dir);
    let mut designs = match found {
        Err(FindError::NotAnalyzed(_)) => Designs::default(),
        found => found?,
    };
    designs.add_observed(observation, &arguments.paths, root);
    Ok(designs)
}

fn warn_all(warnings: &[String], context: &Context) {
    for warning in warnings {
        context.messages.warn(warning);
    }
}

/// The named records, the oldest first; without names the newest ones.
fn load_runs(
    names: &[String],
    redactor: &Redactor,
    context: &Context,
) -> Result<Vec<NamedRun>, CommandError> {
    let store = Store::in_project(&context.dir);
    let find = |name: &String| store.find(Some(name), &context.dir);
    let paths = match names {
        [] => newest_runs::find(&store, redactor, &context.dir)?,
        names => names.iter().map(find).collect::<Result<_, _>>()?,
    };
    let mut runs = Vec::new();
    for path in paths {
        let loaded = casebook_record::load(&path, redactor)?;
        let name = display_name(&path, &context.dir);
        input_problems::report(&name, &loaded.problems, &context.messages);
        runs.push(NamedRun {
            name,
            data: loaded.run,
        });
    }
    runs.sort_by_key(|run| run.data.started_at);
    Ok(runs)
}

/// The directory of the record, `latest` resolved; for a file in the working directory the file itself.
fn display_name(path: &Path, cwd: &Path) -> String {
    let dir = path.parent().filter(|dir| *dir != cwd).unwrap_or(path);
    let target =
        fs::read_link(dir).map_or_else(|_| dir.to_owned(), |name| dir.with_file_name(name));
    let shown = target.strip_prefix(cwd).unwrap_or(&target);
    shown.display().to_string()
}

/// Adds the suites of these paths; without paths, those below the working directory.
fn add_suites(
    join: &mut Join<'_>,
    paths: &[String],
    context: &Context,
) -> Result<(), CommandError> {
    let found = discover(paths, &context.dir);
    // A project may have specs and no suites.
    if let (Some(unmatched), false) = (found.unmatched.first(), paths.is_empty()) {
        return Err(CommandError::NoSuite(unmatched.to_string()));
    }
    for file in found.files {
        match read_file(&file.path, context)?.suite {
            Some(suite) => join.add_suite(&suite),
            None => join.warn(skipped(&file.path)),
        }
    }
    Ok(())
}

fn skipped(path: &Path) -> String {
    let path = path.display();
    format!("skipped {path}: it has problems; run `casebook check {path}` to see them")
}

fn show(matrix: &Matrix, arguments: &Coverage, context: &mut Context) -> Result<(), CommandError> {
    if let Some(file) = &arguments.html {
        write_page(file, context, |out| coverage::html(matrix, out))?;
    } else if arguments.json {
        write_json(&coverage::json(matrix), context)?;
    } else {
        let width = context.width.unwrap_or(100);
        coverage::report(matrix, context.color, width, &mut context.stdout)?;
    }
    Ok(context.stdout.flush()?)
}

/// The exit code: whether as many states passed as `--min` requires.
fn check_minimum(
    matrix: &Matrix,
    unreadable: u64,
    context: &Context,
) -> Result<Exit, CommandError> {
    let Some(minimum) = matrix.minimum else {
        return Ok(Exit::Passed);
    };
    if !matrix.meets_minimum() {
        let (counts, passed) = (matrix.states(), matrix.passed_states());
        context.messages.error(&format!(
            "{passed} of {} states passed, {}%: --min requires {minimum}%",
            counts.designed,
            counts.percent(passed),
        ));
        return Ok(Exit::Failed);
    }
    // The states that could be read may be enough while all states are not.
    match unreadable {
        0 => Ok(Exit::Passed),
        count => {
            let files = plural(count, "metadata file");
            Err(CommandError::UnreadableMetadata(format!("{count} {files}")))
        }
    }
}
