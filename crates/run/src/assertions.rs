//! Checks the assertions of command tests.

mod capture;
mod dialogue;
mod exit;
mod file;
mod folder;
mod json;
mod json_matches;
mod json_value;
mod lines;
mod normalize;
mod pattern;
mod snapshot;
mod text;

use std::path::{Path, PathBuf};

use casebook_record::{Comparison, Redactor, Stream as RecordedStream};
use casebook_source::Span;
use casebook_suite::model::{Assertion, Check, FileCheck, Stream};
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::budget::OutputBudget;
use crate::numbers::format_bounds;
use crate::options::SnapshotMode;
use crate::plan::PlannedTest;
use crate::seconds::seconds;
use crate::shell::CommandResult;

pub(crate) use capture::matched as captured_group;
pub(crate) use json::{is_same, missing_pointer_message};
pub(crate) use json_value::matches_value;
pub(crate) use normalize::{Directories, Normalizers, paths as paths_of_dir};
pub(crate) use pattern::{find_first as find_pattern, matches};
pub use snapshot::write as write_snapshot;
pub(crate) use text::{
    Subject, check as find_in_text, comparison as text_comparison, expected as expected_text, verb,
};

/// The key of the actual text as it was before normalizing, if that changed it.
const UNNORMALIZED: &str = "unnormalized";

/// A passed assertion records texts up to this many bytes.
const SHORT: usize = 200;

/// The result of one assertion.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AssertionResult {
    /// The field of the suite.
    pub(crate) field: &'static str,
    /// Where the assertion is in the suite.
    pub(crate) span: Span,
    /// The assertion in a few words.
    pub(crate) description: String,
    pub(crate) comparison: Comparison,
    /// The compared stream, if any.
    pub(crate) stream: Option<RecordedStream>,
    pub(crate) result: CheckResult,
}

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct CheckResult {
    /// Why it failed; `None` if it passed.
    pub(crate) problem: Option<String>,
    pub(crate) expected: Option<Value>,
    pub(crate) actual: Option<Value>,
    /// Whether `actual` is truncated.
    pub(crate) is_excerpt: bool,
    /// Whether it could not be evaluated, so that its negation fails too.
    pub(crate) is_undecided: bool,
    /// Further keys for the record.
    pub(crate) more: Vec<(&'static str, Value)>,
}

impl CheckResult {
    /// The result of a check that could not be evaluated.
    pub(crate) fn undecided(problem: String) -> CheckResult {
        CheckResult {
            problem: Some(problem),
            is_undecided: true,
            ..CheckResult::default()
        }
    }
}

/// Serializes everything for the record except the problem.
impl Serialize for CheckResult {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let truncated = self.is_excerpt.then_some(&Value::Bool(true));
        let own = [
            ("expected", self.expected.as_ref()),
            ("actual", self.actual.as_ref()),
            ("actual_truncated", truncated),
        ];
        let own = own
            .into_iter()
            .filter_map(|(key, value)| Some((key, value?)));
        let more = self.more.iter().map(|(key, value)| (*key, value));
        serializer.collect_map(own.chain(more))
    }
}

impl AssertionResult {
    pub(crate) fn passed(&self) -> bool {
        self.result.problem.is_none()
    }
}

/// Checks assertions on the result of a command.
pub(crate) struct AssertionChecker<'a> {
    pub(crate) ran: &'a CommandResult,
    /// The working directory of the command.
    pub(crate) dir: &'a Path,
    /// The path of the snapshot, relative to the suite's directory.
    pub(crate) snapshot: Option<&'a Path>,
    pub(crate) snapshots: SnapshotMode,
    pub(crate) normalizers: Normalizers,
    /// Redacts the secrets of the test. Called only for snapshots.
    pub(crate) redactor: &'a dyn Fn() -> Redactor,
    pub(crate) planned: PlannedTest<'a>,
    /// The directory in which the run was started.
    pub(crate) root: &'a Path,
    pub(crate) budget: &'a OutputBudget,
}

