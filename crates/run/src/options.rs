//! How tests are to be run.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How tests are to be run.
#[derive(Debug, Clone)]
pub struct Options {
    /// How many at once.
    pub jobs: usize,
    /// How long a test may take that says nothing about it.
    pub timeout: Option<Duration>,
    /// How often a test that says nothing about it may be tried again.
    pub retries: u32,
    /// Whether the first failure ends the run.
    pub fail_fast: bool,
    /// Whether a command that leaves processes behind, holding its streams open, fails its test.
    pub leaks_fail: bool,
    /// How much of each stream is captured.
    pub max_output: usize,
    /// What is done about snapshots.
    pub snapshots: SnapshotMode,
    /// What runs the tests.
    pub engine: EngineKind,
    /// Shuffles the tests.
    pub seed: Option<u64>,
    /// How models are asked.
    pub llm: LlmOptions,
}

/// How models are asked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LlmOptions {
    /// Where answers are kept and taken from.
    pub cache: Option<PathBuf>,
    /// Whether nothing but kept answers will do.
    pub cache_only: bool,
    /// Names of further environment variables whose values must not be kept.
    pub redact: Vec<String>,
    /// How many processes share what a provider allows; none for one.
    pub processes: usize,
}

/// What runs tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EngineKind {
    /// This program.
    #[default]
    Native,
    /// The installed `bats`.
    Bats,
}

/// What is done about a snapshot that is missing or different.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SnapshotMode {
    /// A missing one is written, a different one fails.
    #[default]
    New,
    /// Both are written.
    Update,
    /// Both fail.
    Keep,
}

/// 10 MiB.
const MAX_OUTPUT: usize = 10 << 20;

impl Default for Options {
    fn default() -> Options {
        Options {
            jobs: 1,
            timeout: None,
            retries: 0,
            fail_fast: false,
            leaks_fail: false,
            max_output: MAX_OUTPUT,
            snapshots: SnapshotMode::New,
            engine: EngineKind::Native,
            seed: None,
            llm: LlmOptions::default(),
        }
    }
}
