//! Finds Ruby files.

use std::path::{Path, PathBuf};

/// The Ruby files below these paths, sorted. Files that Git ignores are skipped.
pub fn ruby_files(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = paths.iter().flat_map(|path| below(path)).collect();
    files.sort();
    files.dedup();
    files
}

fn below(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    ignore::WalkBuilder::new(path)
        .require_git(false)
        .build()
        .flatten()
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .map(ignore::DirEntry::into_path)
        .filter(|path| path.extension().is_some_and(|extension| extension == "rb"))
        .collect()
}
