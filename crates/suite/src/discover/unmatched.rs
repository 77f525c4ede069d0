//! Arguments without a suite, and the reasons.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// An argument without a suite, or a path that could not be read during a search.
#[derive(Debug)]
pub struct Unmatched {
    /// The argument, or the path found by its search.
    pub pattern: String,
    /// Why it has no suite.
    pub reason: Reason,
}

/// Why an argument has no suite.
#[derive(Debug)]
pub enum Reason {
    /// The argument is empty, for example from an unset variable.
    Empty,
    /// The file or directory does not exist.
    NoSuchFile {
        /// The closest existing path.
        did_you_mean: Option<String>,
    },
    /// The directory that a pattern begins with does not exist.
    NoSuchDirectory {
        /// That directory.
        directory: PathBuf,
        /// The closest existing path.
        did_you_mean: Option<String>,
    },
    /// The directory contains no suite.
    NoSuiteInDirectory {
        /// A suite that exists but is excluded by `.gitignore`.
        ignored: Option<PathBuf>,
    },
    /// No file matches the pattern, and no matching directory contains a suite.
    NothingMatchesGlob,
    /// The pattern is invalid, with the cause.
    BadGlob(String),
    /// A pipe, a socket or a device.
    NotAFile,
    /// A symbolic link to this missing target.
    BrokenLink(PathBuf),
    /// It exists but cannot be read.
    Unreadable(io::Error),
}

impl Reason {
    /// The reason for an error of `metadata`.
    pub(super) fn unreadable(path: &Path, error: io::Error) -> Reason {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => match fs::read_link(path) {
                Ok(target) => Reason::BrokenLink(target),
                Err(_) => Reason::NoSuchFile { did_you_mean: None },
            },
            _ => Reason::Unreadable(error),
        }
    }
}

impl fmt::Display for Unmatched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pattern = match self.pattern.as_str() {
            "" => "''",
            pattern => pattern,
        };
        match &self.reason {
            Reason::NoSuchFile { .. } | Reason::Unreadable(_) => {
                write!(f, "cannot read {pattern}: {}", self.reason)
            }
            reason => write!(f, "{pattern}: {reason}"),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Empty => f.write_str("the argument is empty; pass a file, a directory or a pattern"),
            Reason::NoSuchFile { did_you_mean } => {
                f.write_str("no such file or directory")?;
                suggest(f, did_you_mean.as_deref())
            }
            Reason::NoSuchDirectory {
                directory,
                did_you_mean,
            } => {
                write!(f, "no such directory: `{}`", directory.display())?;
                suggest(f, did_you_mean.as_deref())
            }
            Reason::NoSuiteInDirectory { ignored: None } => f.write_str(
                "no suites found in this directory; suites are files named *.casebook.yaml, *.casebook.yml, \
                 *.bashi.yaml or *.bashi.yml; `casebook init` writes a first one",
            ),
            Reason::NoSuiteInDirectory {
                ignored: Some(path),
            } => write!(
                f,
                "`.gitignore` excludes all suites in this directory; to use one anyway, name it: `{}`",
                path.display()
            ),
            Reason::NothingMatchesGlob => {
                f.write_str("no file matches this pattern, and no matching directory contains a suite")
            }
            Reason::BadGlob(reason) => write!(f, "invalid pattern: {reason}"),
            Reason::NotAFile => {
                f.write_str("not a regular file or a directory")
            }
            Reason::BrokenLink(target) => write!(
                f,
                "broken symbolic link to `{}`",
                target.display()
            ),
            Reason::Unreadable(error) => f.write_str(&without_number(error)),
        }
    }
}

/// Describes an error without its number, as in all messages: `permission denied`.
fn without_number(error: &io::Error) -> String {
    let text = error.to_string();
    let reason = text.split(" (os error ").next().unwrap_or(&text);
    let (first, rest) = reason.split_at(reason.len().min(1));
    first.to_lowercase() + rest
}

fn suggest(f: &mut fmt::Formatter<'_>, name: Option<&str>) -> fmt::Result {
    match name {
        Some(name) => write!(f, "; did you mean `{name}`?"),
        None => Ok(()),
    }
}