impl AssertionChecker<'_> {
    /// Checks all assertions, in order.
    pub(crate) fn check_all(&self, assertions: &[Assertion]) -> Vec<AssertionResult> {
        let mut results: Vec<AssertionResult> = Vec::with_capacity(assertions.len());
        for assertion in assertions {
            let all_passed = results.iter().all(AssertionResult::passed);
            results.push(self.check(assertion, all_passed));
        }
        results
    }

    fn check(&self, assertion: &Assertion, all_passed: bool) -> AssertionResult {
        let (what, result) = match &assertion.check {
            Check::ExitCode(codes) => (
                format!(" {}", exit::describe(codes)),
                exit::code(self.ran, codes),
            ),
            Check::Signal(signal) => (format!(" {}", signal.name), exit::signal(self.ran, *signal)),
            Check::MaxDuration(limit) => (
                format!(" {}", seconds(*limit)),
                exit::duration(self.ran, *limit),
            ),
            Check::Lines(bounds) => (
                format!(" {}", format_bounds(*bounds)),
                lines::count(*bounds, self.ran.streams.output()),
            ),
            Check::Line { number, expected } => (
                format!(" {number} equals {}", quoted(expected)),
                lines::line(*number, expected, self.ran.streams.output()),
            ),
            Check::Text(stream, check) => {
                let name = self.stream_name(*stream);
                let text = text::Subject {
                    name,
                    text: self.stream(*stream),
                    ignore_case: assertion.ignore_case,
                    suite_dir: &self.suite_dir(),
                    normalizers: &self.normalizers,
                };
                let mut result = text::check(&text, check, self.budget);
                if self.is_truncated(*stream) {
                    result.problem = text::truncated_problem(name, check, result.problem);
                }
                self.redact_actual(*stream, &mut result);
                (text::description(check), result)
            }
            Check::Json { pointer, expected } => (
                format!(" {pointer} equals {}", shortened(&expected.to_string())),
                json::check(
                    json::STDOUT,
                    pointer,
                    expected,
                    self.ran.streams.output().text(),
                    self.budget,
                ),
            ),
            Check::JsonMatches { pointer, pattern } => (
                format!(" {pointer} {}", json_matches::describe(pattern)),
                json_matches::check(
                    pointer,
                    pattern,
                    self.ran.streams.output().text(),
                    self.budget,
                ),
            ),
            Check::File { path, check } => (
                file::description(path, check),
                self.file(path, check, assertion.ignore_case),
            ),
            Check::Snapshot(_) => (String::new(), self.snapshot(all_passed)),
        };
        AssertionResult {
            field: assertion.field,
            span: assertion.span,
            description: format!("{}{what}", assertion.field),
            comparison: comparison(&assertion.check),
            stream: self.compared_stream(&assertion.check),
            result,
        }
    }

    /// Records the screen without its secrets, which may continue in the next line.
    fn redact_actual(&self, stream: Stream, result: &mut CheckResult) {
        let terminal = self.ran.terminal.as_ref();
        let terminal = terminal.filter(|_| stream == Stream::Screen);
        if let Some((terminal, actual)) = terminal.zip(result.actual.as_mut()) {
            let redacted = terminal.screen.text();
            if redacted != terminal.text {
                let normalized = self.normalizers.apply(redacted.as_bytes());
                *actual = self
                    .budget
                    .excerpt(&normalized.unwrap_or_default())
                    .0
                    .into();
                result.more.retain(|(key, _)| *key != UNNORMALIZED);
            }
        }
    }

    fn compared_stream(&self, check: &Check) -> Option<RecordedStream> {
        match check {
            Check::Text(stream, _) => Some(self.recorded(*stream)),
            Check::Json { .. } | Check::JsonMatches { .. } => Some(self.recorded(Stream::Stdout)),
            Check::Lines(_) | Check::Snapshot(_) => Some(self.recorded(Stream::Output)),
            Check::ExitCode(_)
            | Check::Signal(_)
            | Check::MaxDuration(_)
            | Check::Line { .. }
            | Check::File { .. } => None,
        }
    }

    /// The name of the stream in the record.
    fn recorded(&self, stream: Stream) -> RecordedStream {
        match stream {
            Stream::Output if self.ran.streams.stderr().is_none() => RecordedStream::Output,
            Stream::Output | Stream::Stdout => RecordedStream::Stdout,
            Stream::Stderr => RecordedStream::Stderr,
            Stream::Screen => RecordedStream::Screen,
        }
    }

    fn file(&self, name: &str, check: &FileCheck, ignore_case: bool) -> CheckResult {
        let path = &self.dir.join(name);
        let mut result = match check {
            FileCheck::Exists(expected) => file::exists(path, name, *expected),
            FileCheck::Mode(expected) => file::mode(path, name, *expected),
            FileCheck::EqualsFolder(folder) => {
                let expected = self.suite_dir().join(folder);
                folder::check((path, name), (&expected, folder), &self.normalizers)
            }
            FileCheck::Content(_) | FileCheck::Json { .. } => match file::content(path, name) {
                Ok(content) => self.content(name, content.text(), check, ignore_case),
                Err(problem) => CheckResult {
                    problem: Some(problem),
                    ..CheckResult::default()
                },
            },
        };
        result.more.push(("path", name.into()));
        result
    }

    /// Checks the content of a file.
    fn content(
        &self,
        name: &str,
        text: &[u8],
        check: &FileCheck,
        ignore_case: bool,
    ) -> CheckResult {
        match check {
            FileCheck::Content(check) => {
                let subject = text::Subject {
                    name,
                    text,
                    ignore_case,
                    suite_dir: &self.suite_dir(),
                    normalizers: &self.normalizers,
                };
                text::check(&subject, check, self.budget)
            }
            FileCheck::Json { pointer, expected } => {
                json::check(name, pointer, expected, text, self.budget)
            }
            FileCheck::Exists(_) | FileCheck::Mode(_) | FileCheck::EqualsFolder(_) => {
                CheckResult::default()
            }
        }
    }

    /// The directory of the suite.
    fn suite_dir(&self) -> PathBuf {
        let file = self.planned.suite.file(self.root);
        file.parent().unwrap_or(Path::new("/")).to_owned()
    }

    /// Checks the snapshot. It is not written if another assertion failed.
    fn snapshot(&self, may_accept: bool) -> CheckResult {
        let Some(path) = self.snapshot else {
            return CheckResult::default();
        };
        let file = self.planned.suite.file(self.root);
        let dir = Path::new(self.planned.suite.name())
            .parent()
            .unwrap_or(Path::new(""));
        let full = file.parent().unwrap_or(Path::new("/")).join(path);
        let name = dir.join(path).display().to_string();
        if !may_accept && !full.exists() {
            return CheckResult::default();
        }
        let mode = match self.snapshots {
            SnapshotMode::New | SnapshotMode::Update if !may_accept => SnapshotMode::Keep,
            mode => mode,
        };
        let accepted = snapshot::Accepted {
            path: &full,
            name: &name,
            redactor: &(self.redactor)(),
            normalizers: &self.normalizers,
        };
        accepted.check(mode, self.ran.streams.output().text(), self.budget)
    }

    fn stream(&self, stream: Stream) -> &[u8] {
        match stream {
            Stream::Output | Stream::Stdout => self.ran.streams.output().text(),
            Stream::Stderr => self
                .ran
                .streams
                .stderr()
                .map_or(&[], |stderr| stderr.text()),
            Stream::Screen => {
                let terminal = self.ran.terminal.as_ref();
                terminal.map_or(&[], |terminal| terminal.text.as_bytes())
            }
        }
    }

    /// Whether the stream exceeded the capture limit.
    fn is_truncated(&self, stream: Stream) -> bool {
        match stream {
            Stream::Output | Stream::Stdout => self.ran.streams.output().truncated,
            Stream::Stderr => {
                let stderr = self.ran.streams.stderr();
                stderr.is_some_and(|stderr| stderr.truncated)
            }
            Stream::Screen => false,
        }
    }

    /// The name of the stream in messages.
    fn stream_name(&self, stream: Stream) -> &'static str {
        match self.recorded(stream) {
            RecordedStream::Output => "output",
            RecordedStream::Stdout => "standard output",
            RecordedStream::Stderr => "standard error",
            RecordedStream::Screen => "the screen",
        }
    }
}

