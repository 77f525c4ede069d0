//! Making it happen: where what should be becomes what was.
//!
//! A [`Plan`] says which tests are to be run. [`run`] runs them, as many at once as the [`Options`] allow, and tells an
//! [`Evidence`] of everything that happens, as events; it shows nothing and writes no record itself. What it needs
//! to know of the world it gets as a [`World`], and a [`Stop`] ends it early.

mod attempt;
pub mod channel;
mod descriptor;
mod dispatch;
mod engine;
mod evidence;
mod excerpt;
mod judge;
mod options;
mod plan;
pub mod rspec;
mod runner;
mod scratch;
mod shell;
mod signal;
mod stop;
mod tell;
mod world;

use std::ffi::OsString;
use std::io;
use std::sync::atomic::Ordering;

use casebook_record::Metadata;
use casebook_record::event::{SuiteStarted, SuiteStopped, SuiteSummary};

pub use descriptor::open_descriptor_three;
pub use evidence::Evidence;
pub use options::{Options, Snapshots};
pub use plan::{
    Asked, BadFilter, BadShard, Filter, Plan, PlannedSuite, PlannedTest, Selection, Shard,
    TagFilter,
};
pub use scratch::ScratchError;
pub use shell::NoBash;
pub use signal::name as signal_name;
pub use stop::Stop;
pub use world::World;

use runner::Runner;
use scratch::Scratch;
use shell::bash::Bash;
use shell::native::Native;
use tell::Teller;

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
    Scratch(#[from] ScratchError),
    #[error("no test can be started: {0}")]
    Worker(#[from] io::Error),
}

/// What a run came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Outcome {
    /// Tests that failed, and `teardownFile` hooks that did.
    pub failed: usize,
    /// Tests that were planned and never started, or ended by the request to stop.
    pub not_run: usize,
}

/// Why a program cannot be started, for people.
pub fn why_not_started(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such command".to_owned(),
        _ => error.to_string(),
    }
}

/// Runs the tests of the plan natively.
///
/// Processes whose parents end become children of this one and are ended with their test, so no other part of the
/// program should start processes from its main thread meanwhile.
pub fn run(
    plan: &Plan,
    options: &Options,
    world: &World,
    stop: &Stop,
    evidence: &dyn Evidence,
    metadata: Metadata,
) -> Result<Outcome, RunError> {
    let bash = Bash::find(world.variable("PATH").map(OsString::as_os_str))?;
    let scratch = Scratch::create(&world.temporary)?;
    // Where it cannot be had, only processes that hide from their group stay behind.
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
    let engine = Native {
        world,
        stop,
        bash,
        scratch,
        options,
    };
    let started = (world.instant)();
    evidence.publish(
        SuiteStarted {
            seed: options.seed.map(Into::into),
            metadata,
            ..SuiteStarted::at((world.now)(), plan.len() as u64)
        }
        .into(),
    );
    let teller = Teller::new(evidence, world.now);
    let runner = Runner::new(plan, options, &engine, &teller, stop, world.instant);
    let (tally, not_started) = runner.run()?;
    shell::end_strays(world.instant);
    let [finished, failed, skipped, interrupted] = [
        tally.finished,
        tally.failed,
        tally.skipped,
        tally.interrupted,
    ]
    .map(|count| count.load(Ordering::Relaxed));
    let time = (world.now)();
    evidence.publish(SuiteStopped { time }.into());
    evidence.publish(
        SuiteSummary {
            time,
            duration: ((world.instant)() - started).as_secs_f64(),
            example_count: (finished + skipped) as u64,
            failure_count: failed as u64,
            pending_count: skipped as u64,
        }
        .into(),
    );
    Ok(Outcome {
        failed,
        not_run: not_started + interrupted,
    })
}
