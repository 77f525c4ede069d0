//! Snapshots that no test uses.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use casebook_source::{Diagnostic, SourceFile, Span};
use casebook_suite::codes::UNUSED_SNAPSHOT;
use casebook_suite::{Checked, is_suite, snapshot, stem};

/// A warning for each unused snapshot.
pub(super) fn problems(checked: &Checked, file: &Path) -> Vec<Diagnostic> {
    let parent = file.parent().unwrap_or(Path::new("/"));
    let shown = Path::new(checked.file.name())
        .parent()
        .unwrap_or(Path::new(""));
    let unused = files(checked, file);
    let unused = unused
        .iter()
        .filter_map(|file| file.strip_prefix(parent).ok());
    unused.map(|file| problem(&shown.join(file))).collect()
}

/// Each file in the suite's directory of snapshots that none of its tests uses, and each file in the directory of a suite that does
/// not exist. The latter belong to the first suite of the directory. `file` is the suite's file.
pub(crate) fn files(checked: &Checked, file: &Path) -> Vec<PathBuf> {
    let Some(suite) = &checked.suite else {
        return Vec::new();
    };
    if shares_directory(file) {
        return Vec::new();
    }
    let parent = file.parent().unwrap_or(Path::new("/"));
    let used: HashSet<PathBuf> = snapshot::files(suite)
        .into_iter()
        .flatten()
        .flatten()
        .map(|file| parent.join(file))
        .collect();
    let all = parent.join(snapshot::DIRECTORY);
    let own = snapshots_below(&all.join(stem(file)));
    let mut unused: Vec<_> = own
        .into_iter()
        .filter(|file| !used.contains(file))
        .collect();
    unused.extend(without_suite(&all, file));
    unused.sort();
    unused
}

fn problem(file: &Path) -> Diagnostic {
    let message = "no test uses this snapshot";
    Diagnostic {
        file: Some(Arc::new(SourceFile::new(file.display().to_string(), ""))),
        ..Diagnostic::warning(UNUSED_SNAPSHOT, Span::default(), message)
            .help("if its test was renamed or removed, `casebook accept --prune` deletes it")
    }
}

/// Whether another suite has the same directory of snapshots, whose files it may use.
fn shares_directory(file: &Path) -> bool {
    let siblings = entries(file.parent().unwrap_or(Path::new("/")));
    let mut others = siblings
        .iter()
        .filter(|other| is_suite(other) && other.file_name() != file.file_name());
    others.any(|other| stem(other) == stem(file))
}

/// The snapshots in the directories of suites that do not exist, if this is the first suite in its directory.
fn without_suite(all: &Path, file: &Path) -> Vec<PathBuf> {
    let parent = file.parent().unwrap_or(Path::new("/"));
    let mut suites: Vec<_> = entries(parent)
        .into_iter()
        .filter(|path| is_suite(path))
        .collect();
    suites.sort();
    let is_first = suites
        .first()
        .is_some_and(|first| first.file_name() == file.file_name());
    if !is_first {
        return Vec::new();
    }
    let stems: HashSet<String> = suites.iter().map(|suite| stem(suite)).collect();
    let of_no_suite = |dir: &PathBuf| {
        let name = dir.file_name().unwrap_or_default().to_string_lossy();
        !stems.contains(&*name)
    };
    let dirs = entries(all).into_iter().filter(of_no_suite);
    dirs.flat_map(|dir| snapshots_below(&dir)).collect()
}

/// All `.snap` files in a directory and its subdirectories, without following links.
fn snapshots_below(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![dir.to_owned()];
    while let Some(dir) = open.pop() {
        for path in entries(&dir) {
            match fs::symlink_metadata(&path) {
                Ok(metadata) if metadata.is_dir() => open.push(path),
                Ok(_)
                    if path
                        .extension()
                        .is_some_and(|extension| extension == "snap") =>
                {
                    found.push(path);
                }
                _ => {}
            }
        }
    }
    found
}

fn entries(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}
