//! `casebook run`: checks suites, runs their tests, shows and records the results.

mod fd3;
mod interrupt;
mod on_cluster;
mod recording;
pub(super) mod resume;
mod selection;
mod settings;
mod watch;

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::PathBuf;

use casebook_record::{
    Destination, InvalidPattern, KnownSecrets, Metadata, RecordingResult, Redactor, RunIdentity,
    Status,
};
use casebook_report::live::Verbosity;
use casebook_run::{
    EngineKind, Plan, RunContext, RunOutcome, SelectedSuite, StopToken, WorkerSettings,
};
use casebook_suite::{Suite, discover};
use serde_json::{Value, json};
use signal_hook::consts::SIGPIPE;
use uuid::Uuid;

use super::compile;
use crate::arguments::run::{Run, Ui};
use crate::commands::shared::cluster::{self, ClusterRun};
use crate::commands::shared::durations;
use crate::commands::shared::list;
use crate::commands::shared::output::{self, Leaving, Outputs};
use crate::commands::shared::plural::plural;
use crate::commands::shared::recording::{Recorded, Recording};
use crate::commands::shared::suites::{self, ProblemOutput, Suites};
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;
use fd3::Fd3Output;
use interrupt::InterruptHandler;
use recording::RunRecording;
use resume::{EarlierRun, Purpose};
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
    let exit = run_once(Settings::resolve(arguments, context)?, &interrupts, context);
    fd3.flush();
    exit
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
        if let Err(error) = ran {
            context.messages.error(&error.to_string());
        }
        let suites = discover(&paths, &context.dir).files.into_iter();
        let suites: Vec<_> = suites
            .flat_map(|found| files_of_suite(found.path, context))
            .map(|path| context.dir.join(path))
            .map(|path| path.canonicalize().unwrap_or(path))
            .collect();
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
    plan_and_run(suites, &settings, None, &interrupts, context)
}

/// One run, from the suites to the exit code.
fn run_once(
    mut settings: Settings,
    interrupts: &InterruptHandler,
    context: &mut Context,
) -> Result<Exit, CommandError> {
    let recorded = settings.run_id.as_deref();
    let recorded =
        recorded.and_then(|id| cluster::recorded_run(id, &settings.record_args, context));
    let recorded = recorded.map(|dir| dir.display().to_string());
    let earlier = match (settings.resume.take().or(recorded), settings.failed.take()) {
        (Some(name), _) => Some((name, Purpose::Resume)),
        (None, Some(name)) => Some((name, Purpose::Failed)),
        (None, None) => None,
    };
    let earlier = earlier
        .map(|(name, purpose)| resume::find(&name, purpose, &mut settings, context))
        .transpose()?;
    let suites = suites::read(&settings.paths, ProblemOutput::Stderr, context)?;
    if !suites.summary.is_ok() {
        context
            .messages
            .info(&format!("{}; nothing was run", suites.summary.summary()));
        return Ok(Exit::CouldNotTest);
    }
    plan_and_run(suites, &settings, earlier.as_ref(), interrupts, context)
}

fn plan_and_run(
    suites: Suites,
    settings: &Settings,
    earlier: Option<&EarlierRun>,
    interrupts: &InterruptHandler,
    context: &mut Context,
) -> Result<Exit, CommandError> {
    let asked = select_suites(suites);
    selection::check_lines(&asked)?;
    let tags = selection::tags(&asked);
    let secrets = secrets(&asked, settings, context)?;
    context.messages.redact(secrets.redactor());
    let mut selection = settings.selection()?;
    if let Some(earlier) = earlier {
        selection.included.clone_from(&earlier.included);
        selection.finished.clone_from(&earlier.finished);
    }
    let mut plan = Plan::new(asked, &selection);
    if settings.transport.is_some() || settings.cluster.is_some() {
        plan.set_expected_durations(&durations::from_latest_run(context));
    }
    if plan.is_empty() {
        return match earlier.filter(|earlier| earlier.explains_empty(&plan)) {
            Some(earlier) => {
                earlier.complete_record(&secrets.redactor())?;
                Ok(report_nothing_to_run(earlier, context))
            }
            None => Err(selection::no_tests_error(settings, &tags, &plan)),
        };
    }
    if settings.list {
        return list::show(&plan, &secrets.redactor(), context);
    }
    if settings.options.engine == EngineKind::Bats {
        for suite in &plan.suites {
            compile::reject_conversations(&suite.suite)?;
        }
    }
    if plan.only && !allows_only(&plan, context) {
        return Ok(Exit::CouldNotTest);
    }
    let mut ended = execute(&plan, settings, earlier, &secrets, interrupts, context)?;
    while let Some(failed) = ended.rerun {
        plan.keep(|test| failed.contains(test));
        ended = execute(&plan, settings, None, &secrets, interrupts, context)?;
    }
    Ok(ended.exit)
}

