//! `casebook judge`: judges the conversations of a recorded run again.

mod labels;
mod recorded_tests;

use std::io::Write as _;

use casebook_record::{Run, RunData, RunIdentity, run_events};
use casebook_report::terminal;
use casebook_run::{
    EventSink as _, JudgedCounts, LlmOptions, Options, Plan, Rejudging, RunError, Selection,
    StopToken, TrialSink,
};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use labels::Labels;

use super::run::interrupt::InterruptHandler;
use super::run::recording::RunRecording;
use super::run::{secrets, selection};
use super::shared::documents::terminal_options;
use super::shared::load_record::{self, Record};
use super::shared::plural::plural;
use super::shared::project::Project;
use super::shared::recording::{Recorded, Recording};
use super::shared::suites::{self, ProblemOutput};
use super::shared::upload::Upload;
use crate::arguments::judge::Judge;
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;

/// The key in the metadata of a run that names the run whose conversations it judged again.
const REJUDGED: &str = "rejudged";

pub(super) fn run(arguments: &Judge, context: &mut Context) -> Result<Exit, CommandError> {
    let labels = match &arguments.calibrate {
        None => None,
        Some(file) => Some(Labels::read(file, arguments, context)?),
    };
    let Record { run, shown, .. } = load_record::load(arguments.run.as_deref(), context)?;
    if let Some(labels) = labels.as_ref().filter(|_| arguments.suite.is_empty()) {
        return labels.compare(&run, context);
    }
    let files = match arguments.suite.as_slice() {
        [] => recorded_tests::suite_files(&run, &shown)?,
        files => files.to_vec(),
    };
    let suites = suites::read(&files, ProblemOutput::Stderr, context)?;
    if !suites.summary.is_ok() {
        let summary = suites.summary.summary();
        context
            .messages
            .info(&format!("{summary}; nothing was judged"));
        return Ok(Exit::CouldNotTest);
    }
    let suites = selection::select_suites(suites);
    let options = options(arguments, context)?;
    let secrets = secrets(&suites, &options.llm.redact, context)?;
    context.messages.redact(secrets.redactor());
    let plan = Plan::new(suites, &Selection::default());
    recorded_tests::check_criterion(&plan, arguments.criterion.as_deref())?;
    let destination = arguments.record_args.destination(&context.dir);
    destination.check()?;
    let identity = RunIdentity {
        run_id: options.run_id.clone(),
        git_commit: run.git_commit.clone(),
        git_branch: None,
    };
    let upload = Upload::requested(&arguments.record_args, context)?;
    let recording = Recording::new(destination, true, identity, secrets.redactor(), context)
        .with_upload(upload);
    let judging = Judging {
        arguments,
        options: &options,
        plan: &plan,
        labels: labels.as_ref(),
        recording: RunRecording::new(recording, secrets, context.messages.clone()),
    };
    judging.run(run, context)
}

fn options(arguments: &Judge, context: &Context) -> Result<Options, CommandError> {
    let project = Project::read(context)?;
    let project = project.into_defaults(context)?;
    let mut redact = arguments.record_args.redact.clone();
    redact.extend(project.redact);
    let llm = LlmOptions {
        cache: arguments.llm_cache.clone().or(project.llm_cache),
        cache_only: arguments.llm_cache_only || project.llm_cache_only,
        redact,
        ..LlmOptions::default()
    };
    if llm.cache_only && llm.cache.is_none() {
        return Err(CommandError::NoLlmCache);
    }
    Ok(Options {
        jobs: arguments.jobs.unwrap_or_else(Context::cpus),
        run_id: Uuid::new_v4().to_string(),
        llm,
        ..Options::default()
    })
}

/// One judging of a recorded run.
struct Judging<'a> {
    arguments: &'a Judge,
    options: &'a Options,
    plan: &'a Plan,
    /// The labels with which the new verdicts are compared.
    labels: Option<&'a Labels>,
    recording: RunRecording,
}

impl Judging<'_> {
    fn run(self, mut run: RunData, context: &mut Context) -> Result<Exit, CommandError> {
        self.describe(&mut run, context);
        let conversations = recorded_tests::conversations(&run).count() as u64;
        let interrupts = InterruptHandler::begin(StopToken::new()?, context);
        let system = context.system();
        let rejudging = Rejudging {
            system: &system,
            stop: interrupts.stop(),
            sink: &self.recording,
            options: self.options,
            criterion: self.arguments.criterion.as_deref(),
        };
        let by_name = !self.arguments.suite.is_empty();
        let tests = recorded_tests::tests(self.plan, &mut run, by_name)?;
        let counts = rejudging.run(tests).map_err(RunError::from)?;
        if let Some(signal) = interrupts.signal() {
            return Ok(Exit::Interrupted(signal));
        }
        if counts.all() == 0 {
            return Err(CommandError::NothingToJudge {
                criterion: self.arguments.criterion.clone(),
            });
        }
        run.finished_at = Some(Context::now());
        let judged = self.labels.map(|labels| (labels, run.clone()));
        let sink = TrialSink::new(&self.recording, []);
        run_events(run)
            .into_iter()
            .for_each(|event| sink.publish(event));
        let mut recorded = self.recording.finish();
        if let Some(run) = &recorded.result.run {
            report(run, &recorded, context)?;
        }
        context.messages.info(&summary(counts, conversations));
        recorded.say_where(&context.messages);
        recorded.upload(&context.messages);
        let exit = exit(counts);
        match judged {
            Some((labels, run)) if exit != Exit::CouldNotTest => {
                Ok(recorded.exit(labels.compare(&run, context)?))
            }
            _ => Ok(recorded.exit(exit)),
        }
    }

    /// Gives the run its own id and time, the models of the suites, and the id of the run it was judged from.
    fn describe(&self, run: &mut RunData, context: &Context) {
        let mut described = casebook_record::Metadata::new();
        casebook_run::describe(
            self.plan,
            &context.system(),
            &self.recording,
            &mut described,
        );
        let mut configuration = match run.metadata.get("configuration") {
            Some(Value::Object(recorded)) => recorded.clone(),
            _ => Map::new(),
        };
        if let Some(models) = described.dig("configuration.models") {
            configuration.insert("models".to_owned(), models.clone());
        }
        run.metadata.set("configuration", configuration);
        let mut source = json!({"run_id": run.run_id});
        if let Some(criterion) = &self.arguments.criterion {
            source["criterion"] = criterion.as_str().into();
        }
        run.metadata.set(REJUDGED, source);
        run.run_id.clone_from(&self.options.run_id);
        run.started_at = Context::now();
    }
}

/// Shows the new record as `casebook report` does.
fn report(run: &Run, recorded: &Recorded, context: &mut Context) -> Result<(), CommandError> {
    let options = terminal::Options {
        record: recorded.shown_dir(),
        ..terminal_options(context)
    };
    terminal::report(run, &options, &mut context.stdout)?;
    Ok(context.stdout.flush()?)
}

/// `judged 12 checks of 4 conversations: 9 passed, 2 failed, 1 inconclusive`.
fn summary(counts: JudgedCounts, conversations: u64) -> String {
    let checks = counts.all() as u64;
    format!(
        "judged {checks} {} of {conversations} {}: {} passed, {} failed, {} inconclusive",
        plural(checks, "check"),
        plural(conversations, "conversation"),
        counts.passed,
        counts.failed,
        counts.inconclusive,
    )
}

fn exit(counts: JudgedCounts) -> Exit {
    if counts.unjudged > 0 {
        Exit::CouldNotTest
    } else if counts.hard_failures > 0 {
        Exit::Failed
    } else {
        Exit::Passed
    }
}
