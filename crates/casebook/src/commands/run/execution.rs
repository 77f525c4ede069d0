//! [`Execution`]: runs the tests of a plan, records and shows them.

use std::collections::HashSet;
use std::io;
use std::path::PathBuf;

use casebook_record::{Destination, Event, KnownSecrets, RecordingResult, RunIdentity, Status};
use casebook_run::{
    Options, Plan, RunContext, RunOutcome, SnapshotMode, TrialSink, WorkerSettings,
};
use signal_hook::consts::SIGPIPE;
use uuid::Uuid;

use super::interrupt::InterruptHandler;
use super::recording::RunRecording;
use super::resume::EarlierRun;
use super::settings::Settings;
use super::{configuration, on_cluster, repeat, summary};
use crate::commands::accept::{self, AcceptedRun};
use crate::commands::shared::cluster::{self, ClusterRun};
use crate::commands::shared::output::{self, CloseReason, Outputs, PipeState};
use crate::commands::shared::recording::{Recorded, Recording};
use crate::commands::shared::upload::Upload;
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;

/// The execution of a plan.
pub(super) struct Execution<'a> {
    pub(super) plan: &'a Plan,
    pub(super) settings: &'a Settings,
    /// The run of which tests are run again.
    pub(super) earlier: Option<&'a EarlierRun>,
    pub(super) secrets: &'a KnownSecrets,
    pub(super) interrupts: &'a InterruptHandler,
}

/// The result of a run.
pub(super) struct EndedRun {
    pub(super) exit: Exit,
    /// The stable ids of the failed tests, if the user wants to run them again.
    pub(super) rerun: Option<HashSet<String>>,
    /// The files into which output was accepted after the run.
    pub(super) accepted: Vec<PathBuf>,
}

impl From<Exit> for EndedRun {
    fn from(exit: Exit) -> EndedRun {
        EndedRun {
            exit,
            rerun: None,
            accepted: Vec::new(),
        }
    }
}

