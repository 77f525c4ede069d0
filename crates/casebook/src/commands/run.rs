//! `casebook run`: checks suites, runs their tests, shows and records the results.

mod configuration;
mod execution;
mod fd3;
pub(super) mod interrupt;
mod on_cluster;
pub(super) mod recording;
mod repeat;
pub(super) mod resume;
pub(super) mod selection;
mod settings;
mod summary;
mod watch;

use std::path::PathBuf;

use casebook_record::{InvalidPattern, KnownSecrets};
use casebook_run::{EngineKind, Plan, SelectedSuite, StopToken};
use casebook_suite::{Suite, discover};

use super::compile;
use crate::arguments::run::{Run, Ui};
use crate::commands::shared::cluster;
use crate::commands::shared::durations;
use crate::commands::shared::list::{self, ListFormat};
use crate::commands::shared::output;
use crate::commands::shared::suites::{self, ProblemOutput, Suites};
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;
use execution::{EndedRun, Execution};
use fd3::Fd3Output;
use interrupt::InterruptHandler;
use resume::{EarlierRun, Purpose};
pub(super) use selection::check_lines;
use settings::Settings;
use watch::{FileWatcher, RunFiles};

pub(super) fn run(arguments: &Run, context: &mut Context) -> Result<Exit, CommandError> {
    output::check_ui(arguments.output_args.ui, context)?;
    let on_screen = arguments.output_args.ui == Some(Ui::Interactive);
    if on_screen && arguments.watch {
        return Err(CommandError::WatchOnScreen);
    }
    let fd3 = Fd3Output::begin(on_screen);
    let interrupts = InterruptHandler::begin(StopToken::new()?, context);
    if arguments.watch {
        return watch_loop(arguments, &interrupts, context);
    }
    let ended = run_once(Settings::resolve(arguments, context)?, &interrupts, context);
    fd3.flush();
    Ok(ended?.exit)
}

/// Watch mode: reports errors and waits for the next change.
fn watch_loop(
    arguments: &Run,
    interrupts: &InterruptHandler,
    context: &mut Context,
) -> Result<Exit, CommandError> {
    let mut watch = FileWatcher::begin(context)?;
    loop {
        let (mut paths, mut written) = (arguments.paths.clone(), Vec::new());
        let ran = Settings::resolve(arguments, context).and_then(|settings| {
            paths.clone_from(&settings.paths);
            written.extend(settings.show.files().map(|file| context.dir.join(file)));
            run_once(settings, interrupts, context)
        });
        match ran {
            Ok(ended) => written.extend(ended.accepted),
            Err(error) => context.messages.error(&error.to_string()),
        }
        let mut suites = suite_files(&paths, context);
        // With output that differs in each run, a suite with accepted values would run again and again.
        suites.retain(|path| !written.contains(path));
        watch.add_suite_dirs(&suites)?;
        if !interrupts.stop().is_requested() {
            context
                .messages
                .info("watching for changes; press Ctrl-C to quit");
        }
        let Some(changed) = watch.wait(&RunFiles { suites, written }, interrupts) else {
            return Ok(interrupts.signal().map_or(Exit::Passed, Exit::Interrupted));
        };
        let changed = changed.strip_prefix(&context.dir).unwrap_or(&changed);
        context
            .messages
            .info(&format!("\n{} changed", changed.display()));
    }
}

/// The absolute paths of the suites and of the files that they include.
fn suite_files(paths: &[String], context: &Context) -> Vec<PathBuf> {
    let suites = discover(paths, &context.dir).files.into_iter();
    suites
        .flat_map(|found| files_of_suite(found.path, context))
        .map(|path| context.dir.join(path))
        .map(|path| path.canonicalize().unwrap_or(path))
        .collect()
}

/// A suite and the files that it includes.
fn files_of_suite(path: PathBuf, context: &Context) -> Vec<PathBuf> {
    let included: Vec<_> = suites::read_file(&path, context).map_or(Vec::new(), |checked| {
        let included = checked.file.included().iter();
        included.map(|file| PathBuf::from(file.name())).collect()
    });
    std::iter::once(path).chain(included).collect()
}

/// Runs checked suites without the defaults of a project.
pub(crate) fn run_checked(
    arguments: &Run,
    suites: Suites,
    context: &mut Context,
) -> Result<Exit, CommandError> {
    let _three = Context::open_fd3();
    let interrupts = InterruptHandler::begin(StopToken::new()?, context);
    let settings = Settings::of_bashi(arguments, context);
    let ended = plan_and_run(suites, &settings, None, &interrupts, context)?;
    Ok(ended.exit)
}

