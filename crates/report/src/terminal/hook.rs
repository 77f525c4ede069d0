//! The failed hook of a test.

use std::io;

use casebook_record::Metadata;
use serde_json::Value;

use super::excerpt::Excerpt;
use super::output::{self, Output};
use super::page::Page;
use super::style::PLAIN;

/// Lines of the script to show.
const SOURCE_LINES: usize = 6;

/// Whether the metadata describe a failed hook.
pub(super) fn is_recorded(metadata: &Metadata) -> bool {
    metadata.get("hook").is_some_and(Value::is_object)
}

/// Shows the hook's location and source, how it exited unless that is already shown, and its output.
pub(super) fn show(
    page: &mut Page,
    indent: usize,
    metadata: &Metadata,
    ending_shown: bool,
) -> io::Result<()> {
    let Some(hook) = metadata.get("hook") else {
        return Ok(());
    };
    Excerpt::of(|field| hook.get(field)).show(page, indent, SOURCE_LINES)?;
    let name = hook.get("name").and_then(Value::as_str).unwrap_or("hook");
    let ending = output::ending(hook);
    if !ending.is_empty() && !ending_shown {
        let ending = format!("`{name}`: {}", ending.join(", "));
        page.paragraph(indent, 2, &[(PLAIN, &ending)])?;
    }
    match hook.get("output").and_then(Value::as_str) {
        Some(text) if !text.is_empty() => Output {
            name: "output",
            text,
            lines: None,
        }
        .show(page, indent),
        _ => Ok(()),
    }
}
