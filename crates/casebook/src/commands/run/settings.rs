//! [`Settings`]: the options of a run, from arguments, `casebook.toml` and defaults.

use std::time::Duration;

use casebook_report::live::Verbosity;
use casebook_run::{
    EngineKind, Filter, LlmOptions, LocalTransport, Options, Selection, SnapshotMode,
    UnmetConditions,
};

use casebook_suite::model::conversation::Budget;

use crate::arguments::record_args::RecordArgs;
use crate::arguments::run::{Engine, KeepTemp, Leaks, OutputFormat, Run, SoftErrors};
use crate::commands::shared::cluster::ClusterSettings;
use crate::commands::shared::output::OutputSettings;
use crate::commands::shared::project::{Defaults, Project};
use crate::context::{Context, PendingCheckout};
use crate::error::CommandError;

/// The resolved options of a run.
pub(super) struct Settings {
    pub(super) paths: Vec<String>,
    pub(super) options: Options,
    pub(super) filter: Option<String>,
    pub(super) tags: Vec<casebook_run::TagFilter>,
    pub(super) shard: Option<casebook_run::Shard>,
    /// The number of trials of every conversation, instead of those in the suites.
    pub(super) trials: Option<u32>,
    /// What all conversations may spend.
    pub(super) budget: Budget,
    pub(super) resume: Option<String>,
    pub(super) failed: Option<String>,
    pub(super) show: OutputSettings,
    pub(super) record_args: RecordArgs,
    /// With `--list`, the values of `--format`.
    pub(super) list: Option<Vec<OutputFormat>>,
    /// The option that repeats the tests.
    pub(super) repeated_by: Option<&'static str>,
    /// How workers are started; `None` without `--workers`.
    pub(super) transport: Option<LocalTransport>,
    pub(super) silence: Duration,
    pub(super) run_id: Option<String>,
    /// The cluster on which the tests run; `None` without `--cluster`.
    pub(super) cluster: Option<ClusterSettings>,
    /// Read by a thread while suites are checked.
    pub(super) checkout: PendingCheckout,
}

impl Settings {
    /// Arguments override the options of the project; lists are not merged.
    pub(super) fn resolve(typed: &Run, context: &Context) -> Result<Settings, CommandError> {
        let project = Project::read(context)?;
        if typed.json && !typed.list {
            return Err(CommandError::JsonWithoutList);
        }
        let settings = Settings::new(typed, project.into_defaults(context)?, context);
        match settings.options.llm {
            LlmOptions {
                cache: None,
                cache_only: true,
                ..
            } => Err(CommandError::NoLlmCache),
            _ => Ok(settings),
        }
    }

    /// Only arguments, without `casebook.toml`. As in Bashi, suites that are not parallel run alone.
    pub(super) fn of_bashi(typed: &Run, context: &Context) -> Settings {
        let mut settings = Settings::new(typed, Defaults::default(), context);
        settings.options.isolate_sequential = true;
        settings
    }

    fn new(typed: &Run, project: Defaults, context: &Context) -> Settings {
        let record_args = RecordArgs {
            record: typed
                .record_args
                .record
                .clone()
                .or_else(|| project.record.clone()),
            redact: first(&typed.record_args.redact, &project.redact),
            upload: typed.record_args.upload.clone(),
        };
        Settings {
            paths: first(&typed.paths, &project.paths),
            options: options(typed, &project, &record_args.redact, context),
            tags: first(&typed.tag, &project.tag),
            show: output_settings(typed, &project, &record_args),
            filter: typed.filter.clone().or(project.filter),
            shard: typed.shard,
            trials: typed.trials,
            budget: typed.budget.or(project.budget).unwrap_or_default().0,
            resume: typed.resume.clone(),
            failed: typed.failed.clone(),
            record_args,
            list: typed
                .list
                .then(|| typed.output_args.list_formats(typed.json)),
            repeated_by: typed.repeat_args.name(),
            transport: typed.workers.map(|_| LocalTransport {
                program: typed
                    .worker_program
                    .clone()
                    .unwrap_or_else(Context::program),
            }),
            silence: typed.worker_silence,
            run_id: typed.cluster_args.run_id.clone(),
            cluster: ClusterSettings::new(&typed.cluster_args),
            checkout: context.git_checkout(),
        }
    }

