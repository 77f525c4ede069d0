//! [`StepError`]: why a step failed.

use std::path::PathBuf;

use crate::factories::BrokenFactory;
use crate::metadata::location::LocationError;
use crate::metadata::read::ReadError;
use crate::metadata::store::StoreError;
use crate::ruby::RubyError;
use crate::skeleton::MergeError;

/// Why a step failed, and what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum StepError {
    /// The metadata file cannot be located.
    #[error(transparent)]
    Place(#[from] LocationError),
    /// The metadata cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The source cannot be analyzed.
    #[error("{}: {source}{}", file.display(), available_methods(source))]
    Ruby {
        /// The source.
        file: PathBuf,
        /// The cause.
        source: RubyError,
    },
    /// The metadata is incomplete.
    #[error("{}: {source}", path.display())]
    Read {
        /// The metadata file.
        path: PathBuf,
        /// What is missing.
        source: ReadError,
    },
    /// The metadata breaks the rules of its format.
    #[error(
        "{} is not valid metadata:\n  - {}\nCorrect it, or run `casebook design analyze` again",
        path.display(),
        errors.join("\n  - ")
    )]
    Invalid {
        /// The metadata file.
        path: PathBuf,
        /// The errors of the validator.
        errors: Vec<String>,
    },
    /// The new block cannot be merged into the existing spec.
    #[error("{}: {source}", path.display())]
    Merge {
        /// The spec.
        path: PathBuf,
        /// The cause.
        source: MergeError,
    },
    /// A factory file is broken.
    #[error(transparent)]
    Factory(#[from] BrokenFactory),
    /// A file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A previous step has not been done.
    #[error("{step} has not been done; run `casebook design {command}` first")]
    NotYet {
        /// The name of the previous step.
        step: &'static str,
        /// The command that does it.
        command: String,
    },
    /// Any other error, as a message.
    #[error("{0}")]
    Other(String),
}

/// The methods of the file, one per line.
fn available_methods(error: &RubyError) -> String {
    match error {
        RubyError::NoMethod { found, .. } if !found.is_empty() => {
            format!("\nMethods found:\n  {}", found.join("\n  "))
        }
        _ => String::new(),
    }
}
