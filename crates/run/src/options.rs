//! [`Options`]: how tests are run.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How tests are run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// The number of tests that run in parallel.
    pub jobs: usize,
    /// The timeout of tests that set none.
    pub timeout: Option<Duration>,
    /// The least number of retries of each test; a test may set more.
    pub retries: u32,
    /// Whether no test is started after the first failure.
    pub fail_fast: bool,
    /// Whether a test fails if its command leaves processes that keep its output open.
    pub leaks_fail: bool,
    /// How many bytes of each stream are captured.
    pub max_output: usize,
    /// How snapshots are treated.
    pub snapshots: SnapshotMode,
    /// The engine that runs the tests.
    pub engine: EngineKind,
    /// What happens to a test whose conditions are not met.
    pub unmet_conditions: UnmetConditions,
    /// Whether a suite with `parallel: false` runs alone, not beside other suites.
    pub isolate_sequential: bool,
    /// Shuffles the tests; `None` keeps their order.
    pub seed: Option<u64>,
    /// Runs the tests repeatedly; `None` runs each once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<Repeat>,
    /// Which directories of tests are kept; `None` removes all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep_temp: Option<KeepTemp>,
    /// How models are called.
    pub llm: LlmOptions,
    /// The id of the run, for agents.
    #[serde(default)]
    pub run_id: String,
}

/// How often tests are repeated. Repeated tests are not retried.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repeat {
    /// The number of repetitions of each test; `None` sets no limit.
    pub times: Option<u32>,
    /// After this time, no repetition is started, except the first of each test.
    pub duration: Option<Duration>,
    /// Whether repetitions of the same test run in parallel.
    pub overlapping: bool,
    /// Whether no repetition is started after the first failure.
    pub until_fail: bool,
}

/// What happens to a test whose conditions are not met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnmetConditions {
    /// It is skipped.
    Skip,
    /// It fails.
    Fail,
}

/// Which directories of tests are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeepTemp {
    /// Those of failed tests.
    Failed,
    /// All.
    Always,
}

/// How models are called.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LlmOptions {
    /// Where responses are cached; `None` disables the cache.
    pub cache: Option<PathBuf>,
    /// Whether only cached responses are used, and no model is called.
    pub cache_only: bool,
    /// Whether a test fails if one of its soft checks could not be judged because of an error.
    #[serde(default)]
    pub soft_errors_fail: bool,
    /// Names of further environment variables whose values are redacted.
    pub redact: Vec<String>,
    /// The number of processes that share the rate limit of a provider; 0 counts as 1.
    pub processes: usize,
}

/// How attempts are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EngineKind {
    /// By this program.
    #[default]
    Native,
    /// By the installed `bats`.
    Bats,
}

/// How missing and different snapshots are treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SnapshotMode {
    /// A missing snapshot is written; a different one fails the test.
    #[default]
    New,
    /// Missing and different snapshots are written.
    Update,
    /// Missing and different snapshots fail the test.
    Keep,
}

/// 10 MiB per stream.
const MAX_OUTPUT: usize = 10 << 20;

impl Default for Options {
    fn default() -> Options {
        Options {
            jobs: 1,
            timeout: None,
            retries: 0,
            fail_fast: false,
            leaks_fail: false,
            unmet_conditions: UnmetConditions::Skip,
            isolate_sequential: false,
            max_output: MAX_OUTPUT,
            snapshots: SnapshotMode::New,
            engine: EngineKind::Native,
            seed: None,
            repeat: None,
            keep_temp: None,
            llm: LlmOptions::default(),
            run_id: String::new(),
        }
    }
}