fn comparison(check: &Check) -> Comparison {
    match check {
        Check::ExitCode(_) | Check::Signal(_) => Comparison::ExitCode,
        Check::MaxDuration(_) | Check::Lines(_) => Comparison::Number,
        Check::Line { .. } => Comparison::Equals,
        Check::JsonMatches { .. } => Comparison::JsonMatches,
        Check::Text(_, check) => text::comparison(check),
        Check::File { check, .. } => match check {
            FileCheck::Content(check) => text::comparison(check),
            FileCheck::Exists(_) => Comparison::Exists,
            FileCheck::Mode(_) => Comparison::FileMode,
            FileCheck::EqualsFolder(_) => Comparison::Folder,
            FileCheck::Json { .. } => Comparison::Json,
        },
        Check::Json { .. } => Comparison::Json,
        Check::Snapshot(_) => Comparison::Snapshot,
    }
}

impl CheckResult {
    /// Adds the checked text: an excerpt if the check failed, the text itself if it is short and the check passed.
    fn with_actual(mut self, text: &[u8], budget: &OutputBudget) -> CheckResult {
        if self.problem.is_some() {
            let (text, is_excerpt) = budget.excerpt(text);
            self.actual = Some(text.into());
            self.is_excerpt = is_excerpt;
        } else if text.len() <= SHORT {
            self.actual = Some(String::from_utf8_lossy(text).into());
        }
        self
    }

    /// Adds the checked text as it was before normalizing, if the check failed and that changed it.
    fn with_unnormalized(
        mut self,
        text: &[u8],
        normalized: &[u8],
        budget: &OutputBudget,
    ) -> CheckResult {
        if self.problem.is_some() && text != normalized {
            self.more
                .push((UNNORMALIZED, budget.excerpt(text).0.into()));
        }
        self
    }
}

/// Returns the text in quotes, on one line, shortened.
pub(crate) fn quoted(text: &str) -> String {
    shortened(&Value::from(text).to_string())
}

pub(crate) fn shortened(text: &str) -> String {
    const MAX_QUOTE_CHARS: usize = 80;
    match text.char_indices().nth(MAX_QUOTE_CHARS) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
