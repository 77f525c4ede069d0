//! The [`Engine`] trait and its two implementations.
//!
//! [`native`] runs tests as local processes and requires only bash; [`bats`] runs them with the installed `bats`.

pub(crate) mod bats;
pub(crate) mod native;
mod variables;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

pub use bats::NoBats;

use crate::attempt::AttemptResult;
use crate::emitter::EventEmitter;
use crate::plan::{PlannedSuite, PlannedTest};
use crate::services::{ServiceOutput, ServiceState};
use crate::shell::HookFailure;

/// What another process needs to run a test.
#[derive(Debug, Clone)]
pub(crate) struct SuiteEnvironment {
    /// The environment of the test after `setupFile`.
    pub(crate) environment: Vec<(OsString, OsString)>,
    /// The temporary directory of the suite.
    pub(crate) dir: PathBuf,
    /// The services that run for the suite.
    pub(crate) services: Vec<ServiceState>,
}

/// Runs the tests of suites, from many threads at once.
pub(crate) trait Engine: Sync {
    /// A suite whose `setupFile` was run.
    type OpenSuite: Send + Sync;

    /// Opens a suite: runs its `setupFile`.
    fn open(&self, suite: &PlannedSuite) -> io::Result<Self::OpenSuite>;

    /// Returns why the tests of an open suite cannot run.
    fn setup_failure<'o>(&self, open_suite: &'o Self::OpenSuite) -> Option<&'o HookFailure>;

    /// Returns what `setupFile` exported, so that secrets can be redacted.
    fn exported_variables(&self, open_suite: &Self::OpenSuite) -> Vec<(String, String)>;

    /// Returns what another process needs to run the tests of an open suite; `None` if `setupFile` failed.
    fn suite_environment(&self, open_suite: &Self::OpenSuite) -> Option<SuiteEnvironment>;

    /// Runs one attempt; emits intermediate events while it runs. `number` starts at 1.
    fn attempt(
        &self,
        planned: PlannedTest<'_>,
        open_suite: &Self::OpenSuite,
        number: u32,
        emitter: &EventEmitter<'_>,
    ) -> io::Result<AttemptResult>;

    /// Announces the next test, so that the engine can prepare it in advance.
    fn prepare(&self, _planned: PlannedTest<'_>, _opened: &Self::OpenSuite) {}

    /// Stops the services of a suite, before it is closed. Returns what they wrote.
    fn stop_services(&self, _opened: &Self::OpenSuite) -> Vec<ServiceOutput> {
        Vec::new()
    }

    /// Closes a suite: runs its `teardownFile`, and returns its failure.
    fn close(
        &self,
        suite: &PlannedSuite,
        open_suite: Self::OpenSuite,
    ) -> io::Result<Option<HookFailure>>;
}
