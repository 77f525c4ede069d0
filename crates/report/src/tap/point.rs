//! One test point: its line, YAML block and comments.

use std::io;

use casebook_record::event::{ExampleFailed, ExamplePassed, ExamplePending};
use casebook_record::{Metadata, Repetitions, Screen};
use serde_json::Value;

use super::{trace, yaml};
use crate::examples::{expected_failure, millis, split_location};
use crate::failures::{self, FailedEnd, Failure};
use crate::flag;
use crate::terminal::repetitions_line;
use crate::terminal::text::{elide, one_line, tail};

/// Lines of output shown. The last lines usually contain the error.
const OUTPUT_LINES: usize = 20;

/// The result of one test.
pub(super) struct PointResult {
    verdict: PointStatus,
    millis: Option<i64>,
    comments: Vec<String>,
}

enum PointStatus {
    Passed,
    Skipped(String),
    /// Failed as expected, with the reason.
    ExpectedFailure(String),
    /// Failed, with the fields of its YAML block.
    Failed(Vec<(&'static str, Value)>),
}

impl PointResult {
    pub(super) fn passed(event: &ExamplePassed, earlier: usize, trace: bool) -> PointResult {
        let mut comments = Vec::new();
        if let Some(repetitions) = Repetitions::of(&event.metadata) {
            comments.push(repetitions_line(repetitions));
        } else if earlier > 0 {
            comments.push(format!("flaky: passed on attempt {}", earlier + 1));
        } else if flag(&event.metadata, "command.flaky") {
            comments.push("flaky: passed only on a retry".into());
        }
        comments.extend(leaky(&event.metadata));
        if trace {
            comments.extend(trace::lines(&event.metadata));
        }
        PointResult {
            verdict: PointStatus::Passed,
            millis: Some(millis(event.duration)),
            comments,
        }
    }

    /// A failed test with its failed checks and its locks.
    pub(super) fn failed(
        event: &ExampleFailed,
        checks: Vec<Failure<'_>>,
        locks: Option<String>,
        trace: bool,
    ) -> PointResult {
        let mut comments: Vec<_> = leaky(&event.metadata).into_iter().collect();
        comments.extend(Repetitions::of(&event.metadata).map(repetitions_line));
        if trace {
            comments.extend(trace::lines(&event.metadata));
        }
        PointResult {
            verdict: PointStatus::Failed(fields(event, checks, locks)),
            millis: Some(millis(event.duration)),
            comments,
        }
    }

    pub(super) fn skipped(event: &ExamplePending) -> PointResult {
        PointResult {
            verdict: match expected_failure(&event.metadata) {
                Some(reason) => PointStatus::ExpectedFailure(reason.to_owned()),
                None => PointStatus::Skipped(event.message.clone().unwrap_or_default()),
            },
            millis: None,
            comments: Vec::new(),
        }
    }

    pub(super) fn write(
        &self,
        out: &mut impl io::Write,
        number: u64,
        name: &str,
        timing: bool,
    ) -> io::Result<()> {
        let verdict = match self.verdict {
            PointStatus::Failed(_) | PointStatus::ExpectedFailure(_) => "not ok",
            PointStatus::Passed | PointStatus::Skipped(_) => "ok",
        };
        write!(out, "{verdict} {number} {}", description(name))?;
        if let Some(millis) = self.millis.filter(|_| timing) {
            write!(out, " in {millis}ms")?;
        }
        let directive = match &self.verdict {
            PointStatus::Skipped(reason) => Some(("skip", reason)),
            PointStatus::ExpectedFailure(reason) => Some(("TODO", reason)),
            PointStatus::Passed | PointStatus::Failed(_) => None,
        };
        if let Some((word, reason)) = directive {
            let directive = format!(" # {word} {}", one_line(&elide(reason)));
            write!(out, "{}", directive.trim_end())?;
        }
        writeln!(out)?;
        if let PointStatus::Failed(fields) = &self.verdict {
            yaml::write_block(out, fields)?;
        }
        self.comments
            .iter()
            .try_for_each(|comment| write_comment(out, comment))
    }
}

pub(super) fn write_comment(out: &mut impl io::Write, comment: &str) -> io::Result<()> {
    writeln!(out, "# {}", one_line(comment))
}

fn leaky(metadata: &Metadata) -> Option<String> {
    flag(metadata, "command.leaky")
        .then(|| "leaky: left processes running, which were killed".into())
}

fn fields(
    event: &ExampleFailed,
    checks: Vec<Failure<'_>>,
    locks: Option<String>,
) -> Vec<(&'static str, Value)> {
    let (file, line) = split_location(&event.location);
    let command = |field: &str| event.metadata.dig(&format!("command.{field}")).cloned();
    let message = event.message.as_deref().unwrap_or_default();
    let mut fields = vec![
        ("message", Some(elide(message.trim_end()).into())),
        ("type", event.exception_class.as_deref().map(Value::from)),
        ("phase", command("phase")),
        (
            "file",
            Some(file).filter(|file| !file.is_empty()).map(Value::from),
        ),
        ("line", line.map(Value::from)),
        ("failures", all_failures(event, checks)),
        ("duration_ms", Some(millis(event.duration).into())),
        ("command", command("command")),
        ("exit_code", command("exit_code")),
        ("signal", command("signal")),
        ("timed_out", command("timed_out")),
        ("locks", locks.map(Value::from)),
        ("temp_dir", event.metadata.get("temp_dir").cloned()),
    ];
    let screen = command(Screen::KEY).and_then(|screen| Screen::of_value(&screen));
    fields.push((Screen::KEY, screen.map(|screen| screen.text().into())));
    fields.extend(["output", "stdout", "stderr"].map(|stream| {
        let lines = command(&format!("{stream}_lines")).and_then(|lines| lines.as_u64());
        let shown = command(stream).map(|output| end_of(output, lines));
        (stream, shown)
    }));
    let hook_output = event.metadata.dig("hook.output").cloned();
    fields.push((
        "hook_output",
        hook_output.map(|output| end_of(output, None)),
    ));
    let services = event.metadata.get("services").and_then(Value::as_array);
    let services = services.into_iter().flatten().filter_map(|service| {
        let output = end_of(service.get("output")?.clone(), None);
        Some((service.get("name")?.as_str()?.to_owned(), output))
    });
    let services: serde_json::Map<_, _> = services.collect();
    fields.push((
        "services",
        (!services.is_empty()).then(|| Value::Object(services)),
    ));
    fields
        .into_iter()
        .filter_map(|(name, value)| Some((name, value.filter(|value| !is_empty(value))?)))
        .collect()
}

fn is_empty(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(str::is_empty)
}

/// Every failure with the expected and the actual value; `None` if there is only an exception, which is shown above.
fn all_failures(event: &ExampleFailed, checks: Vec<Failure<'_>>) -> Option<Value> {
    if checks.is_empty() {
        return None;
    }
    let end = FailedEnd {
        class: event.exception_class.as_deref(),
        message: event.message.as_deref(),
        location: &event.location,
        metadata: &event.metadata,
    };
    let failures = failures::complete(checks, &end);
    let failures = failures
        .iter()
        .filter_map(|one| serde_json::to_value(one).ok());
    Some(failures.map(shortened).collect())
}

/// The fields that are not null, with long texts shortened.
fn shortened(failure: Value) -> Value {
    let Value::Object(fields) = failure else {
        return failure;
    };
    let fields = fields.into_iter().filter(|(_, value)| !value.is_null());
    let fields = fields.map(|(name, value)| match value {
        Value::String(text) => (name, elide(&text).into()),
        value => (name, value),
    });
    Value::Object(fields.collect())
}

/// The last lines of the output; `total` is the number of its lines if it is an excerpt.
fn end_of(output: Value, total: Option<u64>) -> Value {
    let Value::String(text) = output else {
        return output;
    };
    let (lines, hidden) = tail(&text, OUTPUT_LINES);
    let hidden = total.map_or(hidden as u64, |total| {
        total - (total.min(lines.len() as u64))
    });
    let shown = lines.join("\n");
    let shown = elide(&shown);
    match hidden {
        0 => shown.into(),
        hidden => format!("… {hidden} earlier lines …\n{shown}").into(),
    }
}

/// The name as a TAP description: on one line, with special characters escaped.
fn description(name: &str) -> String {
    let name = one_line(name).replace('\\', "\\\\").replace('#', "\\#");
    // TAP readers strip one leading dash, so another one is added before it.
    let dash = if name.starts_with('-') { "- " } else { "" };
    format!("{dash}{name}")
}

#[cfg(test)]
mod tests {
    #[test]
    fn special_characters_of_names_are_escaped() {
        for (name, description) in [
            ("plain", "plain"),
            ("a # SKIP b", "a \\# SKIP b"),
            ("back\\slash", "back\\\\slash"),
            ("two\nlines", "two lines"),
            ("- dash", "- - dash"),
            ("\u{1b}[31mred", "␛[31mred"),
        ] {
            assert_eq!(super::description(name), description, "{name:?}");
        }
    }
}
