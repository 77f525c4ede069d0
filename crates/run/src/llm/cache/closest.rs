//! Explains why no recording fits a request: finds the closest recording and lists the differences.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::VERSION;
use crate::assertions::shortened;

/// What is compared: the name in messages, and the JSON Pointer into a recording.
const PARTS: [(&str, &str); 11] = [
    ("provider", "/about/provider"),
    ("url", "/about/url"),
    ("model", "/about/model"),
    ("trial", "/about/trial"),
    ("attempt", "/about/attempt"),
    ("call", "/about/call"),
    ("temperature", "/question/temperature"),
    ("maximum tokens", "/question/max_tokens"),
    ("schema", "/question/schema"),
    ("system prompt", "/question/system"),
    ("messages", "/question/messages"),
];

/// Characters shown before the first difference of two long values.
const CONTEXT_CHARS: usize = 20;

/// Describes the recording that is closest to the missing one, and the recordings that are no longer read.
pub(super) fn explain(dir: &Path, missing: &Value) -> String {
    let recordings = Recordings::read(dir);
    let role = missing.pointer("/about/role");
    let same_role = recordings.current.iter();
    let same_role = same_role.filter(|(_, recording)| recording.pointer("/about/role") == role);
    let closest = same_role.min_by_key(|(_, recording)| distance(recording, missing));
    let mut text = match closest {
        Some((name, recording)) => describe(name, recording, missing),
        None => format!("\n{} has no recording for this role", dir.display()),
    };
    if let Some(note) = recordings.old_note(dir) {
        text.push('\n');
        text.push_str(&note);
    }
    text
}

/// The recordings of a directory.
pub(super) struct Recordings {
    /// File names and contents.
    current: Vec<(String, Value)>,
    /// How many were written by an earlier version.
    old: usize,
}

impl Recordings {
    pub(super) fn read(dir: &Path) -> Recordings {
        let entries = fs::read_dir(dir).into_iter().flatten().flatten();
        let mut current = Vec::new();
        let mut old = 0;
        for entry in entries {
            let text = fs::read(entry.path()).unwrap_or_default();
            let Ok(recording) = serde_json::from_slice::<Value>(&text) else {
                continue;
            };
            match recording["version"].as_u64() {
                Some(version) if version == u64::from(VERSION) => {
                    let name = entry.file_name().to_string_lossy().into_owned();
                    current.push((name, recording));
                }
                Some(_) => old += 1,
                None => {}
            }
        }
        current.sort_by(|(one, _), (other, _)| one.cmp(other));
        Recordings { current, old }
    }

    /// What to do about recordings of an earlier version.
    pub(super) fn old_note(&self, dir: &Path) -> Option<String> {
        let (files, are, them) = match self.old {
            0 => return None,
            1 => ("1 file".to_owned(), "is", "it"),
            old => (format!("{old} files"), "are", "them"),
        };
        Some(format!(
            "{files} in {} {are} from an earlier version of Casebook and {are} not used, because its requests were different; \
             record the responses again, then delete {them}",
            dir.display()
        ))
    }
}

fn describe(name: &str, recording: &Value, missing: &Value) -> String {
    let about = |field: &str| recording["about"][field].as_str().unwrap_or_default();
    let mut text = format!(
        "\nthe closest recording is {name}: {} of {}; it differs in:",
        about("for"),
        about("test")
    );
    for (part, pointer) in PARTS {
        let [recorded, now] = [recording, missing].map(|call| part_text(call, pointer));
        if recorded != now {
            let (recorded, now) = excerpts(&recorded, &now);
            text.extend(["\n  ", part, ": recorded ", &recorded, ", now ", &now]);
        }
    }
    text
}

/// The number of characters that differ between the first and the last difference of each part.
fn distance(recording: &Value, missing: &Value) -> usize {
    let parts = PARTS.iter().map(|(_, pointer)| {
        let [one, other] = [recording, missing].map(|call| part_text(call, pointer));
        let prefix = common(one.bytes(), other.bytes());
        let (one, other) = (&one.as_bytes()[prefix..], &other.as_bytes()[prefix..]);
        let suffix = common(one.iter().rev(), other.iter().rev());
        one.len().max(other.len()) - suffix
    });
    parts.sum()
}

fn part_text(call: &Value, pointer: &str) -> String {
    call.pointer(pointer)
        .map_or_else(String::new, Value::to_string)
}

fn common<T: PartialEq>(one: impl Iterator<Item = T>, other: impl Iterator<Item = T>) -> usize {
    one.zip(other)
        .take_while(|(one, other)| one == other)
        .count()
}

/// Both texts from shortly before their first difference.
fn excerpts(one: &str, other: &str) -> (String, String) {
    let start = common(one.chars(), other.chars()).saturating_sub(CONTEXT_CHARS);
    let from = |text: &str| {
        let rest: String = text.chars().skip(start).collect();
        let mark = if start == 0 { "" } else { "…" };
        format!("{mark}{}", shortened(&rest))
    };
    (from(one), from(other))
}
