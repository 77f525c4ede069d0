//! Finds the suite files selected by the arguments of `casebook run` and `casebook check`.
//!
//! An argument is the first of these that applies:
//!
//! 1. **An existing file or directory.** A file is used with any name; a directory is searched recursively for suites
//!    ([`is_suite`]).
//! 2. **`FILE:LINE`** or **`FILE:LINE-LINE`**, if `FILE` is a file: the test at that line, or the tests at those lines.
//! 3. **A pattern**, if it contains `*`, `?`, `[` or `{`. `*` and `?` match within one path component, `**` across
//!    components. As with expansion by a shell, every matching file is used, with any name, and every matching directory
//!    is searched. (`?` and `[…]` match one byte; use `*` for letters outside of ASCII.)
//!
//! A search skips files excluded by `.gitignore` (also outside of a repository), hidden files and directories,
//! `__snapshots__` and `.casebook`, and does not follow symbolic links to directories. This does not apply to the
//! argument itself: `build`, and the `build/` of `build/*.yaml`, are searched even if `.gitignore` excludes them. Other
//! lists (`.ignore`, git's `info/exclude` and the user's global list) are ignored: a test that is silently skipped on one
//! machine is worse than one too many.
//!
//! Files are in the order of the arguments, those of a directory or a pattern sorted by path. Each file is used once. Two
//! links to one file are two suites, because paths in a suite are relative to its directory.

mod argument;
mod name;
mod pattern;
mod suggest;
#[cfg(test)]
mod tests;
mod unique_files;
mod unmatched;
mod walk;

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use argument::Argument;
pub use name::{is_suite, stem};
use pattern::Pattern;
use unique_files::UniqueFiles;
pub use unmatched::{Reason, Unmatched};
pub use walk::project_files;
use walk::{Walk, WalkTarget};

/// The suites found, and the arguments without a suite.
#[derive(Debug, Default)]
pub struct Discovered {
    /// The suites, each once, in the order to run them.
    pub files: Vec<DiscoveredSuite>,
    /// The arguments without a suite, and paths that could not be read.
    pub unmatched: Vec<Unmatched>,
}

/// Lines of a file, both ends included.
pub type LineRange = RangeInclusive<usize>;

/// A suite file to run.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DiscoveredSuite {
    /// Its path as shown to the user: relative to the working directory if it is below it, otherwise as given. Can be
    /// opened when joined to the working directory.
    pub path: PathBuf,
    /// The lines of the selected tests, counted from 1; not checked against the file. `None` selects all tests, and then
    /// no lines of the same file are listed.
    pub lines: Option<LineRange>,
}

/// Finds the suites selected by the arguments, relative to the working directory `dir`; without arguments, those in
/// `dir`.
pub fn discover(arguments: &[String], dir: &Path) -> Discovered {
    let dir = if dir.as_os_str().is_empty() {
        Path::new(".")
    } else {
        dir
    };
    let mut search = Search {
        dir,
        suites: UniqueFiles::new(dir),
        unmatched: Vec::new(),
    };
    if arguments.is_empty() {
        search.search_directory(".", Path::new("."));
    }
    for argument in arguments {
        search.argument(argument);
    }
    Discovered {
        files: search.suites.into_files(),
        unmatched: search.unmatched,
    }
}

struct Search<'a> {
    dir: &'a Path,
    suites: UniqueFiles<'a>,
    unmatched: Vec<Unmatched>,
}

impl Search<'_> {
    fn argument(&mut self, argument: &str) {
        match Argument::classify(argument, self.dir) {
            Argument::File(path) => self.suites.add(path, None),
            Argument::Lines(path, lines) => self.suites.add(path, Some(lines)),
            Argument::Directory(path) => self.search_directory(argument, path),
            Argument::Pattern => self.search_pattern(argument),
            Argument::Invalid(reason) => self.add_unmatched(argument, reason),
        }
    }

    fn search_directory(&mut self, argument: &str, path: &Path) {
        let root = self.dir.join(path);
        if !self.walk(path, Walk::new(&root, WalkTarget::Suites)) {
            let ignored =
                walk::first_ignored(&root).map(|below| self.suites.display_path(&path.join(below)));
            self.add_unmatched(argument, Reason::NoSuiteInDirectory { ignored });
        }
    }

    fn search_pattern(&mut self, argument: &str) {
        let pattern = match Pattern::parse(argument) {
            Ok(pattern) => pattern,
            Err(reason) => return self.add_unmatched(argument, Reason::BadGlob(reason)),
        };
        let base = pattern.base.clone();
        let root = self.dir.join(&base);
        if !root.is_dir() {
            let did_you_mean = suggest::directory(&base, self.dir);
            let reason = Reason::NoSuchDirectory {
                directory: base,
                did_you_mean,
            };
            return self.add_unmatched(argument, reason);
        }
        if !self.walk(&base, Walk::new(&root, WalkTarget::Pattern(pattern))) {
            self.add_unmatched(argument, Reason::NothingMatchesGlob);
        }
    }

    /// Adds the files that a walk finds. Returns whether it found any file or error.
    fn walk(&mut self, base: &Path, walk: Walk) -> bool {
        let mut any = false;
        for step in walk {
            any = true;
            match step {
                Ok(below) => self.suites.add(&base.join(below), None),
                Err((below, reason)) => {
                    let path = self.suites.display_path(&base.join(below));
                    self.add_unmatched(&path.to_string_lossy(), reason);
                }
            }
        }
        any
    }

    fn add_unmatched(&mut self, pattern: &str, reason: Reason) {
        self.unmatched.push(Unmatched {
            pattern: pattern.to_owned(),
            reason,
        });
    }
}
