//! What a conversation gets from the engine that runs its test.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use casebook_suite::model::Test;

use crate::http::Client;
use crate::llm::Models;
use crate::plan::PlannedTest;
use crate::shell::ProcessContext;
use crate::shell::environment::Environment;

/// The services that a conversation uses, and its test.
#[derive(Clone, Copy)]
pub(crate) struct ConversationContext<'a> {
    pub(crate) processes: &'a ProcessContext<'a>,
    pub(crate) models: &'a Models<'a>,
    /// For agents that are reached over HTTP.
    pub(crate) http: &'a Client,
    pub(crate) site: &'a HookScope<'a>,
}

/// The test of a conversation, between its hooks.
pub(crate) struct HookScope<'a> {
    pub(crate) test: &'a Test,
    pub(crate) planned: PlannedTest<'a>,
    /// After the setup.
    pub(crate) environment: Environment,
    /// What the setup has exported.
    pub(crate) exported: Vec<(String, String)>,
    /// Where its processes run.
    pub(crate) folder: PathBuf,
    /// The temporary directory, which also marks the test's processes.
    pub(crate) temporary: &'a Path,
    pub(crate) timeout: Option<Duration>,
    /// When the test's time is up.
    pub(crate) deadline: Option<Instant>,
}
