//! Making it happen: where what should be becomes what was.
//!
//! A [`Plan`] says which tests are to be run. [`run`] runs them, as many at once as the [`Options`] allow, and tells an
//! [`Evidence`] of everything that happens, as events; it shows nothing and writes no record itself. What it needs
//! to know of the world it gets as a [`World`], and a [`Stop`] ends it early.

mod assertions;
mod attempt;
mod budget;
mod conversation;
mod dispatcher;
mod emitter;
mod engine;
mod event_sink;
pub mod event_socket;
mod excerpt;
mod executor;
mod http;
mod llm;
mod options;
mod os;
mod plan;
pub mod rspec;
mod runner;
mod scratch;
mod shell;
mod stop;
mod system;
mod transcript;
mod workers;

use std::io;
use std::sync::atomic::Ordering;
use std::time::Duration;

use casebook_record::Metadata;
use casebook_record::event::{SuiteStarted, SuiteStopped};

pub use engine::NoBats;
pub use event_sink::EventSink;
pub use options::{EngineKind, LlmOptions, Options, SnapshotMode};
pub use os::fd3::open_fd3;
pub use os::signal_name::name as signal_name;
pub use os::spawn_error_message;
pub use plan::{
    Filter, InvalidFilter, InvalidShard, Plan, PlannedSuite, PlannedTest, SelectedSuite, Selection,
    Shard, TagFilter, Trial,
};
pub use scratch::ScratchError;
pub use shell::NoBash;
pub use stop::StopToken;
pub use system::SystemContext;
pub use workers::{
    LineSocket, Link, LinkError, LocalTransport, Transport, WorkerError, serve, socket_from_stdin,
};

use budget::OutputBudget;
use emitter::EventEmitter;
use engine::Engine;
use engine::bats::BatsEngine;
use engine::native::{NativeEngine, PrestartedShells};
use executor::TestExecutor;
use http::Client;
use llm::Models;
use runner::Runner;
use scratch::ScratchDir;
use shell::ProcessContext;
use shell::bash::Bash;
use workers::WorkerPool;

/// Why nothing could be run.
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
    #[error("no test can be started: {0}")]
    Worker(#[from] io::Error),
}

/// What a run came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RunOutcome {
    /// Tests that failed, and `teardownFile` hooks that did.
    pub failed: usize,
    /// Tests that were planned and never started, or ended by the request to stop.
    pub not_run: usize,
}

/// What a run happens with.
#[derive(Clone, Copy)]
pub struct RunContext<'a> {
    /// The world.
    pub system: &'a SystemContext,
    /// How it is ended early.
    pub stop: &'a StopToken,
    /// Whoever is told of it.
    pub sink: &'a dyn EventSink,
    /// Processes that carry out the tests instead of this one.
    pub workers: Option<WorkerSettings<'a>>,
}

/// Where workers come from.
#[derive(Clone, Copy)]
pub struct WorkerSettings<'a> {
    /// What starts them.
    pub transport: &'a dyn Transport,
    /// How long one may say nothing before it counts as dead.
    pub heartbeat_timeout: Duration,
}

/// Runs the tests of the plan.
///
/// Processes whose parents end become children of this one and are ended with their test, so no other part of the
/// program should start processes from its main thread meanwhile.
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
    } = run_context;
    sink.register_secrets(&conversation::secrets(plan));
    llm::register_keys(plan, system, sink);
    metadata.merge(conversation::configuration(plan));
    let scratch = ScratchDir::create(&system.temporary)?;
    // Where it cannot be had, only processes that hide from their group stay behind.
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
    let root = scratch.root().to_owned();
    let budget = OutputBudget::default();
    let emitter = EventEmitter::new(sink, &budget, system.now);
    let pool = workers.map(|workers| WorkerPool {
        transport: workers.transport,
        options,
        emitter: &emitter,
        stop,
        scratch: &root,
        heartbeat_timeout: workers.heartbeat_timeout,
        instant: system.instant,
    });
    let prepared = PreparedRun {
        plan,
        run_context,
        emitter: &emitter,
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
                ahead: PrestartedShells::default(),
                scratch,
                options,
                models: Models::new(system, &options.llm, sink),
                http: Client::new(system),
            };
            prepared.run(&engine, options, pool.as_ref())
        }
        EngineKind::Bats => {
            let engine = BatsEngine::new(&plan.suites, system, stop, options, scratch, &budget)?;
            if engine.lacks_parallel() {
                sink.warn(
                    "Bats runs one test at a time: side by side needs GNU parallel, and a TMPDIR without spaces or quotes",
                );
            }
            // A suite at a time: Bats itself runs its tests side by side.
            let one = Options {
                jobs: 1,
                ..options.clone()
            };
            prepared.run(&engine, &one, None)
        }
    }
}

/// A run of which all is known but the engine.
struct PreparedRun<'a> {
    plan: &'a Plan,
    run_context: RunContext<'a>,
    emitter: &'a EventEmitter<'a>,
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
            system, stop, sink, ..
        } = self.run_context;
        let started = (system.instant)();
        sink.publish(
            SuiteStarted {
                seed: options.seed.map(Into::into),
                metadata: self.metadata,
                ..SuiteStarted::at((system.now)(), self.plan.len() as u64)
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
        let (tally, not_started) = Runner::new(self.plan, executor, pool).run()?;
        shell::kill_orphans(system.instant);
        let summary = tally.summary((system.now)(), (system.instant)() - started);
        let outcome = RunOutcome {
            failed: tally.failed.load(Ordering::Relaxed),
            not_run: not_started + tally.interrupted.load(Ordering::Relaxed),
        };
        sink.publish(SuiteStopped { time: summary.time }.into());
        sink.publish(summary.into());
        Ok(outcome)
    }
}
