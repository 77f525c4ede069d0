//! The services and data that the engine passes to a conversation.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use casebook_suite::model::Test;

use crate::http::Client;
use crate::llm::Models;
use crate::plan::PlannedTest;
use crate::shell::ProcessContext;
use crate::shell::environment::Environment;
use crate::spending::Spending;

/// The services that a conversation uses, and its test.
#[derive(Clone, Copy)]
pub(crate) struct ConversationContext<'a> {
    pub(crate) processes: &'a ProcessContext<'a>,
    pub(crate) models: &'a Models<'a>,
    /// For HTTP agents.
    pub(crate) http: &'a Client,
    /// What conversations have spent.
    pub(crate) spending: &'a Spending,
    pub(crate) site: &'a HookScope<'a>,
    /// The directory in which the run was started.
    pub(crate) root: &'a Path,
    /// The id of the run.
    pub(crate) run_id: &'a str,
}

/// The test of a conversation, between its hooks.
pub(crate) struct HookScope<'a> {
    pub(crate) test: &'a Test,
    pub(crate) planned: PlannedTest<'a>,
    /// The environment after the setup.
    pub(crate) environment: Environment,
    /// The variables that the setup exported.
    pub(crate) exported: Vec<(String, String)>,
    /// The working directory of its processes.
    pub(crate) dir: PathBuf,
    /// The temporary directory, which also marks the test's processes.
    pub(crate) temporary: &'a Path,
    pub(crate) timeout: Option<Duration>,
    /// The deadline of the test; `None` without a timeout.
    pub(crate) deadline: Option<Instant>,
}
