//! [`StoreError`]: why recorded runs cannot be read or created.

use std::io;
use std::path::PathBuf;

use crate::input_problems::InputProblems;
use crate::io_reason::io_reason;
use crate::run_file::ReadRunError;

/// Why a run's directory or the store cannot be read or created.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A file system operation failed.
    #[error("cannot {action} {}: {}", path.display(), io_reason(source))]
    Io {
        /// The operation as a verb.
        action: &'static str,
        /// The path of the operation.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The directory contains another run, which would be lost.
    #[error("{} already contains a run; use another directory or delete this one", .0.display())]
    Occupied(PathBuf),
    /// No run has been recorded here.
    #[error("no recorded runs in {}; record one with `casebook run`, or pass the path of a run.json or events.jsonl", .0.display())]
    NoRuns(PathBuf),
    /// `latest~N` exceeds the number of runs.
    #[error("{} contains only {run_count} {}", runs.display(), if *run_count == 1 { "run" } else { "runs" })]
    TooFewRuns {
        /// The directory of the runs.
        runs: PathBuf,
        /// The number of recorded runs.
        run_count: usize,
    },
    /// The directory does not contain a run.
    #[error("{} contains neither run.json nor events.jsonl", .0.display())]
    NotARun(PathBuf),
    /// The directory has no journal to rebuild a run from.
    #[error("{} contains no events.jsonl to rebuild a run from", .0.display())]
    NoJournal(PathBuf),
    /// The journal contains no event that can be read.
    #[error("{} contains no valid events{}", path.display(), problems.why_without_events())]
    NoEvents {
        /// The path of the journal.
        path: PathBuf,
        /// The problems of its lines.
        problems: InputProblems,
    },
    /// Neither a path nor the name of a recorded run.
    #[error("run not found: `{name}` is neither a path nor a run in {}", runs.display())]
    Unknown {
        /// The name that was looked up.
        name: String,
        /// The directory that was searched.
        runs: PathBuf,
    },
    /// The name matches several recorded runs.
    #[error("`{name}` is ambiguous: it matches {}", matches.join(", "))]
    Ambiguous {
        /// The name that was looked up.
        name: String,
        /// The names of the runs' directories.
        matches: Vec<String>,
    },
    /// The run's file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadRunError),
}
