//! Whether what was demanded of a command holds.

mod file;
mod json;
mod pattern;
mod snapshot;
mod text;

use std::path::Path;

use casebook_record::{Comparison, Stream as RecordedStream};
use casebook_source::Span;
use casebook_suite::model::{Assertion, Check, FileCheck, Stream};
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::budget::Budget;
use crate::options::Snapshots;
use crate::os::signal_name;
use crate::plan::{PlannedSuite, PlannedTest};
use crate::shell::Ran;

pub(crate) use json::is_same;
pub(crate) use pattern::matches;
pub(crate) use text::{
    comparison as text_comparison, expected as expected_text, find as find_in_text, verb,
};

/// What a passing assertion keeps of a text it was about.
const SHORT: usize = 200;

/// Whether one demand holds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Verdict {
    /// The field that demands it.
    pub(crate) field: &'static str,
    /// Where it is demanded.
    pub(crate) span: Span,
    /// The demand in a few words.
    pub(crate) description: String,
    pub(crate) comparison: Comparison,
    /// The stream that was compared, if one was.
    pub(crate) stream: Option<RecordedStream>,
    pub(crate) finding: Finding,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Finding {
    /// What is wrong; nothing when the demand is met.
    pub(crate) problem: Option<String>,
    pub(crate) expected: Option<Value>,
    pub(crate) actual: Option<Value>,
    /// Whether `actual` is not all of it.
    pub(crate) is_excerpt: bool,
    /// Whatever else is worth keeping.
    pub(crate) more: Vec<(&'static str, Value)>,
}

/// As the record has it, beside the problem.
impl Serialize for Finding {
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

impl Verdict {
    pub(crate) fn holds(&self) -> bool {
        self.finding.problem.is_none()
    }
}

/// Everything a verdict depends on.
pub(crate) struct Judge<'a> {
    pub(crate) ran: &'a Ran,
    /// Where the command ran.
    pub(crate) folder: &'a Path,
    pub(crate) snapshots: Snapshots,
    pub(crate) suite: &'a PlannedSuite,
    pub(crate) test: &'a PlannedTest,
    /// Where the run was started.
    pub(crate) root: &'a Path,
    pub(crate) budget: &'a Budget,
}

impl Judge<'_> {
    /// All verdicts, in the order of the demands.
    pub(crate) fn verdicts(&self, demands: &[Assertion]) -> Vec<Verdict> {
        let mut verdicts: Vec<Verdict> = Vec::with_capacity(demands.len());
        for demand in demands {
            let all_hold = verdicts.iter().all(Verdict::holds);
            verdicts.push(self.verdict(demand, all_hold));
        }
        verdicts
    }

    fn verdict(&self, demand: &Assertion, all_hold: bool) -> Verdict {
        let (what, finding) = match &demand.check {
            Check::ExitCode(code) => (format!(" {code}"), self.exit_code(*code)),
            Check::Text(stream, check) => {
                let name = self.stream_name(*stream);
                let mut finding = text::find(name, check, self.stream(*stream), self.budget);
                if self.is_cut(*stream) {
                    finding.problem = text::of_cut(name, check, finding.problem);
                }
                (text::description(check), finding)
            }
            Check::Json { pointer, expected } => (
                format!(" {pointer} equals {}", shortened(&expected.to_string())),
                json::find(
                    pointer,
                    expected,
                    self.ran.streams.output().text(),
                    self.budget,
                ),
            ),
            Check::File { path, check } => (
                file::description(path, check),
                file::find(&self.folder.join(path), path, check, self.budget),
            ),
            Check::Snapshot(_) => (String::new(), self.snapshot(all_hold)),
        };
        Verdict {
            field: demand.field,
            span: demand.span,
            description: format!("{}{what}", demand.field),
            comparison: comparison(&demand.check),
            stream: self.compared_stream(&demand.check),
            finding,
        }
    }

    fn compared_stream(&self, check: &Check) -> Option<RecordedStream> {
        match check {
            Check::Text(stream, _) => Some(self.recorded(*stream)),
            Check::Json { .. } => Some(self.recorded(Stream::Stdout)),
            Check::Snapshot(_) => Some(self.recorded(Stream::Output)),
            Check::ExitCode(_) | Check::File { .. } => None,
        }
    }

    /// The stream under which the record has it.
    fn recorded(&self, stream: Stream) -> RecordedStream {
        match stream {
            Stream::Output if self.ran.streams.stderr().is_none() => RecordedStream::Output,
            Stream::Output | Stream::Stdout => RecordedStream::Stdout,
            Stream::Stderr => RecordedStream::Stderr,
        }
    }

    fn exit_code(&self, expected: u8) -> Finding {
        let actual = self.ran.exit_code;
        let problem = (actual != i32::from(expected)).then(|| {
            let signal = self.ran.signal.map_or(String::new(), |signal| {
                format!(" (ended by {})", signal_name::name(signal))
            });
            format!("exit code {actual}{signal} instead of {expected}")
        });
        Finding {
            problem,
            expected: Some(expected.into()),
            actual: Some(actual.into()),
            ..Finding::default()
        }
    }

    /// Output that something else is wrong with is not accepted as it is.
    fn snapshot(&self, may_accept: bool) -> Finding {
        let Some(path) = self.suite.snapshot(self.test) else {
            return Finding::default();
        };
        let file = self.suite.file(self.root);
        let beside = Path::new(self.suite.name())
            .parent()
            .unwrap_or(Path::new(""));
        let full = file.parent().unwrap_or(Path::new("/")).join(path);
        let name = beside.join(path).display().to_string();
        if !may_accept && !full.exists() {
            return Finding::default();
        }
        let mode = match self.snapshots {
            Snapshots::New | Snapshots::Update if !may_accept => Snapshots::Keep,
            mode => mode,
        };
        let text = self.ran.streams.output().text();
        snapshot::find(&full, &name, mode, text, self.budget)
    }

    fn stream(&self, stream: Stream) -> &[u8] {
        match stream {
            Stream::Output | Stream::Stdout => self.ran.streams.output().text(),
            Stream::Stderr => self
                .ran
                .streams
                .stderr()
                .map_or(&[], |stderr| stderr.text()),
        }
    }

    /// Whether more was written to the stream than is captured.
    fn is_cut(&self, stream: Stream) -> bool {
        match stream {
            Stream::Output | Stream::Stdout => self.ran.streams.output().truncated,
            Stream::Stderr => {
                let stderr = self.ran.streams.stderr();
                stderr.is_some_and(|stderr| stderr.truncated)
            }
        }
    }

    /// What the stream is called where it is looked at.
    fn stream_name(&self, stream: Stream) -> &'static str {
        match self.recorded(stream) {
            RecordedStream::Output => "output",
            RecordedStream::Stdout => "standard output",
            RecordedStream::Stderr => "standard error",
        }
    }
}

fn comparison(check: &Check) -> Comparison {
    match check {
        Check::ExitCode(_) => Comparison::ExitCode,
        Check::Text(_, check)
        | Check::File {
            check: FileCheck::Content(check),
            ..
        } => text::comparison(check),
        Check::File {
            check: FileCheck::Exists(_),
            ..
        } => Comparison::Exists,
        Check::Json { .. } => Comparison::Json,
        Check::Snapshot(_) => Comparison::Snapshot,
    }
}

impl Finding {
    /// With the text that was looked at: enough of it to see what is wrong, or a little when nothing is.
    fn about(mut self, text: &[u8], budget: &Budget) -> Finding {
        if self.problem.is_some() {
            let (text, is_excerpt) = budget.excerpt(text);
            self.actual = Some(text.into());
            self.is_excerpt = is_excerpt;
        } else if text.len() <= SHORT {
            self.actual = Some(String::from_utf8_lossy(text).into());
        }
        self
    }
}

/// A text in a line, in quotes, not too long.
pub(crate) fn quoted(text: &str) -> String {
    shortened(&Value::from(text).to_string())
}

pub(crate) fn shortened(text: &str) -> String {
    const LONG: usize = 80;
    match text.char_indices().nth(LONG) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
