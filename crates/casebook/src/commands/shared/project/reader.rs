//! [`ProjectReader`]: reads the options of `casebook.toml` and collects their problems.

use std::ops::Range;
use std::path::PathBuf;
use std::str::FromStr;

use casebook_run::Filter;
use casebook_source::{Diagnostic, Span, closest_match};
use clap::ValueEnum;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Defaults, PROJECT_FILE};
use crate::arguments::run::{at_least_one, duration, whole_number};

const TABLES: [(&str, &[&str]); 2] = [
    ("run", &OPTIONS),
    ("cluster", &["url", "name", "creds", "ca"]),
];

const OPTIONS: [&str; 24] = [
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
    "soft-errors",
    "budget",
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

/// Reads options and collects problems.
#[derive(Default)]
pub(super) struct ProjectReader {
    pub(super) defaults: Defaults,
    pub(super) problems: Vec<Diagnostic>,
}

type Value<'t> = Spanned<DeValue<'t>>;

impl ProjectReader {
    pub(super) fn report(&mut self, range: Range<usize>, message: String) -> &mut Diagnostic {
        let span = Span::new(range.start, range.end);
        self.problems
            .push(Diagnostic::error(PROJECT_FILE, span, message));
        let last = self.problems.len() - 1;
        &mut self.problems[last]
    }

    pub(super) fn file(&mut self, table: &DeTable<'_>) {
        for (key, value) in table {
            let name = key.get_ref();
            let table = TABLES.iter().find(|(table, _)| table == name);
            match (table, value.get_ref().as_table()) {
                (Some((table, options)), Some(values)) => self.options(table, options, values),
                (Some((table, _)), None) => {
                    let mistyped = self.mistyped(table, "a table", value);
                    mistyped.help = Some(format!("write `[{table}]`"));
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
                match table {
                    "cluster" => self.cluster_option(option, value),
                    _ => self.run_option(option, value),
                }
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

    fn run_option(&mut self, name: &'static str, value: &Value<'_>) {
        match name {
            "paths" => self.defaults.paths = self.list(name, value, Ok),
            "jobs" => self.defaults.jobs = self.one(name, value, at_least_one),
            "filter" => self.defaults.filter = self.one(name, value, valid_filter),
            "tag" => self.defaults.tag = self.list(name, value, |text| parsed(&text)),
            "fail-fast" => self.defaults.fail_fast = self.flag(name, value),
            "retries" => self.defaults.retries = self.one(name, value, whole_number),
            "timeout" => self.defaults.timeout = self.one(name, value, duration),
            "seed" => self.defaults.seed = self.one(name, value, whole_number),
            "engine" => self.defaults.engine = self.one(name, value, choice),
            "leaks" => self.defaults.leaks = self.one(name, value, choice),
            "max-output" => self.defaults.max_output = self.one(name, value, parsed),
            "soft-errors" => self.defaults.soft_errors = self.one(name, value, choice),
            "budget" => self.defaults.budget = self.one(name, value, parsed),
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
            // `options` passes only names in `TABLES`, so a name added there must be added here too.
            name => unreachable!("`{name}` is not read"),
        }
    }

    fn cluster_option(&mut self, name: &'static str, value: &Value<'_>) {
        let text = self.string(name, value);
        let cluster = &mut self.defaults.cluster;
        match name {
            "url" => cluster.url = text,
            "name" => cluster.name = text,
            "creds" => cluster.creds = text.map(PathBuf::from),
            "ca" => cluster.ca = text.map(PathBuf::from),
            name => unreachable!("`{name}` is not read"),
        }
    }

    fn flag(&mut self, name: &str, value: &Value<'_>) -> bool {
        let flag = value.get_ref().as_bool();
        if flag.is_none() {
            self.mistyped(name, "true or false", value);
        }
        flag.unwrap_or_default()
    }

    fn string(&mut self, name: &str, value: &Value<'_>) -> Option<String> {
        let text = value.get_ref().as_str().map(str::to_owned);
        if text.is_none() {
            self.mistyped(name, "a string", value);
        }
        text
    }

    fn mistyped(&mut self, name: &str, expected: &str, value: &Value<'_>) -> &mut Diagnostic {
        let message = format!("`{name}` must be {expected}, not {}", kind(value));
        self.report(value.span(), message)
    }

    /// A string or a number that `parse` accepts.
    fn one<T>(
        &mut self,
        name: &str,
        value: &Value<'_>,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Option<T> {
        let Some(text) = single(value) else {
            self.mistyped(name, "a string or a number", value);
            return None;
        };
        let parsed = parse(text).map_err(|error| {
            let message = if error.starts_with("must ") {
                format!("`{name}` {error}, got '{text}'")
            } else {
                format!("`{name}`: {error}")
            };
            self.report(value.span(), message);
        });
        parsed.ok()
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
                self.mistyped(name, "a string or a list of strings", value);
            }
        }
        all
    }
}

/// The text, if it is a filter.
fn valid_filter(text: &str) -> Result<String, String> {
    parsed::<Filter>(text).map(|_| text.to_owned())
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

/// The text of a string or a number.
fn single<'v>(value: &'v Value<'_>) -> Option<&'v str> {
    match value.get_ref() {
        DeValue::String(text) => Some(text),
        DeValue::Integer(number) => Some(number.as_str()),
        DeValue::Float(number) => Some(number.as_str()),
        _ => None,
    }
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
