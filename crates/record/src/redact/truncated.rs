//! Redacts secrets that were truncated before they were known: at the end of a quotation or within an excerpt.

use std::ops::Range;

use super::{MIN_SECRET_CHARS, REDACTED};

/// Marks where a text was truncated.
pub(super) const MARK: char = '…';

/// The characters around the marks of excerpts: `[… 9 bytes left out …]` on a separate line.
const BEFORE: &str = "\n[";
const AFTER: &str = "]\n";

/// Redacts the beginning of a secret before a mark and the end of one after it. Each search is limited to the text
/// between two marks, so the number of marks does not affect the total time.
pub(super) fn redact_truncated(text: &mut String, secrets: &[String]) {
    let mut from = 0;
    while let Some(found) = text[from..].find(MARK) {
        let mark = redact_before(text, from..from + found, secrets);
        from = mark + MARK.len_utf8();
        redact_after(text, from, secrets);
    }
}

/// Redacts at the end of `part`; returns the new index of the mark that follows it.
fn redact_before(text: &mut String, part: Range<usize>, secrets: &[String]) -> usize {
    let before = &text[part.clone()];
    let before = before.strip_suffix(BEFORE).unwrap_or(before);
    let parts = secrets
        .iter()
        .flat_map(|secret| beginnings(secret).take_while(|part| part.len() <= before.len()));
    let Some(length) = parts
        .filter(|part| before.ends_with(part))
        .map(str::len)
        .max()
    else {
        return part.end;
    };
    let end = part.start + before.len();
    text.replace_range(end - length..end, REDACTED);
    part.end - length + REDACTED.len()
}

fn redact_after(text: &mut String, at: usize, secrets: &[String]) {
    let after = &text[at..];
    let after = &after[..after.find(MARK).unwrap_or(after.len())];
    let (start, after) = match after.strip_prefix(AFTER) {
        Some(after) => (at + AFTER.len(), after),
        None => (at, after),
    };
    let parts = secrets
        .iter()
        .flat_map(|secret| endings(secret).take_while(|part| part.len() <= after.len()));
    let length = parts
        .filter(|part| after.starts_with(part))
        .map(str::len)
        .max();
    if let Some(length) = length {
        text.replace_range(start..start + length, REDACTED);
    }
}

/// The beginnings of the secret that are long enough to reveal it, shortest first.
fn beginnings(secret: &str) -> impl Iterator<Item = &str> {
    let ends = secret.char_indices().skip(MIN_SECRET_CHARS);
    ends.map(|(end, _)| &secret[..end])
}

/// The endings of the secret that are long enough to reveal it, shortest first.
fn endings(secret: &str) -> impl Iterator<Item = &str> {
    let starts = secret.char_indices().rev().skip(MIN_SECRET_CHARS - 1);
    starts.map(|(start, _)| &secret[start..])
}
