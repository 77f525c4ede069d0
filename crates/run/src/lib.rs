//! Executes a plan and reports what happens as events.
//!
//! A [`Plan`] lists the tests to run. [`run`] executes them, as many at once as the [`Options`] allow, and passes every
//! event to an [`EventSink`]. It prints nothing and writes no record. Environment, directories and clocks come from a
//! [`SystemContext`]; a [`StopToken`] stops the run early.

mod assertions;
mod attempt;
mod budget;
mod captured_values;
mod conversation;
mod dispatcher;
mod emitter;
mod engine;
mod event_sink;
pub mod event_socket;
mod excerpt;
mod executor;
mod http;
mod http_sender;
mod llm;
mod numbers;
mod options;
mod os;
mod plan;
mod recorded_screen;
mod repetition;
pub mod rspec;
mod runner;
mod scratch;
mod seconds;
mod services;
mod shared_limiter;
mod shared_locks;
mod shell;
mod spending;
mod stop;
mod system;
mod temporary_dir;
mod transcript;
mod trial_sink;
mod upload;
mod workers;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use casebook_record::event::{PLANNED, SuiteStarted, SuiteStopped};
use casebook_record::{Clock, Metadata};
use casebook_suite::model::conversation::Budget;

pub use assertions::write_snapshot;
pub use conversation::{JudgedCounts, Rejudging};
pub use engine::NoBats;
pub use event_sink::EventSink;
pub use http_sender::{HttpSender, SendError};
pub use options::{
    EngineKind, KeepTemp, LlmOptions, Options, Repeat, SnapshotMode, UnmetConditions,
};
pub use os::fd3::open_fd3;
pub use os::signal_name::name as signal_name;
pub use os::spawn_error_message;
pub use plan::{
    Filter, InvalidFilter, InvalidShard, Plan, PlannedSuite, PlannedTest, SelectedSuite, Selection,
    Shard, TagFilter, TestEntry, Trial, digest as suite_digest, stable_ids,
};
pub use scratch::ScratchError;
pub use shared_limiter::{RequestLimits, SharedLimiter, SharedStart};
pub use shared_locks::{LockAttempt, SharedLocks};
pub use shell::NoBash;
pub use shell::terminal::start_in_terminal;
pub use stop::StopToken;
pub use system::SystemContext;
pub use trial_sink::TrialSink;
pub use upload::Uploader;
pub use workers::{
    LineSocket, Link, LinkError, LocalTransport, Transport, WorkerError, serve, socket_from_stdin,
};

use attempt::AttemptNumber;
use budget::OutputBudget;
use emitter::EventEmitter;
use engine::Engine;
use engine::bats::BatsEngine;
use engine::native::{NativeEngine, PrestartedShells};
use executor::TestExecutor;
use http::Client;
use llm::Models;
use runner::{RunBudgets, Runner};
use scratch::ScratchDir;
use shell::ProcessContext;
use shell::bash::Bash;
use spending::Spending;
use workers::WorkerPool;

