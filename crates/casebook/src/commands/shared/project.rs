//! `casebook.toml`: the options of a project. All its problems are reported, with their lines.

use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use casebook_run::{Filter, TagFilter};
use casebook_source::{Diagnostic, SourceFile, Span, closest_match, render};
use clap::ValueEnum;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::arguments::run::{
    Engine, Leaks, OutputFormat, Size, at_least_one, duration, whole_number,
};
use crate::context::Context;
use crate::error::CommandError;

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
    /// `fail-fast`, `retries`, `timeout`, `seed`, `engine`, `leaks`, `max-output`, `llm-cache`, `llm-cache-only`, `format`,
    /// `html`, `timing`, `trace`, `verbose`, `quiet`, `record` and `redact`. With `strictRequires`, a test whose `requires` or
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

const TABLES: [(&str, &[&str]); 2] = [
    ("run", &OPTIONS),
    ("cluster", &["url", "name", "creds", "ca"]),
];

const OPTIONS: [&str; 22] = [
    "paths",
    "jobs",
    "filter",
    "tag",
    "fail-fast",
    "retries",
    "timeout",
    "seed",
    "engine",
    "leaks",
    "max-output",
    "llm-cache",
    "llm-cache-only",
    "format",
    "html",
    "timing",
    "trace",
    "verbose",
    "quiet",
    "record",
    "redact",
    "strictRequires",
];

/// The closest `casebook.toml`.
#[derive(Default)]
pub(crate) struct Project {
    /// The valid options; paths are relative to the directory of the file.
    pub(crate) defaults: Defaults,
    /// Its problems, rendered.
    pub(crate) problems: Vec<String>,
    path: PathBuf,
}

impl Project {
    /// Reads the file in this directory or the closest one above.
    pub(crate) fn read(context: &Context, color: bool) -> Result<Project, CommandError> {
        for above in context.dir.ancestors() {
            let path = above.join(FILE);
            match fs::read_to_string(&path) {
                Ok(text) => return Ok(Project::parse(&path, text, &context.dir, color)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(source) => return Err(CommandError::Input { path, source }),
            }
        }
        Ok(Project::default())
    }

    fn parse(path: &Path, text: String, dir: &Path, color: bool) -> Project {
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
            problems: problems
                .iter()
                .map(|problem| render(&file, problem, color))
                .collect(),
            path: path.to_owned(),
        }
    }

