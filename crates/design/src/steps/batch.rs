//! `design analyze` of many files: every public method, one file of the plugin layout per source, on all cores.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::method_modes;
use super::parallel::on_all_cores;
use super::project::Project;
use super::{StepContext, StepError};
use crate::metadata::document::Document;
use crate::metadata::freshness::mtime;
use crate::metadata::location::{MetadataLocation, find_root};
use crate::metadata::read::Layout;
use crate::metadata::store::replace;
use crate::metadata::write::{Format, plugin};
use crate::naming::NamingProfile;
use crate::ruby::{self, AnalysisOptions};

/// What came of one file.
#[derive(Debug)]
pub struct BatchFile {
    /// The source, as it was found.
    pub file: PathBuf,
    /// Its metadata, or why there is none. A file without a public method has none and no reason.
    pub outcome: Result<Option<PathBuf>, StepError>,
    /// What is worth knowing.
    pub warnings: Vec<String>,
    /// Whether it was fresh.
    pub was_cached: bool,
}

/// How to analyze many files.
#[derive(Debug, Clone, Copy, Default)]
pub struct BatchOptions {
    /// Even if the metadata is fresh.
    pub force: bool,
    /// How names are written, if not as the layout has them.
    pub names: Option<NamingProfile>,
    /// Without the conditions of ternaries.
    pub skips_ternaries: bool,
    /// On that many cores.
    pub threads: usize,
}

/// Analyzes every file; results come in the order of the files.
pub fn analyze_all(
    files: &[PathBuf],
    options: BatchOptions,
    world: &StepContext<'_>,
) -> Vec<BatchFile> {
    let worker = || Worker {
        options,
        world,
        roots: HashMap::new(),
        projects: HashMap::new(),
    };
    on_all_cores(files, options.threads, worker, |worker, file| {
        worker.file(file)
    })
}

/// One of the threads; they share nothing but the list of files.
struct Worker<'a> {
    options: BatchOptions,
    world: &'a StepContext<'a>,
    /// The project around a folder: many files, few folders.
    roots: HashMap<PathBuf, Option<PathBuf>>,
    projects: HashMap<PathBuf, Project>,
}

impl Worker<'_> {
    fn file(&mut self, file: &Path) -> BatchFile {
        let mut warnings = Vec::new();
        let mut was_cached = false;
        let outcome = self.analyze(file, &mut warnings, &mut was_cached);
        BatchFile {
            file: file.to_owned(),
            outcome,
            warnings,
            was_cached,
        }
    }

    fn analyze(
        &mut self,
        file: &Path,
        warnings: &mut Vec<String>,
        was_cached: &mut bool,
    ) -> Result<Option<PathBuf>, StepError> {
        let folder = file.parent().unwrap_or(self.world.cwd);
        let root = self.root(&self.world.cwd.join(folder));
        let located = MetadataLocation::within(file, self.world.cwd, root)?;
        let path = located.plugin_path();
        let source_mtime = mtime(&located.source).unwrap_or_default();
        let must = self.options.force || self.options.skips_ternaries;
        let names = self.options.names.unwrap_or(NamingProfile::Short);
        if !must && is_fresh(&path, source_mtime, names) {
            *was_cached = true;
            return Ok(Some(path));
        }
        let source = fs::read(&located.source).map_err(|source| StepError::Unreadable {
            path: file.to_owned(),
            source,
        })?;
        let reading = AnalysisOptions {
            skips_ternaries: self.options.skips_ternaries,
            ..Layout::Plugin.reading()
        };
        let found = ruby::analyze_all(&source, &located.relative, reading).map_err(|source| {
            StepError::Ruby {
                file: file.to_owned(),
                source,
            }
        })?;
        let mut methods = Vec::with_capacity(found.len());
        for method in found {
            match method {
                Ok(method) => methods.push(method),
                Err(error) => warnings.push(error.to_string()),
            }
        }
        if methods.is_empty() {
            return Ok(None);
        }
        let now = self.world.now;
        let project = self.project(&located.base());
        let stamp = project.stamp(&located.relative, source_mtime, now, names);
        let lines = String::from_utf8_lossy(&source).lines().count();
        let mut document = plugin(methods, &stamp, lines);
        method_modes::write_modes(
            &mut document,
            &source,
            method_modes::load_previous(&path).as_ref(),
        );
        let document = Document::new(document);
        if let Some(folder) = path.parent().filter(|folder| !folder.is_dir()) {
            fs::create_dir_all(folder).map_err(|source| StepError::Unreadable {
                path: folder.to_owned(),
                source,
            })?;
        }
        replace(&path, document.text().as_bytes())?;
        Ok(Some(path))
    }

    fn project(&mut self, root: &Path) -> &Project {
        self.projects
            .entry(root.to_owned())
            .or_insert_with(|| Project::of(root, false).unwrap_or_default())
    }

    fn root(&mut self, folder: &Path) -> Option<PathBuf> {
        if let Some(known) = self.roots.get(folder) {
            return known.clone();
        }
        let root = find_root(folder);
        self.roots.insert(folder.to_owned(), root.clone());
        root
    }
}

/// Whether the file is about this state of its source, and has such names. Files are written whole, by us, with these lines first, so they
/// need not be parsed.
fn is_fresh(path: &Path, mtime: i64, names: NamingProfile) -> bool {
    let Ok(text) = fs::read(path) else {
        return false;
    };
    let text = String::from_utf8_lossy(&text);
    let said = |key: &str| text.lines().take(8).find_map(|line| line.strip_prefix(key));
    text.starts_with("slug: ")
        && said("source_mtime: ").is_some_and(|seconds| seconds.parse() == Ok(mtime))
        && said("names: ") == names.metadata_value(Format::Plugin)
}
