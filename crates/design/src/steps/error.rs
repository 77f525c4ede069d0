//! Why a step cannot do its work.

use std::path::PathBuf;

use crate::factories::BrokenFactory;
use crate::metadata::location::LocationError;
use crate::metadata::read::ReadError;
use crate::metadata::store::StoreError;
use crate::ruby::RubyError;
use crate::skeleton::MergeError;

/// Why a step cannot do its work, and what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum StepError {
    /// The source has no metadata.
    #[error(transparent)]
    Place(#[from] LocationError),
    /// The metadata cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The source cannot be analyzed.
    #[error("{}: {source}{}", file.display(), choices(source))]
    Ruby {
        /// Which file.
        file: PathBuf,
        /// Why.
        source: RubyError,
    },
    /// The metadata says too little.
    #[error("{}: {source}", path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// What is missing.
        source: ReadError,
    },
    /// The spec that is there cannot be merged into.
    #[error("{}: {source}", path.display())]
    Merge {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: MergeError,
    },
    /// A factory file is broken.
    #[error(transparent)]
    Factory(#[from] BrokenFactory),
    /// A file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A step before this one was not done.
    #[error("{step} has not been done: run `casebook design {command}` first")]
    NotYet {
        /// Which step.
        step: &'static str,
        /// The command that does it.
        command: String,
    },
    /// Anything else.
    #[error("{0}")]
    Other(String),
}

/// The methods to choose from, one per line.
fn choices(error: &RubyError) -> String {
    match error {
        RubyError::NoMethod { found, .. } if !found.is_empty() => {
            format!("\nMethods found:\n  {}", found.join("\n  "))
        }
        _ => String::new(),
    }
}
