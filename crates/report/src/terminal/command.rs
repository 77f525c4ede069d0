//! The command of a command test: what was run, how it ended, what it wrote.

use std::io;

use casebook_record::Metadata;
use serde_json::Value;

use super::page::Page;
use super::style::{BOLD, DIM, PLAIN};
use super::value::{flag, text_at};

/// The end of the output is where programs say what went wrong.
const OUTPUT_LINES: usize = 20;

/// Where the streams stand in an example's metadata, and what they are called.
const STREAMS: [(&str, &str); 3] = [
    ("command.output", "output"),
    ("command.stdout", "stdout"),
    ("command.stderr", "stderr"),
];

/// Whether these are the metadata of a command test.
pub(super) fn is_recorded(metadata: &Metadata) -> bool {
    metadata.dig("command").is_some_and(Value::is_object)
}

/// What the command wrote, by stream: its name and its text.
pub(super) fn streams(metadata: &Metadata) -> Vec<(&'static str, String)> {
    STREAMS
        .into_iter()
        .filter_map(|(path, name)| Some((name, text_at(metadata, path)?)))
        .filter(|(_, text)| !text.is_empty())
        .collect()
}

/// Shows the command line, how it ended and the end of each stream.
pub(super) fn show(page: &mut Page, indent: usize, metadata: &Metadata) -> io::Result<()> {
    if let Some(command) = text_at(metadata, "command.command") {
        let command = command.trim_end();
        page.paragraph(indent, 2, &[(DIM, "$ "), (BOLD, command)])?;
    }
    let ending = ending(metadata).join(", ");
    if !ending.is_empty() {
        page.paragraph(indent + 2, 0, &[(PLAIN, &ending)])?;
    }
    for (name, text) in streams(metadata) {
        page.quote_end(indent + 2, name, &text, OUTPUT_LINES)?;
    }
    Ok(())
}

fn ending(metadata: &Metadata) -> Vec<String> {
    let text = |field| text_at(metadata, field);
    [
        text("command.phase").map(|phase| format!("during {phase}")),
        flag(metadata, "command.timed_out").then(|| "timed out".into()),
        text("command.signal").map(|signal| format!("ended by signal {signal}")),
        text("command.exit_code").map(|code| format!("exit code {code}")),
        flag(metadata, "command.truncated").then(|| "output truncated".into()),
        flag(metadata, "command.leaky").then(|| "left processes running".into()),
    ]
    .into_iter()
    .flatten()
    .collect()
}
