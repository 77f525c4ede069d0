//! Every file once, under the name that people know it by.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::DiscoveredSuite;

pub(super) struct UniqueFiles<'a> {
    folder: &'a Path,
    real_folder: PathBuf,
    /// The real path of each folder met: a folder of thousands of files is looked up once.
    real_parents: HashMap<PathBuf, PathBuf>,
    /// Each with its identity.
    files: Vec<(PathBuf, DiscoveredSuite)>,
}

impl UniqueFiles<'_> {
    pub(super) fn new(folder: &Path) -> UniqueFiles<'_> {
        UniqueFiles {
            folder,
            real_folder: real(folder),
            real_parents: HashMap::new(),
            files: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, path: &Path, line: Option<usize>) {
        let identity = self.identity(path);
        let path = self.name(path, &identity);
        self.files.push((identity, DiscoveredSuite { path, line }));
    }

    /// What people call this path.
    pub(super) fn display_path(&mut self, path: &Path) -> PathBuf {
        let identity = self.identity(path);
        let name = self.name(path, &identity);
        if name.as_os_str().is_empty() {
            return PathBuf::from(".");
        }
        name
    }

    /// Each file once; lines of it only where it is not there as a whole.
    pub(super) fn into_files(self) -> Vec<DiscoveredSuite> {
        let whole = |(_, found): &&(PathBuf, DiscoveredSuite)| found.line.is_none();
        let whole: HashSet<PathBuf> = self
            .files
            .iter()
            .filter(whole)
            .map(|(id, _)| id.clone())
            .collect();
        let mut seen = HashSet::new();
        self.files
            .into_iter()
            .filter(|(identity, found)| found.line.is_none() || !whole.contains(identity))
            .filter_map(|(identity, found)| seen.insert((identity, found.line)).then_some(found))
            .collect()
    }

    /// The real folder and the name in it: a link to a file is a file of its own, because a suite means its folder.
    fn identity(&mut self, path: &Path) -> PathBuf {
        let path = self.folder.join(path);
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
        let below = path.strip_prefix(self.folder).unwrap_or(path);
        let plain: PathBuf = below
            .components()
            .filter(|part| *part != Component::CurDir)
            .collect();
        let is_below = plain
            .components()
            .all(|part| matches!(part, Component::Normal(_)));
        if is_below {
            return plain;
        }
        match identity.strip_prefix(&self.real_folder) {
            Ok(below) => below.to_path_buf(),
            Err(_) => plain,
        }
    }
}

/// Without links, `.` and `..`; as it is where the system does not say.
fn real(path: &Path) -> PathBuf {
    let path = if path.as_os_str().is_empty() {
        Path::new(".")
    } else {
        path
    };
    fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}
