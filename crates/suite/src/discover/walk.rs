//! Searches a directory recursively.

use std::error::Error;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ignore::{DirEntry, WalkBuilder};

use super::{Pattern, Reason, is_suite};

/// Directories written by Casebook and git.
const EXCLUDED_DIRS: [&str; 3] = ["__snapshots__", ".casebook", ".git"];

/// The maximum number of entries to look at for an excluded suite, which is only used in a message.
const MAX_ENTRIES: usize = 20_000;

/// The files to search for.
#[derive(Debug, Clone)]
pub(super) enum WalkTarget {
    Suites,
    Pattern(Pattern),
}

/// Iterates over the selected files, as paths below the root in sorted order, and the paths that cannot be read.
pub(super) struct Walk {
    root: PathBuf,
    target: WalkTarget,
    entries: ignore::Walk,
}

impl Walk {
    pub(super) fn new(root: &Path, target: WalkTarget) -> Walk {
        Walk {
            root: root.to_path_buf(),
            entries: entries(root, &target, true),
            target,
        }
    }

    fn entry(&self, entry: &DirEntry) -> Option<Result<PathBuf, (PathBuf, Reason)>> {
        let kind = entry.file_type()?;
        let path = below(&self.root, entry.path());
        if kind.is_dir() || !self.target.matches_file(path) {
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

    /// A directory that cannot be read. Errors in a `.gitignore` are ignored, as by git.
    fn read_error(&self, error: ignore::Error) -> Option<(PathBuf, Reason)> {
        let path = path_of(&error).map_or(Path::new(""), |path| below(&self.root, path));
        let path = path.to_path_buf();
        let error = error.into_io_error()?;
        Some((path, Reason::Unreadable(os_error(error))))
    }
}

impl Iterator for Walk {
    type Item = Result<PathBuf, (PathBuf, Reason)>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let step = match self.entries.next()? {
                Ok(entry) => self.entry(&entry),
                Err(error) => self.read_error(error).map(Err),
            };
            if step.is_some() {
                return step;
            }
        }
    }
}

/// A suite below the root that `.gitignore` excludes.
pub(super) fn first_ignored(root: &Path) -> Option<PathBuf> {
    entries(root, &WalkTarget::Suites, false)
        .take(MAX_ENTRIES)
        .flatten()
        .map(|entry| below(root, entry.path()).to_path_buf())
        .find(|path| is_suite(path) && root.join(path).is_file())
}

/// The files and symbolic links below a directory that belong to the project: those that `.gitignore` does not exclude,
/// except in `.git` and `.casebook`.
pub fn project_files(dir: &Path) -> impl Iterator<Item = io::Result<PathBuf>> {
    let mut builder = builder(dir, true);
    builder.hidden(false).filter_entry(|entry| {
        let name = entry.file_name();
        name != ".git" && name != ".casebook"
    });
    builder.build().filter_map(|entry| match entry {
        Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_dir()) => None,
        Ok(entry) => Some(Ok(entry.into_path())),
        // Errors in a `.gitignore` are ignored, as by git.
        Err(error) => error.into_io_error().map(Err),
    })
}

fn builder(root: &Path, use_gitignore: bool) -> WalkBuilder {
    let mut builder = WalkBuilder::new(root);
    builder
        .standard_filters(false)
        .git_ignore(use_gitignore)
        .parents(use_gitignore)
        .require_git(in_repository(root))
        // Otherwise the crate reads the working directory of the process.
        .current_dir(root)
        .sort_by_file_name(Ord::cmp);
    builder
}

fn entries(root: &Path, target: &WalkTarget, use_gitignore: bool) -> ignore::Walk {
    let mut builder = builder(root, use_gitignore);
    builder.hidden(!target.is_hidden());
    let (root, target) = (root.to_path_buf(), target.clone());
    builder.filter_entry(move |entry| {
        let is_dir = entry.file_type().is_some_and(|kind| kind.is_dir());
        !is_dir || target.may_match_below(below(&root, entry.path()), entry.depth())
    });
    builder.build()
}

/// Whether the root is in a repository. Then only `.gitignore` files of the repository apply: a `*` in the home
/// directory must not exclude every project in it. The crate detects the start of a repository only if it requires one.
fn in_repository(root: &Path) -> bool {
    let root = fs::canonicalize(root).unwrap_or_else(|_| root.to_path_buf());
    let is_repository = |dir: &Path| dir.join(".git").exists() || dir.join(".jj").exists();
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
        let is_excluded = path
            .file_name()
            .is_some_and(|name| EXCLUDED_DIRS.iter().any(|excluded| name == *excluded));
        match self {
            WalkTarget::Suites => !is_excluded,
            WalkTarget::Pattern(pattern) => !is_excluded && pattern.may_match_below(path, depth),
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

/// The system's error, without the path that the crate adds to its message.
fn os_error(error: io::Error) -> io::Error {
    let outer = error.get_ref().map(|error| error as &(dyn Error + 'static));
    let code = std::iter::successors(outer, |&error| error.source())
        .find_map(|error| error.downcast_ref::<io::Error>()?.raw_os_error());
    code.map_or(error, io::Error::from_raw_os_error)
}
