//! Removes duplicate files and determines the paths shown to the user.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::{DiscoveredSuite, LineRange};

pub(super) struct UniqueFiles<'a> {
    dir: &'a Path,
    real_dir: PathBuf,
    /// The real path of each directory, cached because a directory may have thousands of files.
    real_parents: HashMap<PathBuf, PathBuf>,
    /// Each suite with its identity.
    files: Vec<(PathBuf, DiscoveredSuite)>,
}

impl UniqueFiles<'_> {
    pub(super) fn new(dir: &Path) -> UniqueFiles<'_> {
        UniqueFiles {
            dir,
            real_dir: real(dir),
            real_parents: HashMap::new(),
            files: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, path: &Path, lines: Option<LineRange>) {
        let identity = self.identity(path);
        let path = self.name(path, &identity);
        self.files.push((identity, DiscoveredSuite { path, lines }));
    }

    /// The path as shown to the user.
    pub(super) fn display_path(&mut self, path: &Path) -> PathBuf {
        let identity = self.identity(path);
        let name = self.name(path, &identity);
        if name.as_os_str().is_empty() {
            return PathBuf::from(".");
        }
        name
    }

    /// Each file once; lines only if the complete file is not selected.
    pub(super) fn into_files(self) -> Vec<DiscoveredSuite> {
        let is_complete = |(_, found): &&(PathBuf, DiscoveredSuite)| found.lines.is_none();
        let complete: HashSet<PathBuf> = self
            .files
            .iter()
            .filter(is_complete)
            .map(|(id, _)| id.clone())
            .collect();
        let mut seen = HashSet::new();
        self.files
            .into_iter()
            .filter(|(identity, found)| found.lines.is_none() || !complete.contains(identity))
            .filter(|(identity, found)| seen.insert((identity.clone(), found.lines.clone())))
            .map(|(_, found)| found)
            .collect()
    }

    /// The real path of the directory with the file name. A link to a file is a separate suite, because paths in a suite
    /// are relative to its directory.
    fn identity(&mut self, path: &Path) -> PathBuf {
        let path = self.dir.join(path);
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return real(&path);
        };
        if let Some(real) = self.real_parents.get(parent) {
            return real.join(name);
        }
        let real = real(parent);
        let identity = real.join(name);
        self.real_parents.insert(parent.to_path_buf(), real);
        identity
    }

    fn name(&self, path: &Path, identity: &Path) -> PathBuf {
        let below = path.strip_prefix(self.dir).unwrap_or(path);
        let normalized: PathBuf = below
            .components()
            .filter(|part| *part != Component::CurDir)
            .collect();
        let is_below = normalized
            .components()
            .all(|part| matches!(part, Component::Normal(_)));
        if is_below {
            return normalized;
        }
        match identity.strip_prefix(&self.real_dir) {
            Ok(below) => below.to_path_buf(),
            Err(_) => normalized,
        }
    }
}

/// The path without links, `.` and `..`; unchanged on error.
fn real(path: &Path) -> PathBuf {
    let path = if path.as_os_str().is_empty() {
        Path::new(".")
    } else {
        path
    };
    fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}