    /// The selected tests.
    pub(super) fn selection(&self) -> Result<Selection, CommandError> {
        let filter = self.filter.as_deref().map(str::parse::<Filter>).transpose();
        Ok(Selection {
            filter: filter.map_err(|error| CommandError::Filter(error.to_string()))?,
            tags: self.tags.clone(),
            shard: self.shard,
            ..Selection::default()
        })
    }
}

/// The values of the arguments, otherwise those of the project.
fn first<T: Clone>(typed: &[T], project: &[T]) -> Vec<T> {
    if typed.is_empty() {
        project.to_vec()
    } else {
        typed.to_vec()
    }
}

/// How tests are run.
fn options(typed: &Run, project: &Defaults, redact: &[String], context: &Context) -> Options {
    let jobs = typed.workers.or(typed.jobs).or(project.jobs);
    let max_output = typed.max_output.or(project.max_output);
    let defaults = Options::default();
    Options {
        jobs: jobs.unwrap_or_else(Context::cpus),
        timeout: typed.timeout.or(project.timeout),
        retries: typed.retries.or(project.retries).unwrap_or_default(),
        fail_fast: typed.fail_fast || project.fail_fast,
        leaks_fail: typed.leaks.or(project.leaks) == Some(Leaks::Fail),
        unmet_conditions: unmet_conditions(typed, project, context),
        isolate_sequential: false,
        max_output: max_output.map_or(defaults.max_output, |size| size.0),
        snapshots: snapshot_mode(typed, context),
        engine: match typed.engine.or(project.engine) {
            Some(Engine::Bats) if typed.workers.is_none() => EngineKind::Bats,
            _ => EngineKind::Native,
        },
        seed: typed.seed.or(project.seed),
        repeat: typed.repeat_args.resolve(),
        keep_temp: typed.keep_temp.map(kept),
        llm: LlmOptions {
            cache: typed
                .llm_cache
                .clone()
                .or_else(|| project.llm_cache.clone()),
            cache_only: typed.llm_cache_only || project.llm_cache_only,
            soft_errors_fail: typed.soft_errors.or(project.soft_errors) == Some(SoftErrors::Fail),
            redact: redact.to_vec(),
            ..defaults.llm
        },
        run_id: defaults.run_id,
    }
}

fn unmet_conditions(typed: &Run, project: &Defaults, context: &Context) -> UnmetConditions {
    if typed.require_all || project.strict_requires && context.in_ci {
        UnmetConditions::Fail
    } else {
        UnmetConditions::Skip
    }
}

fn snapshot_mode(typed: &Run, context: &Context) -> SnapshotMode {
    match (typed.update, context.in_ci) {
        (true, _) => SnapshotMode::Update,
        (false, true) => SnapshotMode::Keep,
        (false, false) => SnapshotMode::New,
    }
}

/// How the run is shown.
fn output_settings(typed: &Run, project: &Defaults, record_args: &RecordArgs) -> OutputSettings {
    let mut show = OutputSettings::from_args(&typed.output_args, record_args.dir());
    if show.formats.is_empty() {
        show.formats.clone_from(&project.format);
    }
    show.html = show.html.or_else(|| project.html.clone());
    show.timing |= project.timing;
    show.trace = typed.trace || project.trace;
    // A second run would replace the files of the first.
    show.k.clone_from(&typed.k);
    show.can_rerun =
        (record_args.record.is_none() || record_args.is_disabled()) && !show.writes_files();
    show.verbosity = match (show.verbosity, project.quiet, project.verbose) {
        (Verbosity::Normal, true, _) => Verbosity::Quiet,
        (Verbosity::Normal, false, true) => Verbosity::Verbose,
        (typed, ..) => typed,
    };
    show
}

fn kept(typed: KeepTemp) -> casebook_run::KeepTemp {
    match typed {
        KeepTemp::Failed => casebook_run::KeepTemp::Failed,
        KeepTemp::Always => casebook_run::KeepTemp::Always,
    }
}
