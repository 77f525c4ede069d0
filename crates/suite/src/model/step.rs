//! [`Step`]: one command of a test.

use std::time::Duration;

use casebook_source::Span;

use super::terminal::Terminal;
use super::{LocatedPath, Script};
use crate::assertion::{Assertion, Stream};
use crate::run_time::substitute;

/// A command, what must be true after it, and the values that are captured for later steps.
///
/// A test with `command` has one step, whose name, environment, working directory and timeout are those of the test.
#[derive(Debug, Clone)]
pub struct Step {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Its location in the suite; that of the test for a test with `command`.
    pub span: Span,
    /// Runs with `bash -c`.
    pub command: Script,
    /// Its standard input; `None` for no input.
    pub stdin: Option<String>,
    /// Added to the environment of the test.
    pub env: Vec<(String, String)>,
    /// Its working directory; `None` for that of the test.
    pub workdir: Option<LocatedPath>,
    /// Its own timeout.
    pub timeout: Option<Duration>,
    /// The values that later steps use.
    pub captures: Vec<Capture>,
    /// Whether it is run again until its assertions pass.
    pub eventually: Option<Eventually>,
    /// The terminal in which it runs; `None` for pipes.
    pub terminal: Option<Terminal>,
    /// The assertions, always including one on the exit code.
    pub assertions: Vec<Assertion>,
}

/// A value that later steps use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capture {
    /// Its name.
    pub name: String,
    /// Its location in the suite.
    pub span: Span,
    /// Where the value is found.
    pub source: CaptureSource,
    /// Whether the value is redacted.
    pub is_secret: bool,
}

/// Where a captured value is found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CaptureSource {
    /// The value at a JSON Pointer into standard output.
    Json(String),
    /// The first group of a POSIX ERE, or its whole match if it has no groups.
    Matches(Stream, String),
    /// A line, counted from 1; negative numbers count from the end.
    Line(Stream, i32),
    /// The content of a file, relative to the working directory.
    File(String),
    /// A whole stream.
    Stream(Stream),
    /// The exit code.
    ExitCode,
}

/// How a step is repeated until its assertions pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Eventually {
    /// The time after which the last attempt counts.
    pub within: Duration,
    /// The pause between attempts.
    pub every: Duration,
}

impl Step {
    /// Whether its command is repeated or runs in a terminal, so that it cannot run in the shell of the hooks.
    pub fn needs_step_runner(&self) -> bool {
        self.eventually.is_some() || self.terminal.is_some()
    }

    /// Whether standard output and standard error are captured separately: if any assertion or captured value is about one of them.
    /// JSON is read from standard output.
    pub fn keeps_streams_apart(&self) -> bool {
        let mut assertions = self.assertions.iter();
        let mut captures = self.captures.iter();
        assertions.any(|assertion| assertion.check.separates_streams())
            || captures.any(|capture| capture.source.separates_streams())
    }
}

impl Step {
    /// The step with the values that are known at run time. A value that is missing is empty.
    #[must_use]
    pub fn with_values<'v>(&self, value: impl Fn(&str) -> Option<&'v str>) -> Step {
        self.map_texts(|text| substitute(text, &value).into_owned())
    }

    /// The step with its texts changed.
    pub(crate) fn map_texts(&self, text: impl Fn(&str) -> String) -> Step {
        let text = |old: &str| text(old);
        let env = self.env.iter();
        Step {
            name: self.name.as_deref().map(text),
            command: self.command.map_text(text),
            stdin: self.stdin.as_deref().map(text),
            env: env
                .map(|(name, value)| (name.clone(), text(value)))
                .collect(),
            workdir: self.workdir.as_ref().map(|workdir| workdir.map_path(text)),
            terminal: self
                .terminal
                .as_ref()
                .map(|terminal| terminal.map_texts(&text)),
            captures: self
                .captures
                .iter()
                .map(|capture| Capture {
                    source: capture.source.map_texts(&text),
                    ..capture.clone()
                })
                .collect(),
            assertions: self
                .assertions
                .iter()
                .map(|assertion| Assertion {
                    check: assertion.check.map_texts(&text),
                    ..assertion.clone()
                })
                .collect(),
            ..self.clone()
        }
    }
}

impl CaptureSource {
    fn map_texts(&self, change: &impl Fn(&str) -> String) -> CaptureSource {
        match self {
            CaptureSource::Json(pointer) => CaptureSource::Json(change(pointer)),
            CaptureSource::Matches(stream, pattern) => {
                CaptureSource::Matches(*stream, change(pattern))
            }
            CaptureSource::File(path) => CaptureSource::File(change(path)),
            CaptureSource::Line(..) | CaptureSource::Stream(_) | CaptureSource::ExitCode => {
                self.clone()
            }
        }
    }

    /// The pointer, pattern or path.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            CaptureSource::Json(text)
            | CaptureSource::Matches(_, text)
            | CaptureSource::File(text) => Some(text),
            CaptureSource::Line(..) | CaptureSource::Stream(_) | CaptureSource::ExitCode => None,
        }
    }

    /// Whether it requires standard output and standard error to be captured separately.
    pub(crate) fn separates_streams(&self) -> bool {
        match self {
            CaptureSource::Json(_) => true,
            CaptureSource::Matches(stream, _)
            | CaptureSource::Line(stream, _)
            | CaptureSource::Stream(stream) => stream.is_separate(),
            CaptureSource::File(_) | CaptureSource::ExitCode => false,
        }
    }
}