/// One run, from the suites to the exit code.
fn run_once(
    mut settings: Settings,
    interrupts: &InterruptHandler,
    context: &mut Context,
) -> Result<EndedRun, CommandError> {
    let earlier = earlier_run(&mut settings, context)?;
    let suites = suites::read(&settings.paths, ProblemOutput::Stderr, context)?;
    if !suites.summary.is_ok() {
        context
            .messages
            .info(&format!("{}; nothing was run", suites.summary.summary()));
        return Ok(Exit::CouldNotTest.into());
    }
    plan_and_run(suites, &settings, earlier.as_ref(), interrupts, context)
}

/// The run of `--resume` or `--failed`, or an earlier part of the cluster's run with this id.
fn earlier_run(
    settings: &mut Settings,
    context: &Context,
) -> Result<Option<EarlierRun>, CommandError> {
    let recorded = settings.run_id.as_deref();
    let recorded =
        recorded.and_then(|id| cluster::recorded_run(id, &settings.record_args, context));
    let recorded = recorded.map(|dir| dir.display().to_string());
    let (name, purpose) = match (settings.resume.take().or(recorded), settings.failed.take()) {
        (Some(name), _) => (name, Purpose::Resume),
        (None, Some(name)) => (name, Purpose::Failed),
        (None, None) => return Ok(None),
    };
    resume::find(&name, purpose, settings, context).map(Some)
}

fn plan_and_run(
    suites: Suites,
    settings: &Settings,
    earlier: Option<&EarlierRun>,
    interrupts: &InterruptHandler,
    context: &mut Context,
) -> Result<EndedRun, CommandError> {
    let mut asked = selection::select_suites(suites);
    selection::check_lines(&asked)?;
    if let Some(trials) = settings.trials {
        selection::set_trials(&mut asked, trials)?;
    }
    let tags = selection::tags(&asked);
    let secrets = secrets(&asked, &settings.record_args.redact, context)?;
    context.messages.redact(secrets.redactor());
    let mut plan = plan(asked, settings, earlier, context)?;
    if plan.is_empty() {
        let explains = earlier.filter(|earlier| earlier.explains_empty(&plan));
        let earlier = explains.ok_or_else(|| match earlier {
            Some(earlier) if earlier.selects_failed() => earlier.no_failed_tests(context),
            _ => selection::no_tests_error(settings, &tags, &plan),
        })?;
        earlier.complete_record(&secrets.redactor())?;
        return Ok(summary::report_nothing_to_run(earlier, context).into());
    }
    if let Some(formats) = &settings.list {
        let format = ListFormat::of(formats)?;
        return list::show(&plan, format, &secrets.redactor(), context).map(EndedRun::from);
    }
    check_engine(&plan, settings)?;
    repeat::check(&plan, settings)?;
    if plan.only && !selection::allows_only(&plan, context) {
        return Ok(Exit::CouldNotTest.into());
    }
    let mut earlier = earlier;
    loop {
        let execution = Execution {
            plan: &plan,
            settings,
            earlier,
            secrets: &secrets,
            interrupts,
        };
        let mut ended = execution.run(context)?;
        let Some(failed) = ended.rerun.take() else {
            return Ok(ended);
        };
        plan.keep(|test| failed.contains(test));
        earlier = None;
    }
}

/// The tests to run.
fn plan(
    asked: Vec<SelectedSuite>,
    settings: &Settings,
    earlier: Option<&EarlierRun>,
    context: &Context,
) -> Result<Plan, CommandError> {
    let mut selection = settings.selection()?;
    if let Some(earlier) = earlier {
        selection.included.clone_from(&earlier.included);
        selection.finished.clone_from(&earlier.finished);
    }
    let mut plan = Plan::new(asked, &selection);
    if settings.transport.is_some() || settings.cluster.is_some() {
        plan.set_expected_durations(&durations::from_latest_run(context));
    }
    Ok(plan)
}

/// Fails if the engine cannot run one of the tests.
fn check_engine(plan: &Plan, settings: &Settings) -> Result<(), CommandError> {
    if settings.options.engine == EngineKind::Bats {
        for suite in &plan.suites {
            compile::reject_native_only(&suite.suite)?;
        }
    }
    Ok(())
}

/// All variables that may be secret: the environment, and those that suites add.
pub(super) fn secrets(
    asked: &[SelectedSuite],
    redact: &[String],
    context: &Context,
) -> Result<KnownSecrets, InvalidPattern> {
    let suites = asked.iter().map(|selected| &selected.suite);
    let patterns = suites.clone().flat_map(|suite| &suite.redact);
    let patterns = redact.iter().chain(patterns);
    let mut secrets = KnownSecrets::new(patterns.map(String::as_str))?;
    let environment = context.environment.iter();
    secrets.add(environment.map(|(name, value)| (name.as_str(), value.as_str())));
    secrets.add(suites.flat_map(Suite::variables));
    Ok(secrets)
}
