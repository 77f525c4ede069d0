//! The output of a program and how it exited.

use std::io;
use std::time::Duration;

use casebook_record::ExampleLookup;
use serde_json::Value;

use super::duration::{human, time_limit};
use super::page::Page;
use super::style::DIM;
use super::text::{count, thousands};
use super::value;

/// Lines shown of the beginning and of the end, where programs usually report errors.
const HEAD: usize = 8;
const TAIL: usize = 16;

/// One stream of a program.
pub(super) struct Output<'o> {
    pub(super) name: &'o str,
    pub(super) text: &'o str,
    /// The number of lines, if the text is an excerpt with fewer.
    pub(super) lines: Option<usize>,
}

impl Output<'_> {
    /// Whether all lines are shown.
    pub(super) fn is_short(&self) -> bool {
        self.text.lines().count() <= HEAD + TAIL + 1
    }

    /// Shows it after a bar; hides the middle of a long output.
    pub(super) fn show(&self, page: &mut Page, indent: usize) -> io::Result<()> {
        // `lines()` would hide a carriage return before a line break.
        let lines: Vec<_> = self.text.trim_end_matches('\n').split('\n').collect();
        if self.is_short() {
            page.row(indent, &[(DIM, self.name)])?;
            return page.quote(indent, &lines);
        }
        let total = self.lines.unwrap_or(lines.len());
        let hidden = total.saturating_sub(HEAD + TAIL);
        let line_count = format!(", {} lines", thousands(total));
        page.row(indent, &[(DIM, self.name), (DIM, &line_count)])?;
        page.quote(indent, &lines[..HEAD])?;
        let hidden_note = format!("… {} lines …", thousands(hidden));
        page.row(indent, &[(DIM, &hidden_note)])?;
        page.quote(indent, &lines[lines.len() - TAIL..])
    }

    /// Shows all lines.
    pub(super) fn show_all_lines(&self, page: &mut Page, indent: usize) -> io::Result<()> {
        page.row(indent, &[(DIM, self.name)])?;
        let lines: Vec<_> = self.text.trim_end_matches('\n').split('\n').collect();
        page.quote(indent, &lines)
    }
}

/// How a command or hook exited, from its fields.
pub(super) fn ending(fields: &Value) -> Vec<String> {
    let text = |name: &str| {
        let value = fields.get(name).filter(|value| !value.is_null());
        value.map(value::text)
    };
    let is_set = |name: &str| fields.get(name) == Some(&Value::Bool(true));
    let given = fields.get("timeout").and_then(Value::as_f64);
    [
        is_set("timed_out").then(|| match given {
            Some(seconds) => format!("timed out after {}", time_limit(seconds)),
            None => "timed out".into(),
        }),
        text("signal").map(|signal| format!("killed by {signal}")),
        text("exit_code").map(|code| format!("exit code {code}")),
        attempts(fields),
        // The record keeps only parts of a long output; the complete output is in a file, unless it exceeds --max-output.
        is_set("over_limit").then(|| "output truncated".into()),
        is_set("nul_dropped").then(|| "NUL bytes removed from the output".into()),
        is_set("leaky").then(|| "left processes running".into()),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// How often `eventually` ran the command.
fn attempts(fields: &Value) -> Option<String> {
    let attempts = fields.get("attempts")?.as_u64()?;
    let elapsed = Duration::try_from_secs_f64(fields.get("elapsed")?.as_f64()?).ok()?;
    Some(format!(
        "{} in {}",
        count(usize::try_from(attempts).ok()?, "attempt"),
        human(i64::try_from(elapsed.as_millis()).ok()?)
    ))
}

/// The directory of a record as the user can type it. `latest`, which soon names another run, is replaced.
pub(super) fn record_dir(record: Option<&str>, run: &dyn ExampleLookup) -> Option<String> {
    let record = record?;
    let named = record
        .strip_suffix("/latest")
        .and_then(|runs| Some(format!("{runs}/{}", run.dir_name()?)));
    Some(named.unwrap_or_else(|| record.to_owned()))
}

/// The location of the full output, if it is not shown completely.
pub(super) fn full_output_location(
    record: Option<&str>,
    output_file: Option<&str>,
) -> Option<String> {
    match (record, output_file) {
        (Some(record), Some(file)) => Some(format!("{}/{file}", record.trim_end_matches('/'))),
        (Some(record), None) => Some(format!("{}/run.json", record.trim_end_matches('/'))),
        (None, Some(file)) => Some(format!("{file} in the record's directory")),
        (None, None) => None,
    }
}
