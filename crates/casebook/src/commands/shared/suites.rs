//! Finds, reads and checks suites, and shows their problems.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use casebook_record::io_reason;
use casebook_source::{Diagnostic, Severity, SourceFile, Span, render, yaml};
use casebook_suite::{
    CheckContext, Checked, DiscoveredSuite, FileReader, Suite, bats, discover, stem,
};

use serde::Serialize;

use crate::caller::Caller;
use crate::commands::shared::bash_syntax;
use crate::commands::shared::plural::plural;
use crate::commands::shared::{missing_files, same_snapshots, unused_snapshots};
use crate::context::Context;
use crate::error::CommandError;

/// The maximum size of a file that a suite names.
const LARGEST: u64 = 16 << 20;

/// Checked suites.
pub(crate) struct Suites {
    /// Each file once for each selected line.
    pub(crate) files: Vec<(DiscoveredSuite, Checked)>,
    /// Why arguments select no suite.
    pub(crate) unmatched: Vec<String>,
    pub(crate) summary: CheckSummary,
}

/// Where problems are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProblemOutput {
    /// `check`: problems are its result.
    Stdout,
    /// `check`, in a format for programs, which the caller writes.
    Nowhere,
    /// Other commands: standard output is for their own result.
    Stderr,
}

/// Finds the suites of these paths, checks them and prints their problems.
pub(crate) fn read(
    paths: &[String],
    problems: ProblemOutput,
    context: &mut Context,
) -> Result<Suites, CommandError> {
    let found = discover(paths, &context.dir);
    let unmatched: Vec<_> = found.unmatched.iter().map(ToString::to_string).collect();
    for unmatched in &unmatched {
        context.messages.error(unmatched);
    }
    let mut suites = check(found.files, problems, context)?;
    suites.summary.unmatched = unmatched.len() as u64;
    suites.unmatched = unmatched;
    Ok(suites)
}

/// Checks these files and prints their problems.
pub(crate) fn check(
    found: Vec<DiscoveredSuite>,
    problems: ProblemOutput,
    context: &mut Context,
) -> Result<Suites, CommandError> {
    let mut suites = Suites {
        files: Vec::with_capacity(found.len()),
        unmatched: Vec::new(),
        summary: CheckSummary::default(),
    };
    let checked = found.iter().map(|file| read_file(&file.path, context));
    let mut checked = checked.collect::<Result<Vec<_>, _>>()?;
    bash_syntax::check(&mut checked);
    same_snapshots::check(&mut checked);
    for (file, mut checked) in found.into_iter().zip(checked) {
        if problems != ProblemOutput::Stderr {
            let unused = unused_snapshots::problems(&checked, &context.dir.join(&file.path));
            checked.diagnostics.extend(unused);
        }
        let missing = missing_files::problems(&checked, &context.dir.join(&file.path));
        checked.diagnostics.extend(missing);
        suites.summary.count(&checked);
        match problems {
            ProblemOutput::Stdout => context
                .stdout
                .write_all(describe(&checked, context.color).as_bytes())?,
            ProblemOutput::Nowhere => {}
            ProblemOutput::Stderr => report(&checked, context),
        }
        suites.files.push((file, checked));
    }
    context.stdout.flush()?;
    Ok(suites)
}

/// Reads a suite and checks it.
pub(crate) fn read_file(path: &Path, context: &Context) -> Result<Checked, CommandError> {
    read_file_in(&context.dir, path, context)
}

/// The text of a file that is not saved yet.
type Unsaved<'a> = &'a dyn Fn(&Path) -> Option<String>;

/// Checks a text as `check` does, as if it were the suite at this path. Other files may have a text that is not saved yet.
pub(crate) fn check_text(
    path: &Path,
    text: String,
    unsaved: Unsaved<'_>,
    context: &Context,
) -> Checked {
    let name = path.display().to_string();
    let mut checked = [casebook_suite::check(
        SourceFile::new(name, text),
        &CheckContext {
            environment: &context.environment,
            stem: &stem(path),
            read: &SuiteDir {
                unsaved,
                ..SuiteDir::of(&context.dir, path, context)
            },
        },
    )];
    bash_syntax::check(&mut checked);
    let [mut checked] = checked;
    let missing = missing_files::problems(&checked, &context.dir.join(path));
    checked.diagnostics.extend(missing);
    checked
}

/// Reads a suite below another directory and checks it.
pub(crate) fn read_file_in(
    dir: &Path,
    path: &Path,
    context: &Context,
) -> Result<Checked, CommandError> {
    let unreadable = |source| CommandError::Input {
        path: path.to_owned(),
        source,
    };
    if let Some(caller) = &context.caller {
        caller.root.check(&dir.join(path)).map_err(unreadable)?;
    }
    let bytes = fs::read(dir.join(path)).map_err(unreadable)?;
    let name = path.display().to_string();
    Ok(match String::from_utf8(bytes) {
        Ok(text) => with_surroundings(dir, path, context, |surroundings| {
            casebook_suite::check(SourceFile::new(name, text), surroundings)
        }),
        Err(error) => not_utf8(&name, &error),
    })
}

