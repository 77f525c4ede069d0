//! Redacts secrets that were truncated before they were known: at the end of a quotation or within an excerpt.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::MIN_SECRET_CHARS;

/// Where a text was truncated: by Casebook, and by RSpec.
static MARKS: LazyLock<AhoCorasick> =
    LazyLock::new(|| AhoCorasick::new(["…", "..."]).expect("two short patterns"));

/// The characters around the marks of excerpts: `[… 9 bytes left out …]` on a separate line.
const BEFORE: &[u8] = b"\n[";
const AFTER: &[u8] = b"]\n";

/// The beginnings and endings of secrets.
#[derive(Debug)]
pub(super) struct Parts {
    secrets: SortedTexts,
    /// The same with their bytes in reverse order, so that an ending is a beginning.
    reversed: SortedTexts,
    longest: usize,
}

impl Parts {
    pub(super) fn new(secrets: Vec<String>) -> Parts {
        let secrets: Vec<_> = secrets.into_iter().map(String::into_bytes).collect();
        Parts {
            longest: secrets.iter().map(Vec::len).max().unwrap_or_default(),
            reversed: SortedTexts::new(secrets.iter().map(|secret| reverse(secret)).collect()),
            secrets: SortedTexts::new(secrets),
        }
    }

    /// Finds the beginning of a secret before a mark and the end of one after it. Each search is limited to the text
    /// between two marks, so the number of marks does not affect the total time.
    pub(super) fn find(&self, text: &[u8], found: &mut Vec<Range<usize>>) {
        let mut from = 0;
        for mark in MARKS.find_iter(text) {
            let part = &text[from..mark.start()];
            if from > 0 {
                found.extend(self.ending_at_start(part, from));
            }
            found.extend(self.beginning_at_end(part, from));
            from = mark.end();
        }
        if from > 0 {
            found.extend(self.ending_at_start(&text[from..], from));
        }
    }

    fn beginning_at_end(&self, part: &[u8], offset: usize) -> Option<Range<usize>> {
        let part = part.strip_suffix(BEFORE).unwrap_or(part);
        let longest = part.len().min(self.longest);
        let length = (MIN_SECRET_CHARS..=longest)
            .rev()
            .find(|length| self.secrets.begins(&part[part.len() - length..]))?;
        let end = offset + part.len();
        Some(end - length..end)
    }

    fn ending_at_start(&self, part: &[u8], offset: usize) -> Option<Range<usize>> {
        let skipped = if part.starts_with(AFTER) {
            AFTER.len()
        } else {
            0
        };
        let part = &part[skipped..];
        let part = reverse(&part[..part.len().min(self.longest)]);
        let length = (MIN_SECRET_CHARS..=part.len())
            .rev()
            .find(|length| self.reversed.begins(&part[part.len() - length..]))?;
        let start = offset + skipped;
        Some(start..start + length)
    }
}

/// Texts in order, so that a beginning is found by binary search.
#[derive(Debug)]
struct SortedTexts {
    texts: Vec<Vec<u8>>,
    /// Whether a text has this first byte: most beginnings need no search.
    has_first: [bool; 256],
}

impl SortedTexts {
    fn new(mut texts: Vec<Vec<u8>>) -> SortedTexts {
        texts.sort_unstable();
        let mut has_first = [false; 256];
        for first in texts.iter().filter_map(|text| text.first()) {
            has_first[usize::from(*first)] = true;
        }
        SortedTexts { texts, has_first }
    }

    /// Whether one of the texts begins with this one.
    fn begins(&self, beginning: &[u8]) -> bool {
        if !beginning
            .first()
            .is_some_and(|first| self.has_first[usize::from(*first)])
        {
            return false;
        }
        let index = self
            .texts
            .partition_point(|text| text.as_slice() < beginning);
        let following = self.texts.get(index);
        following.is_some_and(|text| text.starts_with(beginning))
    }
}

fn reverse(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().rev().copied().collect()
}
