//! Which suite files the arguments of `casebook run` and `casebook check` mean.
//!
//! An argument is, in this order:
//!
//! 1. **a file or a folder that exists**, whatever it is called: a file is taken as it is, a folder is searched for
//!    suites ([`is_suite`]) with everything below it;
//! 2. **`FILE:LINE`**, where `FILE` is a file: the test there;
//! 3. **a pattern**, if it has a `*`, `?`, `[` or `{`: `*` and `?` stay within a folder, `**` crosses folders. As if a
//!    shell had expanded it, it takes every file that matches, whatever it is called, and searches every folder that
//!    does. (`?` and `[…]` are one byte: `*` stands for letters outside of ASCII.)
//!
//! A search passes over what `.gitignore` leaves out (in a repository and outside of one), hidden files and folders,
//! `__snapshots__` and `.casebook`, and does not follow links to folders. That holds for what it comes across, never
//! for what was named: the argument `build`, and the `build/` of `build/*.yaml`, are searched even if `.gitignore` has
//! them. Other lists (`.ignore`, git's own `info/exclude` and the user's) do not count: a test that quietly does not
//! run on one machine is worse than one too many.
//!
//! Files come in the order of the arguments, those of a folder or a pattern by their path. A file is taken once,
//! however often it is found; two links to one file are two suites, because a suite means its own folder.

mod argument;
mod name;
mod pattern;
mod suggest;
#[cfg(test)]
mod tests;
mod unique_files;
mod unmatched;
mod walk;

use std::path::{Path, PathBuf};

use argument::Argument;
pub use name::{is_suite, stem};
use pattern::Pattern;
use unique_files::UniqueFiles;
pub use unmatched::{Reason, Unmatched};
use walk::{Walk, WalkTarget};

/// What was found, and what was not.
#[derive(Debug, Default)]
pub struct Discovered {
    /// The suites, each once, in the order to run them.
    pub files: Vec<DiscoveredSuite>,
    /// The arguments that mean no suite, and what could not be read in the folders searched.
    pub unmatched: Vec<Unmatched>,
}

/// A suite file to run.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DiscoveredSuite {
    /// What people call it: relative to the working folder where it is below it, otherwise as it was given. Joined to
    /// the working folder it can be opened.
    pub path: PathBuf,
    /// The line of the one test that is meant, counted from 1; that there is a test is for the reader of the file to
    /// see. `None` means all tests. A file that is there as a whole is not there with lines too.
    pub line: Option<usize>,
}

/// Finds the suites that the arguments mean to somebody whose working folder is `folder`; without arguments, those in
/// `folder`.
pub fn discover(arguments: &[String], folder: &Path) -> Discovered {
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let mut search = Search {
        folder,
        once: UniqueFiles::new(folder),
        unmatched: Vec::new(),
    };
    if arguments.is_empty() {
        search.below(".", Path::new("."));
    }
    for argument in arguments {
        search.argument(argument);
    }
    Discovered {
        files: search.once.into_files(),
        unmatched: search.unmatched,
    }
}

struct Search<'a> {
    folder: &'a Path,
    once: UniqueFiles<'a>,
    unmatched: Vec<Unmatched>,
}

impl Search<'_> {
    fn argument(&mut self, argument: &str) {
        match Argument::of(argument, self.folder) {
            Argument::File(path) => self.once.add(path, None),
            Argument::Line(path, line) => self.once.add(path, Some(line)),
            Argument::Folder(path) => self.below(argument, path),
            Argument::Pattern => self.matching(argument),
            Argument::Nothing(reason) => self.miss(argument, reason),
        }
    }

    fn below(&mut self, argument: &str, path: &Path) {
        let root = self.folder.join(path);
        if !self.walk(path, Walk::new(&root, WalkTarget::Suites)) {
            let ignored =
                walk::first_ignored(&root).map(|below| self.once.display_path(&path.join(below)));
            self.miss(argument, Reason::NoSuiteInFolder { ignored });
        }
    }

    fn matching(&mut self, argument: &str) {
        let pattern = match Pattern::parse(argument) {
            Ok(pattern) => pattern,
            Err(reason) => return self.miss(argument, Reason::BadGlob(reason)),
        };
        let base = pattern.base.clone();
        let root = self.folder.join(&base);
        if !root.is_dir() {
            let did_you_mean = suggest::folder(&base, self.folder);
            let folder = base;
            let reason = Reason::NoSuchFolder {
                folder,
                did_you_mean,
            };
            return self.miss(argument, reason);
        }
        if !self.walk(&base, Walk::new(&root, WalkTarget::Pattern(pattern))) {
            self.miss(argument, Reason::NothingMatchesGlob);
        }
    }

    /// Takes what a walk finds; whether that was anything, be it trouble.
    fn walk(&mut self, base: &Path, walk: Walk) -> bool {
        let mut any = false;
        for step in walk {
            any = true;
            match step {
                Ok(below) => self.once.add(&base.join(below), None),
                Err((below, reason)) => {
                    let path = self.once.display_path(&base.join(below));
                    self.miss(&path.to_string_lossy(), reason);
                }
            }
        }
        any
    }

    fn miss(&mut self, pattern: &str, reason: Reason) {
        self.unmatched.push(Unmatched {
            pattern: pattern.to_owned(),
            reason,
        });
    }
}