/// A suite for Bats code that reads the environment when it runs.
pub(crate) fn read_environment_at_run_time(suite: Suite, path: &Path, context: &Context) -> Suite {
    with_surroundings(&context.dir, path, context, |surroundings| {
        bats::read_at_run_time(suite, surroundings)
    })
}

fn with_surroundings<T>(
    dir: &Path,
    path: &Path,
    context: &Context,
    then: impl FnOnce(&CheckContext<'_>) -> T,
) -> T {
    then(&CheckContext {
        environment: &context.environment,
        stem: &stem(path),
        read: &SuiteDir::of(dir, path, context),
    })
}

/// The directory of a suite, whose files it names.
struct SuiteDir<'a> {
    dir: PathBuf,
    caller: Option<&'a Caller>,
    unsaved: Unsaved<'a>,
}

impl<'a> SuiteDir<'a> {
    fn of(dir: &Path, suite: &Path, context: &'a Context) -> SuiteDir<'a> {
        let suite = dir.join(suite);
        SuiteDir {
            dir: suite.parent().unwrap_or(Path::new("/")).to_owned(),
            caller: context.caller.as_deref(),
            unsaved: &|_| None,
        }
    }
}

impl FileReader for SuiteDir<'_> {
    fn read(&self, named: &str) -> Result<String, String> {
        let path = self.dir.join(named);
        if let Some(caller) = self.caller {
            caller
                .root
                .check(&path)
                .map_err(|error| error.to_string())?;
        }
        if let Some(text) = (self.unsaved)(&path) {
            return Ok(text);
        }
        let metadata = fs::metadata(&path).map_err(|error| io_reason(&error))?;
        if !metadata.is_file() {
            return Err("not a regular file".to_owned());
        }
        if metadata.len() > LARGEST {
            return Err(format!("it is larger than {} MiB", LARGEST >> 20));
        }
        let bytes = fs::read(&path).map_err(|error| error.to_string())?;
        String::from_utf8(bytes).map_err(|_| "it is not valid UTF-8".to_owned())
    }

    fn identity(&self, named: &str) -> PathBuf {
        let path = self.dir.join(named);
        fs::canonicalize(&path).unwrap_or(path)
    }
}

fn not_utf8(name: &str, error: &std::string::FromUtf8Error) -> Checked {
    let at = error.utf8_error().valid_up_to();
    let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
    let problem = Diagnostic::error(
        yaml::INVALID_YAML,
        Span::new(at, at + 1),
        "the file is not valid UTF-8",
    );
    Checked {
        file: SourceFile::new(name, text).into(),
        suite: None,
        diagnostics: vec![problem],
        scripts: Vec::new(),
    }
}

/// Prints the problems of a suite.
pub(crate) fn report(checked: &Checked, context: &Context) {
    let text = describe(checked, context.messages.is_colored());
    if !text.is_empty() {
        context.messages.write_rendered(text.trim_end());
    }
}

/// Problems are in the order of the file, so those of one test follow each other, under its name. Those before the first test have no
/// heading.
fn describe(checked: &Checked, color: bool) -> String {
    let mut text = String::new();
    let mut current = None;
    for diagnostic in &checked.diagnostics {
        if diagnostic.part != current {
            let file = diagnostic.file.as_ref();
            let whole = file.map_or("the suite", |file| file.name());
            let part = diagnostic.part.as_deref().unwrap_or(whole);
            text.extend(["In ", part, ":\n\n"]);
        }
        current.clone_from(&diagnostic.part);
        text.push_str(&render(&checked.file, diagnostic, color));
        text.push_str("\n\n");
    }
    text
}

/// Counts of checked files and problems.
#[derive(Default, Serialize)]
pub(crate) struct CheckSummary {
    files: u64,
    tests: u64,
    errors: u64,
    warnings: u64,
    #[serde(skip)]
    unmatched: u64,
}

impl CheckSummary {
    fn count(&mut self, checked: &Checked) {
        self.files += 1;
        self.tests += checked
            .suite
            .as_ref()
            .map_or(0, |suite| suite.tests.len() as u64);
        for diagnostic in &checked.diagnostics {
            match diagnostic.severity {
                Severity::Error => self.errors += 1,
                Severity::Warning => self.warnings += 1,
            }
        }
    }

    /// Counts the problems of a file that is not a suite.
    pub(crate) fn add_problems(&mut self, errors: u64) {
        self.errors += errors;
    }

    /// Whether everything selected can be run.
    pub(crate) fn is_ok(&self) -> bool {
        self.errors + self.unmatched == 0
    }

    pub(crate) fn summary(&self) -> String {
        let counted = |count: u64, word: &str| format!("{count} {}", plural(count, word));
        let checked = counted(self.files, "suite");
        let warnings = match self.warnings {
            0 => String::new(),
            warnings => format!(", {}", counted(warnings, "warning")),
        };
        match self.errors {
            0 if self.files == 0 => "no suites found".to_owned(),
            0 if self.unmatched > 0 => format!(
                "{} could not be read; {checked} with {}: no problems{warnings}",
                counted(self.unmatched, "path"),
                counted(self.tests, "test")
            ),
            0 => format!(
                "{checked} with {}: no problems{warnings}",
                counted(self.tests, "test")
            ),
            errors => format!("{checked}: {}{warnings}", counted(errors, "problem")),
        }
    }
}
