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

use crate::attempt::Attempt;
use crate::plan::{PlannedSuite, PlannedTest};
use crate::shell::HookFailure;
use crate::tell::Teller;

/// What travels with a test to another process.
#[derive(Debug, Clone)]
pub(crate) struct Travels {
    /// The environment that its suite leaves to it.
    pub(crate) environment: Vec<(OsString, OsString)>,
    /// The temporary folder of its suite.
    pub(crate) folder: PathBuf,
}

/// Something that runs the tests of suites, from many threads at once.
pub(crate) trait Engine: Sync {
    /// A suite that is ready for its tests.
    type Opened: Send + Sync;

    /// Makes a suite ready: runs its `setupFile`.
    fn open(&self, suite: &PlannedSuite) -> io::Result<Self::Opened>;

    /// Why the tests of an opened suite cannot run.
    fn failure<'o>(&self, opened: &'o Self::Opened) -> Option<&'o HookFailure>;

    /// What the suite's `setupFile` has exported, for whoever has to keep secrets.
    fn exported(&self, opened: &Self::Opened) -> Vec<(String, String)>;

    /// What another process needs to run the tests of an opened suite; nothing if they cannot run.
    fn travels(&self, opened: &Self::Opened) -> Option<Travels>;

    /// Runs a test once, for that time. What is to be known before it is over is told.
    fn attempt(
        &self,
        suite: &PlannedSuite,
        planned: &PlannedTest,
        opened: &Self::Opened,
        number: u32,
        teller: &Teller<'_>,
    ) -> io::Result<Attempt>;

    /// That this test comes next, for what can be done before it begins.
    fn prepare(&self, _suite: &PlannedSuite, _planned: &PlannedTest, _opened: &Self::Opened) {}

    /// Ends a suite: runs its `teardownFile`, and says if that failed.
    fn close(&self, suite: &PlannedSuite, opened: Self::Opened) -> io::Result<Option<HookFailure>>;
}