/// Each suite once, with all of its selected lines.
fn select_suites(suites: Suites) -> Vec<SelectedSuite> {
    let mut lines: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (found, _) in &suites.files {
        lines
            .entry(found.path.clone())
            .or_default()
            .extend(found.lines.clone());
    }
    let each_once = suites.files.into_iter().filter_map(|(found, checked)| {
        Some(SelectedSuite {
            lines: lines.remove(&found.path)?,
            suite: checked.suite?,
        })
    });
    each_once.collect()
}

fn report_nothing_to_run(earlier: &EarlierRun, context: &Context) -> Exit {
    context.messages.info(&earlier.nothing_to_run(context));
    if report_earlier_failures(Some(earlier), context) {
        Exit::Failed
    } else {
        Exit::Passed
    }
}

/// Names the tests that failed before the run was resumed, because they decide about the exit code. Returns whether there
/// are any.
fn report_earlier_failures(earlier: Option<&EarlierRun>, context: &Context) -> bool {
    let failed = earlier.map_or(&[][..], |earlier| &earlier.failed);
    if !failed.is_empty() {
        let count = failed.len() as u64;
        let tests = plural(count, "test");
        let title = format!("{count} {tests} of this run failed before it was resumed:");
        context.messages.info(&listed(&title, failed));
    }
    !failed.is_empty()
}

/// At most this many tests are named in a message.
const NAMED: usize = 10;

/// A title, and one line for each of the first tests.
fn listed(title: &str, tests: &[String]) -> String {
    let mut lines = vec![title.to_owned()];
    lines.extend(tests.iter().take(NAMED).map(|test| format!("  {test}")));
    if let more @ 1.. = tests.len().saturating_sub(NAMED) {
        lines.push(format!("  … and {more} more"));
    }
    lines.join("\n")
}

/// `only` is meant for local work: allowed with a warning, but not in CI.
fn allows_only(plan: &Plan, context: &Context) -> bool {
    let mut says_only = Vec::new();
    for suite in &plan.suites {
        let tests = suite.planned_tests().map(casebook_run::PlannedTest::test);
        let spans = tests.filter_map(|test| test.only);
        says_only.extend(spans.map(|span| {
            let (file, span) = suite.suite.file.locate(span);
            format!("{}:{}", file.name(), file.position(span.start).line)
        }));
    }
    says_only.dedup();
    let places = says_only.join(", ");
    if context.in_ci {
        context.messages.error(&format!(
            "`only` is not allowed in CI; remove it from {places}"
        ));
    } else {
        context
            .messages
            .warn(&format!("running only tests marked `only`: {places}"));
    }
    !context.in_ci
}

/// All variables that may be secret: the environment, and those that suites add.
fn secrets(
    asked: &[SelectedSuite],
    settings: &Settings,
    context: &Context,
) -> Result<KnownSecrets, InvalidPattern> {
    let suites = asked.iter().map(|selected| &selected.suite);
    let patterns = suites.clone().flat_map(|suite| &suite.redact);
    let patterns = settings.record_args.redact.iter().chain(patterns);
    let mut secrets = KnownSecrets::new(patterns.map(String::as_str))?;
    let environment = context.environment.iter();
    secrets.add(environment.map(|(name, value)| (name.as_str(), value.as_str())));
    secrets.add(suites.flat_map(Suite::variables));
    Ok(secrets)
}

