//! Lines of a suite with their line numbers.

use std::io;

use serde_json::Value;

use super::page::Page;
use super::style::{DIM, LOCATION, PLAIN};

/// Lines of the user's file.
pub(super) struct Excerpt<'e> {
    file: &'e str,
    line: Option<u64>,
    source: &'e str,
}

impl<'e> Excerpt<'e> {
    /// Reads the fields `file`, `line` and `source`.
    pub(super) fn of(field: impl Fn(&str) -> Option<&'e Value>) -> Excerpt<'e> {
        let text = |name| field(name).and_then(Value::as_str).unwrap_or_default();
        Excerpt {
            file: text("file"),
            line: field("line").and_then(Value::as_u64),
            source: text("source"),
        }
    }

    /// Shows the location and at most `max` lines.
    pub(super) fn show(&self, page: &mut Page, indent: usize, max: usize) -> io::Result<()> {
        if !self.file.is_empty() {
            let line = self.line.map_or(String::new(), |line| format!(":{line}"));
            page.paragraph(
                indent,
                2,
                &[(DIM, "--> "), (LOCATION, self.file), (LOCATION, &line)],
            )?;
        }
        let lines: Vec<_> = self.source.trim_end().lines().collect();
        let hidden = lines.len().saturating_sub(max);
        // A line about one hidden line takes as much space as that line.
        let shown = if hidden == 1 {
            lines.len()
        } else {
            lines.len() - hidden
        };
        let margin = margin(&lines);
        let last = self.line.unwrap_or(0) + shown.saturating_sub(1) as u64;
        let width = last.to_string().len();
        for (index, line) in lines[..shown].iter().enumerate() {
            let number = match self.line {
                Some(first) => format!("{:>width$} │ ", first + index as u64),
                None => "│ ".to_owned(),
            };
            let line = line.get(margin..).unwrap_or_default();
            page.verbatim(indent, &[(DIM, &number), (PLAIN, line)])?;
        }
        if hidden > 1 {
            let gutter = if self.line.is_some() { width + 1 } else { 0 };
            page.row(indent + gutter, &[(DIM, "…")])?;
        }
        Ok(())
    }
}

/// The number of leading spaces that all lines share.
fn margin(lines: &[&str]) -> usize {
    let spaces = |line: &&str| line.len() - line.trim_start_matches(' ').len();
    let written = lines.iter().filter(|line| !line.trim().is_empty());
    written.map(spaces).min().unwrap_or(0)
}