impl Execution<'_> {
    /// Runs the tests.
    pub(super) fn run(&self, context: &mut Context) -> Result<EndedRun, CommandError> {
        let recorded = self.recorded_events()?;
        let identity = self.identity();
        let recording = self.recording(&identity, context)?;
        let pipe = self.interrupts.pipe(&self.settings.show);
        let shown = (self.interrupts.stop(), &pipe);
        let outputs = Outputs::begin(&self.settings.show, recording.recorder(), shown, context)?;
        let recording =
            RunRecording::new(recording, self.secrets.clone(), context.messages.clone());
        self.interrupts.set_running(true);
        let ran = self.run_tests(identity, recorded, &recording, context);
        self.interrupts.set_running(false);
        let snapshots = recording.written_snapshots();
        let mut record = recording.finish();
        let was_interrupted = self.interrupts.signal().is_some();
        let shown = outputs.end(&record.result, was_interrupted, context);
        let outcome = ran?;
        if let Some(snapshots) = snapshots {
            context.messages.info(&snapshots);
        }
        if let Some(dir) = &outcome.kept {
            repeat::report_kept(dir, context);
        }
        let accepted = self.accept_output(&record, context)?;
        let outcome = RunOutcome {
            failed: outcome.failed.saturating_sub(accepted.resolved),
            ..outcome
        };
        summary::say_where(&record, self.settings, context);
        record.upload(&context.messages);
        let exit = self.exit(&outcome, &record, &pipe, context);
        let wants_rerun = matches!(shown, Ok(CloseReason::Rerun));
        let rerun = wants_rerun.then(|| failed_tests(&record.result));
        let rerun = rerun.transpose()?;
        Ok(EndedRun {
            exit: output::exit_after(shown, exit, context)?,
            rerun: rerun.filter(|failed| !failed.is_empty()),
            accepted: accepted.files,
        })
    }

    /// With `--update`, accepts what differs in the run.
    fn accept_output(
        &self,
        record: &Recorded,
        context: &Context,
    ) -> Result<AcceptedRun, CommandError> {
        match &record.result.run {
            Some(run) if self.settings.options.snapshots == SnapshotMode::Update => {
                accept::after_run(run, context)
            }
            _ => Ok(AcceptedRun::default()),
        }
    }

    /// The earlier run whose record is continued.
    fn resumed(&self) -> Option<&EarlierRun> {
        self.earlier.filter(|earlier| earlier.journal().is_some())
    }

    fn identity(&self) -> RunIdentity {
        let run_id = self.resumed().map(|earlier| &earlier.run_id);
        let run_id = run_id.or(self.settings.run_id.as_ref()).cloned();
        let checkout = self.settings.checkout.get();
        RunIdentity {
            run_id: run_id.unwrap_or_else(|| Uuid::new_v4().to_string()),
            git_commit: checkout.commit,
            git_branch: checkout.branch,
        }
    }

    /// The events of the resumed run, which the workers of a cluster need.
    fn recorded_events(&self) -> io::Result<Vec<Event>> {
        let journal = self.resumed().and_then(EarlierRun::journal);
        match journal.filter(|_| self.settings.cluster.is_some()) {
            Some(journal) => cluster::recorded_events(journal),
            None => Ok(Vec::new()),
        }
    }

    /// The recording. A requested one that cannot be written is an error before the tests run.
    fn recording(
        &self,
        identity: &RunIdentity,
        context: &Context,
    ) -> Result<Recording, CommandError> {
        let arguments = &self.settings.record_args;
        let upload = Upload::requested(arguments, context)?;
        let destination = match self.earlier.and_then(EarlierRun::journal) {
            Some(journal) => Destination::After(journal.to_owned()),
            None => arguments.destination(&context.dir),
        };
        let is_resumed = matches!(destination, Destination::After(_));
        let is_requested = is_resumed || arguments.is_requested();
        if is_requested {
            destination.check()?;
        }
        Ok(Recording::new(
            destination,
            is_requested,
            identity.clone(),
            self.secrets.redactor(),
            context,
        )
        .with_upload(upload))
    }

    /// Runs the tests here or on a cluster.
    fn run_tests(
        &self,
        identity: RunIdentity,
        recorded: Vec<Event>,
        recording: &RunRecording,
        context: &Context,
    ) -> Result<RunOutcome, CommandError> {
        let settings = self.settings;
        let system = context.system();
        let earlier = self.resumed().map(|earlier| earlier.trials.clone());
        let sink = TrialSink::new(recording, earlier.into_iter().flatten());
        let run_context = RunContext {
            system: &system,
            stop: self.interrupts.stop(),
            sink: &sink,
            workers: settings.transport.as_ref().map(|transport| WorkerSettings {
                transport,
                heartbeat_timeout: settings.silence,
            }),
            limiter: None,
            locks: None,
            budget: settings.budget,
        };
        let metadata = configuration::metadata(settings, self.plan, self.earlier);
        let options = Options {
            run_id: identity.run_id.clone(),
            ..settings.options.clone()
        };
        let outcome = match &settings.cluster {
            None => casebook_run::run(self.plan, &options, run_context, metadata)?,
            Some(cluster) => {
                let run = ClusterRun {
                    identity,
                    recorded,
                    redact: &settings.record_args.redact,
                };
                let plan = self.plan;
                on_cluster::run(cluster, run, plan, &options, run_context, metadata, context)?
            }
        };
        Ok(RunOutcome {
            failed: outcome.failed.saturating_sub(sink.tolerated()),
            ..outcome
        })
    }

    /// The exit code, and a message about tests that were not run.
    fn exit(
        &self,
        outcome: &RunOutcome,
        record: &Recorded,
        pipe: &PipeState,
        context: &Context,
    ) -> Exit {
        let is_unfinished = outcome.interrupted > 0 || !outcome.not_started.is_empty();
        match self.interrupts.signal() {
            Some(signal) if !is_unfinished && self.settings.repeated_by.is_some() => {
                let message = "interrupted: no more repetitions were started";
                context.messages.info(message);
                Exit::Interrupted(signal)
            }
            Some(signal) => {
                summary::report_unfinished("interrupted", outcome, record, context);
                Exit::Interrupted(signal)
            }
            // If all tests were run, their results decide.
            None if pipe.is_closed() && is_unfinished => {
                let why = "standard output was closed";
                summary::report_unfinished(why, outcome, record, context);
                Exit::Interrupted(SIGPIPE)
            }
            None if !outcome.spent_budgets.is_empty() => {
                summary::report_spent_budget(outcome, record, context);
                Exit::CouldNotTest
            }
            None => {
                let failed_before = summary::report_earlier_failures(self.earlier, context);
                let has_failed = failed_before || outcome.failed > 0;
                record.exit(if has_failed {
                    Exit::Failed
                } else {
                    Exit::Passed
                })
            }
        }
    }
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
