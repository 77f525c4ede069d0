//! `casebook.toml`: the options of a project. All its problems are reported, with their lines.

mod reader;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use casebook_run::TagFilter;
use casebook_source::{Diagnostic, SourceFile, render};
use toml::de::DeTable;

use super::problems::Problem;
use crate::arguments::budget::RunBudget;
use crate::arguments::run::{Engine, Leaks, OutputFormat, Size, SoftErrors};
use crate::context::Context;
use crate::error::CommandError;
use reader::ProjectReader;

const FILE: &str = "casebook.toml";

casebook_source::codes! {
    /// # What it means
    ///
    /// `casebook.toml` is not valid TOML, has an unknown option, or an option has an invalid value.
    ///
    /// # Why it matters
    ///
    /// `casebook run` and `casebook check` use its options. With a mistyped one they would run something else.
    ///
    /// # Example
    ///
    /// ```toml
    /// [run]
    /// job = 4
    /// timeout = "soon"
    /// ```
    ///
    /// # Instead
    ///
    /// ```toml
    /// [run]
    /// jobs = 4
    /// timeout = "30s"
    /// ```
    ///
    /// The options below `[run]` are those of `casebook run`, without the dashes: `paths`, `jobs`, `filter`, `tag`,
    /// `fail-fast`, `retries`, `timeout`, `seed`, `engine`, `leaks`, `max-output`, `soft-errors`, `budget`, `llm-cache`, `llm-cache-only`,
    /// `format`, `html`, `timing`, `trace`, `verbose`, `quiet`, `record` and `redact`. With `strictRequires`, a test whose `requires` or
    /// `skipUnless` is not met fails if `CI` is set, as with `--require-all`. The options below `[cluster]` are `url`, `name`, `creds`
    /// and `ca`.
    PROJECT_FILE = "project-file";
}

/// The options in the tables `[run]` and `[cluster]`.
#[expect(clippy::struct_excessive_bools, reason = "each is a separate option")]
#[derive(Debug, Default)]
pub(crate) struct Defaults {
    pub(crate) paths: Vec<String>,
    pub(crate) jobs: Option<usize>,
    pub(crate) filter: Option<String>,
    pub(crate) tag: Vec<TagFilter>,
    pub(crate) fail_fast: bool,
    pub(crate) retries: Option<u32>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) seed: Option<u64>,
    pub(crate) engine: Option<Engine>,
    pub(crate) leaks: Option<Leaks>,
    pub(crate) max_output: Option<Size>,
    pub(crate) soft_errors: Option<SoftErrors>,
    pub(crate) budget: Option<RunBudget>,
    pub(crate) llm_cache: Option<PathBuf>,
    pub(crate) llm_cache_only: bool,
    pub(crate) format: Vec<OutputFormat>,
    pub(crate) html: Option<PathBuf>,
    pub(crate) timing: bool,
    pub(crate) trace: bool,
    pub(crate) verbose: bool,
    pub(crate) quiet: bool,
    pub(crate) record: Option<PathBuf>,
    pub(crate) redact: Vec<String>,
    /// Whether `--require-all` applies in CI.
    pub(crate) strict_requires: bool,
    pub(crate) cluster: ClusterDefaults,
}

/// The options in the table `[cluster]`.
#[derive(Debug, Default)]
pub(crate) struct ClusterDefaults {
    pub(crate) url: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) creds: Option<PathBuf>,
    pub(crate) ca: Option<PathBuf>,
}

/// The closest `casebook.toml`.
#[derive(Default)]
pub(crate) struct Project {
    /// The valid options; paths are relative to the directory of the file.
    pub(crate) defaults: Defaults,
    /// Its problems, in order.
    pub(crate) problems: Vec<Diagnostic>,
    path: PathBuf,
    file: Option<SourceFile>,
}

impl Project {
    /// Reads the file in this directory or the closest one above.
    pub(crate) fn read(context: &Context) -> Result<Project, CommandError> {
        for above in context.dir.ancestors() {
            let path = above.join(FILE);
            match fs::read_to_string(&path) {
                Ok(text) => return Ok(Project::parse(&path, text, &context.dir)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(source) => return Err(CommandError::Input { path, source }),
            }
        }
        Ok(Project::default())
    }

    fn parse(path: &Path, text: String, dir: &Path) -> Project {
        let name = path.strip_prefix(dir).unwrap_or(path).display().to_string();
        let file = SourceFile::new(name, text);
        let (table, errors) = DeTable::parse_recoverable(file.text());
        let mut reader = ProjectReader::default();
        for error in errors {
            let range = error.span().unwrap_or_default();
            reader.report(range, error.message().to_owned());
        }
        reader.file(table.get_ref());
        let mut problems = reader.problems;
        problems.sort_by_key(|problem| problem.span.start);
        Project {
            defaults: reader.defaults.seen_from(path.parent().unwrap_or(dir)),
            problems,
            path: path.to_owned(),
            file: Some(file),
        }
    }

    /// Its problems as text.
    pub(crate) fn rendered(&self, color: bool) -> impl Iterator<Item = String> {
        let file = self.file.iter();
        file.flat_map(move |file| {
            self.problems
                .iter()
                .map(move |problem| render(file, problem, color))
        })
    }

    /// Its problems as data.
    pub(crate) fn as_data(&self) -> impl Iterator<Item = Problem> {
        let file = self.file.iter();
        file.flat_map(|file| {
            self.problems
                .iter()
                .map(|problem| Problem::new(problem, file))
        })
    }

    /// The options, if the file has no problems; otherwise they are printed.
    pub(crate) fn into_defaults(self, context: &Context) -> Result<Defaults, CommandError> {
        if self.problems.is_empty() {
            return Ok(self.defaults);
        }
        for problem in self.rendered(context.messages.is_colored()) {
            context.messages.write_rendered(&problem);
        }
        Err(CommandError::Project {
            path: self.path,
            problems: self.problems.len() as u64,
        })
    }
}

impl Defaults {
    fn seen_from(mut self, dir: &Path) -> Defaults {
        let join = |path: PathBuf| dir.join(path);
        self.record = self.record.map(|path| {
            if path == Path::new("none") {
                path
            } else {
                join(path)
            }
        });
        self.html = self.html.map(join);
        self.cluster.creds = self.cluster.creds.map(join);
        self.cluster.ca = self.cluster.ca.map(join);
        self.llm_cache = self.llm_cache.map(join);
        for format in &mut self.format {
            format.file = format.file.take().map(join);
        }
        for path in &mut self.paths {
            *path = dir.join(&*path).to_string_lossy().into_owned();
        }
        self
    }
}