/// Why a run could not be started.
#[derive(Debug, thiserror::Error)]
#[expect(
    missing_docs,
    reason = "each variant is the error of the part it names"
)]
pub enum RunError {
    #[error(transparent)]
    Bash(#[from] NoBash),
    #[error(transparent)]
    Bats(#[from] NoBats),
    #[error(transparent)]
    Scratch(#[from] ScratchError),
    #[error("cannot start tests: {0}")]
    Worker(#[from] io::Error),
}

/// The counts of a run that decide its exit code.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunOutcome {
    /// Tests and `teardownFile` hooks that failed.
    pub failed: usize,
    /// Tests that a stop request interrupted.
    pub interrupted: usize,
    /// Planned tests that were never started, each with its location and title.
    pub not_started: Vec<String>,
    /// The budgets that are spent, if they stopped tests, such as `--budget (cost 1.02 of 1)`.
    pub spent_budgets: Vec<String>,
    /// The directory of the kept directories of tests, if there are any.
    pub kept: Option<PathBuf>,
}

/// What [`run`] requires besides the plan and the options.
#[derive(Clone, Copy)]
pub struct RunContext<'a> {
    /// Environment, directories and clocks.
    pub system: &'a SystemContext,
    /// Stops the run early.
    pub stop: &'a StopToken,
    /// Receives all events.
    pub sink: &'a dyn EventSink,
    /// The worker processes that run the tests; `None` runs them in this process.
    pub workers: Option<WorkerSettings<'a>>,
    /// Shares the limits of models with the workers of a cluster.
    pub limiter: Option<&'a Arc<dyn SharedLimiter>>,
    /// Shares the locks of tests with the workers of a cluster.
    pub locks: Option<&'a Arc<dyn SharedLocks>>,
    /// What all conversations may spend.
    pub budget: Budget,
}

/// How worker processes are started and monitored.
#[derive(Clone, Copy)]
pub struct WorkerSettings<'a> {
    /// Starts workers.
    pub transport: &'a dyn Transport,
    /// A worker that sends nothing for this long is considered dead.
    pub heartbeat_timeout: Duration,
}

/// Registers the secrets of a plan for redaction, and adds the configuration of its models to the metadata of the run.
pub fn describe(
    plan: &Plan,
    system: &SystemContext,
    sink: &dyn EventSink,
    metadata: &mut Metadata,
) {
    sink.register_secrets(&conversation::secrets(plan));
    llm::register_keys(plan, system, sink);
    metadata.merge(conversation::configuration(plan));
    metadata.set(PLANNED, emitter::planned_examples(plan));
}

/// Publishes that a test failed because the workers that ran it died.
pub fn publish_worker_died(
    planned: PlannedTest<'_>,
    message: &str,
    sink: &dyn EventSink,
    clock: &Clock,
) {
    let budget = OutputBudget::default();
    let emitter = EventEmitter::new(sink, &budget, clock);
    emitter.attempt_started(planned, AttemptNumber::FIRST, 1);
    emitter.worker_died(planned, message);
}

/// Makes this process the parent of processes whose parents exit, so that [`kill_orphans`] finds them.
pub fn adopt_orphans() {
    // Without it, only processes that leave their process group survive their test.
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}

/// Terminates all adopted processes, while no tests are running.
pub fn kill_orphans(now: fn() -> std::time::Instant) {
    shell::kill_orphans(now);
}

/// Runs the tests of the plan.
///
/// Orphaned processes become children of this process and are killed at the end of their test. So no other part of the
/// program should start processes from its main thread during a run.
pub fn run(
    plan: &Plan,
    options: &Options,
    run_context: RunContext<'_>,
    mut metadata: Metadata,
) -> Result<RunOutcome, RunError> {
    let RunContext {
        system,
        stop,
        sink,
        workers,
        limiter,
        locks: _,
        budget: _,
    } = run_context;
    describe(plan, system, sink, &mut metadata);
    let scratch = ScratchDir::create(&system.temporary, options.keep_temp.is_some())?;
    adopt_orphans();
    let root = scratch.root().to_owned();
    let budget = OutputBudget::default();
    let emitter = EventEmitter::new(sink, &budget, &system.clock);
    let spending = Spending::default();
    let pool = workers.map(|workers| WorkerPool {
        transport: workers.transport,
        options,
        emitter: &emitter,
        stop,
        spending: &spending,
        scratch: &root,
        heartbeat_timeout: workers.heartbeat_timeout,
        instant: system.instant,
    });
    let prepared = PreparedRun {
        plan,
        run_context,
        emitter: &emitter,
        spending: &spending,
        metadata,
    };
    match options.engine {
        EngineKind::Native => {
            let engine = NativeEngine {
                budget: &budget,
                system,
                processes: ProcessContext {
                    bash: Bash::of(system)?,
                    stop,
                    instant: system.instant,
                    max_output: options.max_output,
                    temporary: root.clone(),
                },
                prestarted: PrestartedShells::default(),
                scratch,
                options,
                models: Models::new(system, &options.llm, sink, limiter),
                http: Client::new(system),
                spending: &spending,
            };
            let outcome = prepared.run(&engine, options, pool.as_ref())?;
            Ok(RunOutcome {
                kept: engine.scratch.kept(),
                ..outcome
            })
        }
        EngineKind::Bats => {
            let engine = BatsEngine::new(&plan.suites, system, stop, options, scratch, &budget)?;
            if engine.lacks_parallel() {
                sink.warn(
                    "Bats runs tests one at a time: parallel runs require GNU parallel and a TMPDIR without spaces or quotes",
                );
            }
            // One suite at a time: Bats itself runs the tests of a suite in parallel.
            let sequential = Options {
                jobs: 1,
                ..options.clone()
            };
            prepared.run(&engine, &sequential, None)
        }
    }
}

/// The location and title of a test, for messages.
pub fn named(planned: PlannedTest<'_>) -> String {
    let (file, line) = (planned.suite.name(), planned.line());
    format!("{file}:{line} {}", planned.title())
}

/// A run that only lacks its engine.
struct PreparedRun<'a> {
    plan: &'a Plan,
    run_context: RunContext<'a>,
    emitter: &'a EventEmitter<'a>,
    spending: &'a Spending,
    metadata: Metadata,
}

impl PreparedRun<'_> {
    fn run<E: Engine>(
        self,
        engine: &E,
        options: &Options,
        pool: Option<&WorkerPool<'_>>,
    ) -> Result<RunOutcome, RunError> {
        let RunContext {
            system,
            stop,
            sink,
            locks,
            budget,
            ..
        } = self.run_context;
        let started = (system.instant)();
        sink.publish(
            SuiteStarted {
                seed: options.seed.map(Into::into),
                metadata: self.metadata,
                ..SuiteStarted::at(system.clock.now(), self.plan.len() as u64)
            }
            .into(),
        );
        let executor = TestExecutor {
            options,
            engine,
            emitter: self.emitter,
            stop,
            instant: system.instant,
        };
        let budgets = RunBudgets {
            plan: self.plan,
            budget,
            spending: self.spending,
        };
        let runner = Runner::new(self.plan, executor, pool, locks, budgets);
        let (tally, not_started, spent_budgets) = runner.run()?;
        shell::kill_orphans(system.instant);
        let summary = tally.summary(system.clock.now(), (system.instant)() - started);
        let outcome = RunOutcome {
            failed: tally.failed.load(Ordering::Relaxed),
            interrupted: tally.interrupted.load(Ordering::Relaxed),
            not_started: not_started.into_iter().map(named).collect(),
            spent_budgets,
            kept: None,
        };
        sink.publish(SuiteStopped { time: summary.time }.into());
        sink.publish(summary.into());
        Ok(outcome)
    }
}
