//! Finds the values that a step captures.

use casebook_record::{Comparison, DeclaredSecret};
use casebook_suite::model::{Capture, CaptureSource, Stream};
use serde_json::Value;

use super::{AssertionChecker, AssertionResult, CheckResult, file, json, pattern, shortened};
use crate::captured_values::CapturedValue;

impl AssertionChecker<'_> {
    /// The value of a capture. A value that is not found is a failed assertion.
    pub(crate) fn captured(
        &self,
        capture: &Capture,
    ) -> Result<CapturedValue, Box<AssertionResult>> {
        match self.value(capture) {
            Ok(value) => Ok(CapturedValue {
                name: capture.name.clone(),
                value,
                is_secret: capture.is_secret,
            }),
            Err(problem) => Err(self.not_captured(capture, &problem).into()),
        }
    }

    /// A value that Bats did not find, with the reason if it is not found here either.
    pub(crate) fn not_captured_by_bats(&self, capture: &Capture) -> AssertionResult {
        let reason = "it was not found under Bats".to_owned();
        let problem = self.value(capture).err().unwrap_or(reason);
        self.not_captured(capture, &problem)
    }

    /// The value, unless it is a secret that is too short to be redacted.
    fn value(&self, capture: &Capture) -> Result<String, String> {
        let value = self.find_value(&capture.source)?;
        if capture.is_secret {
            DeclaredSecret::new(&value).map_err(|error| error.to_string())?;
        }
        Ok(value)
    }

    fn find_value(&self, source: &CaptureSource) -> Result<String, String> {
        match source {
            CaptureSource::Json(pointer) => Ok(
                match json::at(json::STDOUT, pointer, self.stream(Stream::Stdout))? {
                    Value::String(text) => text,
                    value => value.to_string(),
                },
            ),
            CaptureSource::Matches(stream, pattern) => self.matched(*stream, pattern),
            CaptureSource::Line(stream, number) => self.line(*stream, *number),
            CaptureSource::File(path) => {
                let content = file::content(&self.dir.join(path), path)?;
                Ok(text(content.text()))
            }
            CaptureSource::Stream(stream) => Ok(text(self.stream(*stream))),
            CaptureSource::ExitCode => Ok(self.ran.exit_code.to_string()),
        }
    }

    /// The first group of the pattern, or its whole match.
    fn matched(&self, stream: Stream, pattern: &str) -> Result<String, String> {
        let found = matched(pattern, self.stream(stream))?;
        let name = self.stream_name(stream);
        found.ok_or_else(|| format!("{name} does not match {}", shortened(pattern)))
    }

    fn line(&self, stream: Stream, number: i32) -> Result<String, String> {
        let lines: Vec<_> = self.stream(stream).split(|byte| *byte == b'\n').collect();
        let from_start = usize::try_from(number).ok().map(|number| number - 1);
        let index = from_start.or_else(|| {
            let from_end = usize::try_from(number.unsigned_abs()).ok()?;
            lines.len().checked_sub(from_end)
        });
        let line = index.and_then(|index| lines.get(index));
        line.map(|line| text(line)).ok_or_else(|| {
            let lines = match lines.as_slice() {
                [[]] => "is empty".to_owned(),
                [_] => "has 1 line".to_owned(),
                lines => format!("has {} lines", lines.len()),
            };
            format!(
                "{} has no line {number}: it {lines}",
                self.stream_name(stream)
            )
        })
    }

    fn not_captured(&self, capture: &Capture, problem: &str) -> AssertionResult {
        let (comparison, stream) = match &capture.source {
            CaptureSource::Json(_) => (Comparison::Json, Some(Stream::Stdout)),
            CaptureSource::Matches(stream, _) => (Comparison::Matches, Some(*stream)),
            CaptureSource::Line(stream, _) | CaptureSource::Stream(stream) => {
                (Comparison::Exists, Some(*stream))
            }
            CaptureSource::File(_) | CaptureSource::ExitCode => (Comparison::Exists, None),
        };
        let result = CheckResult {
            problem: Some(format!("cannot capture `{}`: {problem}", capture.name)),
            ..CheckResult::default()
        };
        AssertionResult {
            field: "capture",
            span: capture.span,
            description: format!("capture {}", capture.name),
            comparison,
            stream: stream.map(|stream| self.recorded(stream)),
            result: match stream {
                Some(stream) => result.with_actual(self.stream(stream), self.budget),
                None => result,
            },
        }
    }
}

/// The first group of the pattern in a text, or its whole match; `None` if it does not match.
pub(crate) fn matched(pattern: &str, bytes: &[u8]) -> Result<Option<String>, String> {
    let found = pattern::find(pattern, bytes).map_err(|error| error.to_string())?;
    Ok(found.map(|groups| {
        let group = groups.get(1).or(groups.first()).cloned().flatten();
        text(&bytes[group.unwrap_or_default()])
    }))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
