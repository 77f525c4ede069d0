//! An argument that means no suite, and why.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// An argument that means no suite, or something below a folder that could not be read.
#[derive(Debug)]
pub struct Unmatched {
    /// What was tried: the argument, or the path below it.
    pub pattern: String,
    /// Why nothing came of it.
    pub reason: Reason,
}

/// Why an argument means no suite.
#[derive(Debug)]
pub enum Reason {
    /// It is the empty text, as from a variable that is not set.
    Empty,
    /// Nothing of that name exists.
    NoSuchFile {
        /// What was probably meant; it exists.
        did_you_mean: Option<String>,
    },
    /// The folder that a pattern begins with does not exist.
    NoSuchFolder {
        /// That folder.
        folder: PathBuf,
        /// What was probably meant; it exists.
        did_you_mean: Option<String>,
    },
    /// The folder has no suite in it or below.
    NoSuiteInFolder {
        /// A suite that is there but left out by `.gitignore`.
        ignored: Option<PathBuf>,
    },
    /// No file matches the pattern, and no folder that matches has a suite.
    NothingMatchesGlob,
    /// It is not a pattern: what is wrong with it.
    BadGlob(String),
    /// A pipe, a socket or a device.
    NotAFile,
    /// A link to this, which does not exist.
    BrokenLink(PathBuf),
    /// It exists, but cannot be looked at.
    Unreadable(io::Error),
}

impl Reason {
    /// Why the system would not say what is at a path.
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
        write!(f, "{pattern}: {}", self.reason)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Empty => f.write_str("this argument is empty; name a file, a folder or a pattern"),
            Reason::NoSuchFile { did_you_mean } => {
                f.write_str("there is no such file or folder")?;
                suggest(f, did_you_mean.as_deref())
            }
            Reason::NoSuchFolder {
                folder,
                did_you_mean,
            } => {
                write!(f, "there is no folder `{}`", folder.display())?;
                suggest(f, did_you_mean.as_deref())
            }
            Reason::NoSuiteInFolder { ignored: None } => f.write_str(
                "no suite in this folder or below it; a suite is a file named *.casebook.yaml, *.casebook.yml, \
                 *.bashi.yaml or *.bashi.yml",
            ),
            Reason::NoSuiteInFolder {
                ignored: Some(path),
            } => write!(
                f,
                "`.gitignore` leaves out every suite in this folder; to take one all the same, name it: `{}`",
                path.display()
            ),
            Reason::NothingMatchesGlob => {
                f.write_str("no file matches this pattern, and no folder that matches has a suite in it")
            }
            Reason::BadGlob(reason) => write!(f, "this is not a pattern: {reason}"),
            Reason::NotAFile => {
                f.write_str("this is neither a file nor a folder; a suite has to be a file")
            }
            Reason::BrokenLink(target) => write!(
                f,
                "this is a link to `{}`, which does not exist",
                target.display()
            ),
            Reason::Unreadable(error) => write!(f, "this cannot be read: {error}"),
        }
    }
}

fn suggest(f: &mut fmt::Formatter<'_>, name: Option<&str>) -> fmt::Result {
    match name {
        Some(name) => write!(f, "; did you mean `{name}`?"),
        None => Ok(()),
    }
}