/// The result of a run.
struct EndedRun {
    exit: Exit,
    /// The stable ids of the failed tests, if the user wants to run them again.
    rerun: Option<HashSet<String>>,
}

fn execute(
    plan: &Plan,
    settings: &Settings,
    earlier: Option<&EarlierRun>,
    secrets: &KnownSecrets,
    interrupts: &InterruptHandler,
    context: &mut Context,
) -> Result<EndedRun, CommandError> {
    let resumed = earlier.filter(|earlier| earlier.journal().is_some());
    let run_id = resumed.map(|earlier| &earlier.run_id);
    let run_id = run_id.or(settings.run_id.as_ref()).cloned();
    let identity = RunIdentity {
        run_id: run_id.unwrap_or_else(|| Uuid::new_v4().to_string()),
        git_commit: settings.commit.get(),
    };
    let recording = recording(settings, earlier, &identity, secrets.redactor(), context)?;
    let pipe = interrupts.pipe(&settings.show);
    let shown = (interrupts.stop(), &pipe);
    let outputs = Outputs::begin(&settings.show, recording.recorder(), shown, context)?;
    let recording = RunRecording::new(recording, secrets.clone(), context.messages.clone());
    interrupts.set_running(true);
    let system = context.system();
    let run_context = RunContext {
        system: &system,
        stop: interrupts.stop(),
        sink: &recording,
        workers: settings.transport.as_ref().map(|transport| WorkerSettings {
            transport,
            heartbeat_timeout: settings.silence,
        }),
        limiter: None,
        locks: None,
    };
    let configuration = configuration(settings, plan, earlier);
    let ran = match &settings.cluster {
        None => casebook_run::run(plan, &settings.options, run_context, configuration)
            .map_err(CommandError::from),
        Some(cluster) => {
            let journal = resumed.and_then(EarlierRun::journal);
            let recorded = journal.map(cluster::recorded_events).transpose()?;
            let run = ClusterRun {
                identity,
                recorded: recorded.unwrap_or_default(),
                redact: &settings.record_args.redact,
            };
            on_cluster::run(
                cluster,
                run,
                plan,
                settings,
                run_context,
                configuration,
                context,
            )
        }
    };
    interrupts.set_running(false);
    let snapshots = recording.written_snapshots();
    let record = recording.finish();
    let shown = outputs.end(&record.result, interrupts.signal().is_some(), context);
    let outcome = ran?;
    if let Some(snapshots) = snapshots {
        context.messages.info(&snapshots);
    }
    say_where(&record, settings, context);
    let is_unfinished = outcome.interrupted > 0 || !outcome.not_started.is_empty();
    let exit = match interrupts.signal() {
        Some(signal) => {
            report_unfinished("interrupted", &outcome, &record, context);
            Exit::Interrupted(signal)
        }
        // If all tests were run, their results decide.
        None if pipe.is_closed() && is_unfinished => {
            report_unfinished("standard output was closed", &outcome, &record, context);
            Exit::Interrupted(SIGPIPE)
        }
        None if report_earlier_failures(earlier, context) || outcome.failed > 0 => Exit::Failed,
        None => record.exit(Exit::Passed),
    };
    let wants_rerun = matches!(shown, Ok(Leaving::Rerun));
    let rerun = wants_rerun.then(|| failed_tests(&record.result));
    let rerun = rerun.transpose()?;
    Ok(EndedRun {
        exit: output::exit_after(shown, exit, context)?,
        rerun: rerun.filter(|failed| !failed.is_empty()),
    })
}

