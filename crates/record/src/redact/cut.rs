//! Secrets that were cut in two before anybody knew of them: at the end of a quotation, in an excerpt.

use super::{MIN_SECRET_CHARS, REDACTED};

/// Stands wherever a text was cut.
pub(super) const MARK: char = '…';

/// What excerpts have around their marks: `[… 9 bytes left out …]` on a line of its own.
const BEFORE: &str = "\n[";
const AFTER: &str = "]\n";

/// Hides the beginning of a secret before a mark, and the end of one after it.
pub(super) fn hide(text: &mut String, secrets: &[String]) {
    let mut at = 0;
    while let Some(found) = text[at..].find(MARK) {
        let mark = at + found;
        at = hide_before(text, mark, secrets) + MARK.len_utf8();
        hide_after(text, at, secrets);
    }
}

/// Where the mark is then.
fn hide_before(text: &mut String, mark: usize, secrets: &[String]) -> usize {
    let before = &text[..mark];
    let before = before.strip_suffix(BEFORE).unwrap_or(before);
    let parts = secrets.iter().flat_map(|secret| beginnings(secret));
    let Some(part) = parts
        .filter(|part| before.ends_with(part))
        .max_by_key(|part| part.len())
    else {
        return mark;
    };
    let (end, length) = (before.len(), part.len());
    text.replace_range(end - length..end, REDACTED);
    mark - length + REDACTED.len()
}

fn hide_after(text: &mut String, at: usize, secrets: &[String]) {
    let after = &text[at..];
    let start = at + after.strip_prefix(AFTER).map_or(0, |_| AFTER.len());
    let parts = secrets.iter().flat_map(|secret| endings(secret));
    let part = parts
        .filter(|part| text[start..].starts_with(part))
        .max_by_key(|part| part.len());
    if let Some(length) = part.map(str::len) {
        text.replace_range(start..start + length, REDACTED);
    }
}

/// Its beginnings that are long enough to tell of it.
fn beginnings(secret: &str) -> impl Iterator<Item = &str> {
    let ends = secret.char_indices().skip(MIN_SECRET_CHARS);
    ends.map(|(end, _)| &secret[..end])
}

fn endings(secret: &str) -> impl Iterator<Item = &str> {
    let starts = secret.char_indices().rev().skip(MIN_SECRET_CHARS - 1);
    starts.map(|(start, _)| &secret[start..])
}
