//! What can run tests: the [`Engine`] trait, and its two implementations.
//!
//! [`native`] runs tests as processes of this machine and needs no other tool than bash; [`bats`] runs them with the installed
//! `bats`.

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
use crate::shell::HookFailure;

/// What travels with a test to another process.
#[derive(Debug, Clone)]
pub(crate) struct SuiteEnvironment {
    /// The environment that its suite leaves to it.
    pub(crate) environment: Vec<(OsString, OsString)>,
    /// The temporary folder of its suite.
    pub(crate) folder: PathBuf,
}

/// Something that runs the tests of suites, from many threads at once.
pub(crate) trait Engine: Sync {
    /// A suite that is ready for its tests.
    type OpenSuite: Send + Sync;

    /// Makes a suite ready: runs its `setupFile`.
    fn open(&self, suite: &PlannedSuite) -> io::Result<Self::OpenSuite>;

    /// Why the tests of an opened suite cannot run.
    fn setup_failure<'o>(&self, open_suite: &'o Self::OpenSuite) -> Option<&'o HookFailure>;

    /// What the suite's `setupFile` has exported, for whoever has to keep secrets.
    fn exported_variables(&self, open_suite: &Self::OpenSuite) -> Vec<(String, String)>;

    /// What another process needs to run the tests of an opened suite; nothing if they cannot run.
    fn suite_environment(&self, open_suite: &Self::OpenSuite) -> Option<SuiteEnvironment>;

    /// Runs a test once, for that time. What is to be known before it is over is told.
    fn attempt(
        &self,
        suite: &PlannedSuite,
        planned: &PlannedTest,
        open_suite: &Self::OpenSuite,
        number: u32,
        emitter: &EventEmitter<'_>,
    ) -> io::Result<AttemptResult>;

    /// That this test comes next, for what can be done before it begins.
    fn prepare(&self, _suite: &PlannedSuite, _planned: &PlannedTest, _opened: &Self::OpenSuite) {}

    /// Ends a suite: runs its `teardownFile`, and says if that failed.
    fn close(
        &self,
        suite: &PlannedSuite,
        open_suite: Self::OpenSuite,
    ) -> io::Result<Option<HookFailure>>;
}
