//! `design analyze` of many files: analyzes every public method and writes one plugin document per source, in parallel.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::method_modes;
use super::parallel::map_parallel;
use super::project::Project;
use super::{StepContext, StepError};
use crate::metadata::document::Document;
use crate::metadata::freshness::mtime;
use crate::metadata::location::{MetadataLocation, find_root};
use crate::metadata::read::Layout;
use crate::metadata::store::replace;
use crate::metadata::write::{Format, plugin};
use crate::naming::NamingProfile;
use crate::ruby::{self, Analysis, AnalysisOptions};
use crate::skeleton::Components;

/// The result for one file.
#[derive(Debug)]
pub struct BatchFile {
    /// The source, as it was found.
    pub file: PathBuf,
    /// The metadata file. `None` if the source has no public method.
    pub outcome: Result<Option<PathBuf>, StepError>,
    /// Warnings for the user.
    pub warnings: Vec<String>,
    /// Whether the metadata was up to date.
    pub was_cached: bool,
}

/// Options for analyzing many files.
#[derive(Debug, Clone, Copy, Default)]
pub struct BatchOptions {
    /// Analyze even if the metadata is up to date.
    pub force: bool,
    /// The naming profile; `None` for the default of the layout.
    pub names: Option<NamingProfile>,
    /// Ignore the conditions of ternaries.
    pub skips_ternaries: bool,
    /// The number of threads.
    pub threads: usize,
}

/// Analyzes every file. The results are in the order of the files.
pub fn analyze_all(
    files: &[PathBuf],
    options: BatchOptions,
    context: &StepContext<'_>,
) -> Vec<BatchFile> {
    let worker = || Worker::new(options, context);
    map_parallel(files, options.threads, worker, |worker, file| {
        worker.file(file)
    })
}

/// The state of one thread. Threads share only the list of files.
struct Worker<'a> {
    options: BatchOptions,
    context: &'a StepContext<'a>,
    /// The project roots by directory, because many files share few directories.
    roots: HashMap<PathBuf, Option<PathBuf>>,
    projects: HashMap<PathBuf, Project>,
    components: Components,
}

impl<'a> Worker<'a> {
    fn new(options: BatchOptions, context: &'a StepContext<'a>) -> Worker<'a> {
        Worker {
            options,
            context,
            roots: HashMap::new(),
            projects: HashMap::new(),
            components: Components::default(),
        }
    }

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
        let dir = file.parent().unwrap_or(self.context.cwd);
        let root = self.root(&self.context.cwd.join(dir));
        let located = MetadataLocation::within(file, self.context.cwd, root)?;
        let path = located.plugin_path();
        let source_mtime = mtime(&located.source).unwrap_or_default();
        let must_analyze = self.options.force || self.options.skips_ternaries;
        let names = self.options.names.unwrap_or(NamingProfile::Short);
        if !must_analyze && is_fresh(&path, source_mtime, names) {
            *was_cached = true;
            return Ok(Some(path));
        }
        let source = fs::read(&located.source).map_err(|source| StepError::Unreadable {
            path: file.to_owned(),
            source,
        })?;
        let methods = self.methods(&source, file, &located, warnings)?;
        if methods.is_empty() {
            return Ok(None);
        }
        let now = self.context.now;
        let base = located.base();
        let spec_path = self.components.spec_path(&located.relative, &base);
        let project = self.project(&located.relative, &base);
        let header = project.header(&located.relative, spec_path, source_mtime, now, names);
        let lines = String::from_utf8_lossy(&source).lines().count();
        let mut document = plugin(methods, &header, lines);
        method_modes::write_modes(
            &mut document,
            &source,
            method_modes::load_previous(&path).as_ref(),
        );
        write(&path, &Document::new(document))?;
        Ok(Some(path))
    }

    /// Analyzes the public methods of a source. Those that are too complex are warnings.
    fn methods(
        &self,
        source: &[u8],
        file: &Path,
        located: &MetadataLocation,
        warnings: &mut Vec<String>,
    ) -> Result<Vec<Analysis>, StepError> {
        let options = AnalysisOptions {
            skips_ternaries: self.options.skips_ternaries,
            ..Layout::Plugin.analysis_options()
        };
        let found = ruby::analyze_all(source, &located.relative, options);
        let found = found.map_err(|source| StepError::Ruby {
            file: file.to_owned(),
            source,
        })?;
        let mut methods = Vec::with_capacity(found.len());
        for method in found {
            match method {
                Ok(method) => methods.push(method),
                Err(error) => warnings.push(error.to_string()),
            }
        }
        Ok(methods)
    }

    fn project(&mut self, file: &str, root: &Path) -> &Project {
        let component = self.components.component_of(file, root);
        self.projects
            .entry(root.join(component))
            .or_insert_with(|| Project::of(root, component, false).unwrap_or_default())
    }

    fn root(&mut self, dir: &Path) -> Option<PathBuf> {
        if let Some(root) = self.roots.get(dir) {
            return root.clone();
        }
        let root = find_root(dir);
        self.roots.insert(dir.to_owned(), root.clone());
        root
    }
}

/// Writes a document, and creates its directory.
fn write(path: &Path, document: &Document) -> Result<(), StepError> {
    if let Some(dir) = path.parent().filter(|dir| !dir.is_dir()) {
        fs::create_dir_all(dir).map_err(|source| StepError::Unreadable {
            path: dir.to_owned(),
            source,
        })?;
    }
    replace(path, document.text().as_bytes())?;
    Ok(())
}

/// Whether the metadata describes the current source and has the same naming profile. Casebook writes these files
/// completely and puts these keys into the first lines, so parsing is not necessary.
fn is_fresh(path: &Path, mtime: i64, names: NamingProfile) -> bool {
    let Ok(text) = fs::read(path) else {
        return false;
    };
    let text = String::from_utf8_lossy(&text);
    let header_value = |key: &str| text.lines().take(8).find_map(|line| line.strip_prefix(key));
    text.starts_with("slug: ")
        && header_value("source_mtime: ").is_some_and(|seconds| seconds.parse() == Ok(mtime))
        && header_value("names: ") == names.metadata_value(Format::Plugin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layout_of_a_project_is_found_once_for_all_files() {
        let root = tempfile::tempdir().unwrap();
        let lib = root.path().join("lib");
        fs::create_dir_all(&lib).unwrap();
        fs::write(root.path().join("Gemfile"), "").unwrap();
        let context = StepContext {
            may_fall_back: true,
            cwd: root.path(),
            now: "2026-11-15T12:00:00Z",
            run: &|_, _, _| None,
            learner: None,
        };
        let mut worker = Worker::new(BatchOptions::default(), &context);
        let mut spec_path = |name: &str| {
            let file = lib.join(name);
            fs::write(&file, "class A\n  def run(a) = a ? 1 : 2\nend\n").unwrap();
            let metadata = worker.file(&file).outcome.unwrap().unwrap();
            let text = fs::read_to_string(metadata).unwrap();
            let mut lines = text.lines();
            lines.find_map(|line| Some(line.strip_prefix("spec_path: ")?.to_owned()))
        };
        assert_eq!(spec_path("a.rb").as_deref(), Some("spec/lib/a_spec.rb"));
        // The specs of an engine do not repeat `lib`.
        fs::write(lib.join("engine.rb"), "").unwrap();
        assert_eq!(spec_path("b.rb").as_deref(), Some("spec/lib/b_spec.rb"));
    }
}