    /// The options, if the file has no problems; otherwise they are printed.
    pub(crate) fn into_defaults(self, context: &Context) -> Result<Defaults, CommandError> {
        if self.problems.is_empty() {
            return Ok(self.defaults);
        }
        for problem in &self.problems {
            context.messages.write_rendered(problem);
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

/// Reads options and collects problems.
#[derive(Default)]
struct ProjectReader {
    defaults: Defaults,
    problems: Vec<Diagnostic>,
}

type Value<'t> = Spanned<DeValue<'t>>;

impl ProjectReader {
    fn report(&mut self, range: Range<usize>, message: String) -> &mut Diagnostic {
        let span = Span::new(range.start, range.end);
        self.problems
            .push(Diagnostic::error(PROJECT_FILE, span, message));
        let last = self.problems.len() - 1;
        &mut self.problems[last]
    }

    fn file(&mut self, table: &DeTable<'_>) {
        for (key, value) in table {
            let name = key.get_ref();
            let table = TABLES.iter().find(|(table, _)| table == name);
            match (table, value.get_ref().as_table()) {
                (Some((table, options)), Some(values)) => self.options(table, options, values),
                (Some((table, _)), None) => {
                    let message = format!("`{table}` must be a table, not {}", kind(value));
                    self.report(value.span(), message).help = Some(format!("write `[{table}]`"));
                }
                (None, _) => {
                    let mut tables = TABLES.iter();
                    let help = match tables.find(|(_, options)| options.contains(&&**name)) {
                        Some((table, _)) => format!("write `{name}` below `[{table}]`"),
                        None => "the tables are `[run]` and `[cluster]`".to_owned(),
                    };
                    let message = format!("`casebook.toml` has no option `{name}`");
                    self.report(key.span(), message).help = Some(help);
                }
            }
        }
    }

    fn options(&mut self, table: &str, options: &[&'static str], values: &DeTable<'_>) {
        for (key, value) in values {
            let name = key.get_ref();
            if let Some(option) = options.iter().find(|option| **option == &**name) {
                self.option(option, value);
                continue;
            }
            let dashed = name.replace('_', "-");
            let help = match closest_match(&dashed, options.iter().copied()) {
                Some(option) => format!("did you mean `{option}`?"),
                None => format!("the options are {}", options.join(", ")),
            };
            let message = format!("`[{table}]` has no option `{name}`");
            self.report(key.span(), message).help = Some(help);
        }
    }

    fn option(&mut self, name: &'static str, value: &Value<'_>) {
        match name {
            "paths" => self.defaults.paths = self.list(name, value, Ok),
            "jobs" => self.defaults.jobs = self.one(name, value, at_least_one),
            "filter" => {
                self.defaults.filter = self.one(name, value, |text| {
                    parsed::<Filter>(text).map(|_| text.to_owned())
                });
            }
            "tag" => self.defaults.tag = self.list(name, value, |text| parsed(&text)),
            "fail-fast" => self.defaults.fail_fast = self.flag(name, value),
            "retries" => self.defaults.retries = self.one(name, value, whole_number),
            "timeout" => self.defaults.timeout = self.one(name, value, duration),
            "seed" => self.defaults.seed = self.one(name, value, whole_number),
            "engine" => self.defaults.engine = self.one(name, value, choice),
            "leaks" => self.defaults.leaks = self.one(name, value, choice),
            "max-output" => self.defaults.max_output = self.one(name, value, parsed),
            "llm-cache" => self.defaults.llm_cache = self.one(name, value, parsed),
            "llm-cache-only" => self.defaults.llm_cache_only = self.flag(name, value),
            "format" => self.defaults.format = self.list(name, value, |text| parsed(&text)),
            "html" => self.defaults.html = self.one(name, value, parsed),
            "timing" => self.defaults.timing = self.flag(name, value),
            "trace" => self.defaults.trace = self.flag(name, value),
            "verbose" => self.defaults.verbose = self.flag(name, value),
            "quiet" => self.defaults.quiet = self.flag(name, value),
            "record" => self.defaults.record = self.one(name, value, parsed),
            "redact" => self.defaults.redact = self.list(name, value, Ok),
            "strictRequires" => self.defaults.strict_requires = self.flag(name, value),
            "url" => self.defaults.cluster.url = self.string(name, value),
            "name" => self.defaults.cluster.name = self.string(name, value),
            "creds" => self.defaults.cluster.creds = self.string(name, value).map(PathBuf::from),
            "ca" => self.defaults.cluster.ca = self.string(name, value).map(PathBuf::from),
            // `options` passes only names in `TABLES`, so a name added there must be added here too.
            name => unreachable!("`{name}` is not read"),
        }
    }

    fn flag(&mut self, name: &str, value: &Value<'_>) -> bool {
        value.get_ref().as_bool().unwrap_or_else(|| {
            let message = format!("`{name}` must be true or false, not {}", kind(value));
            self.report(value.span(), message);
            false
        })
    }

    /// A string.
    fn string(&mut self, name: &str, value: &Value<'_>) -> Option<String> {
        let text = value.get_ref().as_str().map(str::to_owned);
        if text.is_none() {
            let message = format!("`{name}` must be a string, not {}", kind(value));
            self.report(value.span(), message);
        }
        text
    }

    /// A string or a number that `parse` accepts.
    fn one<T>(
        &mut self,
        name: &str,
        value: &Value<'_>,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Option<T> {
        let text = match value.get_ref() {
            DeValue::String(text) => &**text,
            DeValue::Integer(number) => number.as_str(),
            DeValue::Float(number) => number.as_str(),
            _ => {
                let message = format!("`{name}` must be a single value, not {}", kind(value));
                self.report(value.span(), message);
                return None;
            }
        };
        parse(text)
            .map_err(|error| {
                let message = if error.starts_with("must ") {
                    format!("`{name}` {error}, got '{text}'")
                } else {
                    format!("`{name}`: {error}")
                };
                self.report(value.span(), message);
            })
            .ok()
    }

    /// A string or a list of strings that `parse` accepts.
    fn list<T>(
        &mut self,
        name: &str,
        value: &Value<'_>,
        parse: impl Fn(String) -> Result<T, String>,
    ) -> Vec<T> {
        let values = match value.get_ref() {
            DeValue::Array(values) => values.iter().collect(),
            _ => vec![value],
        };
        let mut all = Vec::new();
        for value in values {
            if value.get_ref().is_str() {
                all.extend(self.one(name, value, |text| parse(text.to_owned())));
            } else {
                let message = format!(
                    "`{name}` must be a string or a list of strings, not {}",
                    kind(value)
                );
                self.report(value.span(), message);
            }
        }
        all
    }
}

fn parsed<T: FromStr<Err: ToString>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: T::Err| error.to_string())
}

fn choice<T: ValueEnum>(text: &str) -> Result<T, String> {
    T::from_str(text, false).map_err(|_| {
        let values = T::value_variants().iter();
        let names: Vec<_> = values
            .filter_map(ValueEnum::to_possible_value)
            .map(|value| value.get_name().to_owned())
            .collect();
        format!("must be {}", names.join(" or "))
    })
}

/// The kind of a value, for messages.
fn kind(value: &Value<'_>) -> &'static str {
    match value.get_ref() {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
