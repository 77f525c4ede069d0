//! What a program wrote and how it ended.

use std::io;

use serde_json::Value;

use super::page::Page;
use super::style::DIM;
use super::text::thousands;
use super::value;

/// The beginning says what a program is doing, the end what went wrong.
const HEAD: usize = 8;
const TAIL: usize = 16;

/// One stream of a program.
pub(super) struct Output<'o> {
    pub(super) name: &'o str,
    pub(super) text: &'o str,
}

impl Output<'_> {
    /// Whether all of it is shown.
    pub(super) fn is_short(&self) -> bool {
        self.text.lines().count() <= HEAD + TAIL + 1
    }

    /// Shows it behind a bar, without its middle if it is long.
    pub(super) fn show(&self, page: &mut Page, indent: usize) -> io::Result<()> {
        // Not `lines()`, which would hide a carriage return before a line break.
        let lines: Vec<_> = self.text.trim_end_matches('\n').split('\n').collect();
        if self.is_short() {
            page.row(indent, &[(DIM, self.name)])?;
            return page.quote(indent, &lines);
        }
        let hidden = lines.len() - HEAD - TAIL;
        let whole = format!(", {} lines", thousands(lines.len()));
        page.row(indent, &[(DIM, self.name), (DIM, &whole)])?;
        page.quote(indent, &lines[..HEAD])?;
        let left_out = format!("… {} lines …", thousands(hidden));
        page.row(indent, &[(DIM, &left_out)])?;
        page.quote(indent, &lines[lines.len() - TAIL..])
    }

    /// Shows all of it.
    pub(super) fn show_whole(&self, page: &mut Page, indent: usize) -> io::Result<()> {
        page.row(indent, &[(DIM, self.name)])?;
        let lines: Vec<_> = self.text.trim_end_matches('\n').split('\n').collect();
        page.quote(indent, &lines)
    }
}

/// How a command or a hook ended, from its fields.
pub(super) fn ending(fields: &Value) -> Vec<String> {
    let text = |name: &str| {
        let value = fields.get(name).filter(|value| !value.is_null());
        value.map(value::text)
    };
    let says = |name: &str| fields.get(name) == Some(&Value::Bool(true));
    let given = fields.get("timeout").and_then(Value::as_f64);
    let phase = text("phase").filter(|phase| phase != "command");
    [
        phase.map(|phase| format!("during {phase}")),
        says("timed_out").then(|| match given {
            Some(seconds) => format!("timed out after {seconds} s"),
            None => "timed out".into(),
        }),
        text("signal").map(|signal| format!("ended by {signal}")),
        text("exit_code").map(|code| format!("exit code {code}")),
        says("truncated").then(|| "output cut".into()),
        says("nul_dropped").then(|| "NUL bytes dropped from the output".into()),
        says("leaky").then(|| "left processes running".into()),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Where all of an output can be read that is not shown whole.
pub(super) fn full_output_location(
    record: Option<&str>,
    output_file: Option<&str>,
) -> Option<String> {
    match (record, output_file) {
        (Some(record), Some(file)) => Some(format!("{}/{file}", record.trim_end_matches('/'))),
        (Some(record), None) => Some(format!("{}/run.json", record.trim_end_matches('/'))),
        (None, Some(file)) => Some(format!("{file} in the folder of the record")),
        (None, None) => None,
    }
}