/// The stable ids of the tests that failed.
fn failed_tests(record: &RecordingResult) -> io::Result<HashSet<String>> {
    let mut failed = HashSet::new();
    for example in record.run.iter().flat_map(|run| run.each_example()) {
        let example = example?;
        if example.status == Status::Failed {
            failed.extend(example.stable_id.clone());
        }
    }
    Ok(failed)
}

/// The recording. A requested one that cannot be written is an error before the tests run.
fn recording(
    settings: &Settings,
    earlier: Option<&EarlierRun>,
    identity: &RunIdentity,
    redactor: Redactor,
    context: &Context,
) -> Result<Recording, CommandError> {
    let destination = match earlier.and_then(EarlierRun::journal) {
        Some(journal) => Destination::After(journal.to_owned()),
        None => settings.record_args.destination(&context.dir),
    };
    let is_resumed = matches!(destination, Destination::After(_));
    let is_requested = is_resumed || settings.record_args.is_requested();
    if is_requested {
        destination.check()?;
    }
    let recording = Recording::new(
        destination,
        is_requested,
        identity.clone(),
        redactor,
        context,
    );
    Ok(recording)
}

/// Reports the tests that a stopped run did not finish.
fn report_unfinished(why: &str, outcome: &RunOutcome, recorded: &Recorded, context: &Context) {
    let counts = [
        (outcome.interrupted, "interrupted"),
        (outcome.not_started.len(), "not run"),
    ];
    let counts = counts.into_iter().filter(|(count, _)| *count > 0);
    let counts: Vec<_> = counts
        .map(|(count, what)| format!("{count} {} {what}", plural(count as u64, "test")))
        .collect();
    if counts.is_empty() {
        return context
            .messages
            .info(&format!("{why}, but all tests had finished"));
    }
    let hint = if recorded.can_resume() {
        "; to run the rest, use `casebook run --resume`"
    } else {
        ""
    };
    let title = format!("{why}: {}{hint}", counts.join(", "));
    context.messages.info(&listed(&title, &outcome.not_started));
}

/// The configuration of the run, for its record.
fn configuration(settings: &Settings, plan: &Plan, earlier: Option<&EarlierRun>) -> Metadata {
    let mut configuration = json!({
        "engine": match settings.options.engine {
            EngineKind::Native => "native",
            EngineKind::Bats => "bats",
        },
        "jobs": settings.options.jobs,
        "paths": settings.paths,
    });
    let optional = [
        (
            "workers",
            settings
                .transport
                .as_ref()
                .map(|_| settings.options.jobs.into()),
        ),
        ("filter", settings.filter.clone().map(Value::from)),
        (
            "shard",
            settings.shard.map(|shard| shard.to_string().into()),
        ),
        (
            "timeout",
            settings
                .options
                .timeout
                .map(|timeout| timeout.as_secs_f64().into()),
        ),
        (
            "retries",
            Some(settings.options.retries)
                .filter(|retries| *retries > 0)
                .map(Value::from),
        ),
    ];
    for (key, value) in optional {
        if let Some(value) = value {
            configuration[key] = value;
        }
    }
    if !settings.tags.is_empty() {
        let tags: Vec<_> = settings.tags.iter().map(ToString::to_string).collect();
        configuration["tags"] = tags.into();
    }
    // A run of some of the selected tests; without them, it could not be resumed.
    if earlier.is_some_and(|earlier| earlier.journal().is_none()) {
        let tests = plan.suites.iter().flat_map(|suite| &suite.tests);
        let ids: Vec<_> = tests.map(|test| test.stable_id.as_str()).collect();
        configuration["tests"] = ids.into();
    }
    Metadata::from_iter([
        ("configuration", configuration),
        ("versions", json!({"casebook": env!("CARGO_PKG_VERSION")})),
    ])
}

fn say_where(recorded: &Recorded, settings: &Settings, context: &Context) {
    // After a successful run the record is rarely needed.
    if recorded.has_failures() || settings.show.verbosity == Verbosity::Verbose {
        recorded.say_where(&context.messages);
    } else {
        recorded.say_incomplete(&context.messages);
    }
}
