//! [`StepError`]: why a step failed.

use std::path::{Path, PathBuf};

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
    #[error("{}: {source}{}", file.display(), choices(source, file))]
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
    /// A Ruby file was given instead of its metadata.
    #[error("{} is Ruby source, not metadata; {}", file.display(), validation_command(file, metadata))]
    RubySource {
        /// The file, as the user typed it.
        file: PathBuf,
        /// Where its metadata is stored.
        metadata: PathBuf,
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
    #[error("{command} has not been done; run `casebook design {command} METADATA` first")]
    NotYet {
        /// The command of the previous step.
        command: &'static str,
    },
    /// A refactored spec fails, or fewer of its examples pass. It was restored.
    #[error("{0}")]
    FailsAfterwards(String),
    /// Any other error, as a message.
    #[error("{0}")]
    Other(String),
}

/// What to type instead, and the methods of the file, one per line.
fn choices(error: &RubyError, file: &Path) -> String {
    let (example, found) = match error {
        RubyError::NoMethod { found, .. } => (String::new(), found),
        RubyError::SeveralMethods { name, found } => (example(name.as_deref(), found, file), found),
        _ => return String::new(),
    };
    if found.is_empty() {
        return example;
    }
    format!("{example}\nMethods found:\n  {}", found.join("\n  "))
}

/// How to name the first of several methods on the command line.
fn example(name: Option<&str>, found: &[String], file: &Path) -> String {
    let first = found.first().map_or("", String::as_str);
    let sign = first.rfind(['#', '.']).unwrap_or_default();
    let (_, short) = first.split_at(sign);
    let is_unique = found.iter().filter(|id| id.ends_with(short)).count() == 1;
    let file = file.display();
    match name {
        None if is_unique => format!(
            ", as in `{file}{short}`, or analyze all with `casebook design analyze --all {file}`"
        ),
        _ => format!(", as in `{file}#{first}`"),
    }
}

/// The command that validates the metadata of a file, or creates it.
fn validation_command(file: &Path, metadata: &Path) -> String {
    if metadata.is_file() {
        format!("run `casebook design validate {}`", metadata.display())
    } else {
        format!(
            "run `casebook design analyze {}`, which creates and validates its metadata",
            file.display()
        )
    }
}
