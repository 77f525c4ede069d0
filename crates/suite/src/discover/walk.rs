//! A search of a folder and everything below it.

use std::error::Error;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ignore::{DirEntry, WalkBuilder};

use super::{Pattern, Reason, is_suite};

/// Folders that hold what Casebook and git wrote.
const EXCLUDED_DIRS: [&str; 3] = ["__snapshots__", ".casebook", ".git"];

/// How far to look for a suite that is left out: it only makes a message better.
const MAX_LOOKS: usize = 20_000;

/// What is searched for.
#[derive(Debug, Clone)]
pub(super) enum WalkTarget {
    Suites,
    Pattern(Pattern),
}

/// The files wanted, by their path below the root and in its order; or what is in the way, and why.
pub(super) struct Walk {
    root: PathBuf,
    wanted: WalkTarget,
    entries: ignore::Walk,
}

impl Walk {
    pub(super) fn new(root: &Path, wanted: WalkTarget) -> Walk {
        Walk {
            root: root.to_path_buf(),
            entries: entries(root, &wanted, true),
            wanted,
        }
    }

    fn entry(&self, entry: &DirEntry) -> Option<Result<PathBuf, (PathBuf, Reason)>> {
        let kind = entry.file_type()?;
        let path = below(&self.root, entry.path());
        if kind.is_dir() || !self.wanted.matches_file(path) {
            return None;
        }
        if kind.is_file() {
            return Some(Ok(path.to_path_buf()));
        }
        let reason = match fs::metadata(entry.path()) {
            Ok(target) if target.is_file() => return Some(Ok(path.to_path_buf())),
            Ok(target) if target.is_dir() => return None,
            Ok(_) => Reason::NotAFile,
            Err(error) => Reason::unreadable(entry.path(), error),
        };
        Some(Err((path.to_path_buf(), reason)))
    }

    /// A folder that cannot be read. What is wrong in a `.gitignore` is no concern of ours, nor of git's.
    fn trouble(&self, error: ignore::Error) -> Option<(PathBuf, Reason)> {
        let path = path_of(&error).map_or(Path::new(""), |path| below(&self.root, path));
        let path = path.to_path_buf();
        let error = error.into_io_error()?;
        Some((path, Reason::Unreadable(plain(error))))
    }
}

impl Iterator for Walk {
    type Item = Result<PathBuf, (PathBuf, Reason)>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let step = match self.entries.next()? {
                Ok(entry) => self.entry(&entry),
                Err(error) => self.trouble(error).map(Err),
            };
            if step.is_some() {
                return step;
            }
        }
    }
}

/// A suite below the root that `.gitignore` leaves out.
pub(super) fn first_ignored(root: &Path) -> Option<PathBuf> {
    entries(root, &WalkTarget::Suites, false)
        .take(MAX_LOOKS)
        .flatten()
        .map(|entry| below(root, entry.path()).to_path_buf())
        .find(|path| is_suite(path) && root.join(path).is_file())
}

fn entries(root: &Path, wanted: &WalkTarget, honour_gitignore: bool) -> ignore::Walk {
    let mut builder = WalkBuilder::new(root);
    builder
        .standard_filters(false)
        .git_ignore(honour_gitignore)
        .parents(honour_gitignore)
        .require_git(in_repository(root))
        .hidden(!wanted.is_hidden())
        // Else the crate asks the environment.
        .current_dir(root)
        .sort_by_file_name(Ord::cmp);
    let (root, wanted) = (root.to_path_buf(), wanted.clone());
    builder.filter_entry(move |entry| {
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        !is_folder || wanted.may_match_below(below(&root, entry.path()), entry.depth())
    });
    builder.build()
}

/// Inside a repository, only its own `.gitignore` files count: a `*` in one of the home folder must not hide every
/// project in it. The crate sees where a repository begins only if it requires one.
fn in_repository(root: &Path) -> bool {
    let root = fs::canonicalize(root).unwrap_or_else(|_| root.to_path_buf());
    let is_repository = |folder: &Path| folder.join(".git").exists() || folder.join(".jj").exists();
    root.ancestors().any(is_repository)
}

impl WalkTarget {
    fn matches_file(&self, path: &Path) -> bool {
        match self {
            WalkTarget::Suites => is_suite(path),
            WalkTarget::Pattern(pattern) => pattern.matches_file(path),
        }
    }

    fn may_match_below(&self, path: &Path, depth: usize) -> bool {
        let never = path
            .file_name()
            .is_some_and(|name| EXCLUDED_DIRS.iter().any(|never| name == *never));
        match self {
            WalkTarget::Suites => !never,
            WalkTarget::Pattern(pattern) => !never && pattern.may_match_below(path, depth),
        }
    }

    fn is_hidden(&self) -> bool {
        matches!(self, WalkTarget::Pattern(pattern) if pattern.hidden)
    }
}

fn below<'a>(root: &Path, path: &'a Path) -> &'a Path {
    path.strip_prefix(root).unwrap_or(path)
}

fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            path_of(err)
        }
        _ => None,
    }
}

/// The system's own error, without the path that the crates below say again.
fn plain(error: io::Error) -> io::Error {
    let outer = error.get_ref().map(|error| error as &(dyn Error + 'static));
    let code = std::iter::successors(outer, |&error| error.source())
        .find_map(|error| error.downcast_ref::<io::Error>()?.raw_os_error());
    code.map_or(error, io::Error::from_raw_os_error)
}
