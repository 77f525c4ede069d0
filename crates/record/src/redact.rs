//! Redaction of secrets: environment values that must not reach a file or a screen.
//!
//! [`SecretNames`] selects the secrets, [`forms`] lists the texts to search for, [`decoded`] finds those that are written
//! with escapes, and [`truncated`] finds parts of them.

mod data;
mod declared;
mod decoded;
mod forms;
mod known;
mod lines;
mod names;
mod truncated;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use aho_corasick::{AhoCorasick, AhoCorasickKind, Input, MatchKind};

pub use data::Redact;
pub use declared::{DeclaredSecret, TooShort};
pub use known::KnownSecrets;
pub use lines::RedactedLines;
pub use names::{InvalidPattern, SecretNames};
use truncated::Parts;

/// The replacement for a secret.
pub const REDACTED: &str = "[redacted]";

/// Shorter values are not redacted: they occur in too many texts that are not secret.
const MIN_SECRET_CHARS: usize = 6;

/// The minimum for a secret that a suite declares: the length of a PIN. Shorter ones are parts of times, sizes and statuses.
const MIN_DECLARED_CHARS: usize = 4;

/// The name of a variable whose value is a [declared](DeclaredSecret) secret. No environment has a variable with this name.
const DECLARED_VARIABLE: &str = "SECRET=";

/// How many encodings around each other are decoded, such as JSON within JSON.
const MAX_ENCODINGS: usize = 2;

/// Above this total length, the faster kind of automaton takes too long to build.
const MAX_FAST_BYTES: usize = 8 * 1024;

/// Replaces secrets in text, events and run data: verbatim, in base64, percent-encoded, with escapes, and each line of a
/// secret with several lines. Clones share their data.
///
/// ```
/// use casebook_record::Redactor;
///
/// let environment = [("API_TOKEN", "s3cr3t-value"), ("HOME", "/home/me")];
/// let redactor = Redactor::new([], environment)?;
/// assert_eq!(redactor.text("Bearer s3cr3t-value from /home/me"), "Bearer [redacted] from /home/me");
/// # Ok::<(), casebook_record::InvalidPattern>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Redactor(Option<Arc<Secrets>>);

#[derive(Debug)]
struct Secrets {
    automaton: AhoCorasick,
    /// To find parts of secrets where a text was truncated within one.
    parts: Parts,
    /// The forms that have several lines.
    multiline: Vec<String>,
}

impl Redactor {
    /// Redacts the secrets among these environment variables, see [`SecretNames`].
    pub fn new<'a>(
        patterns: impl IntoIterator<Item = &'a str>,
        environment: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Redactor, InvalidPattern> {
        let names = SecretNames::new(patterns)?;
        let environment = environment.into_iter();
        let forms = environment.flat_map(|(name, value)| {
            let secrets = names.secrets([(name, value)]);
            let forms: Vec<_> = secrets.flat_map(|secret| forms::forms(&secret)).collect();
            forms.into_iter().chain(declared::form(name, value))
        });
        Ok(Redactor::of_forms(forms.collect()))
    }

    /// Redacts these values, except those shorter than 6 characters.
    pub fn of<'a>(secrets: impl IntoIterator<Item = &'a str>) -> Redactor {
        Redactor::of_forms(secrets.into_iter().flat_map(forms::forms).collect())
    }

    fn of_forms(mut forms: Vec<String>) -> Redactor {
        forms.sort_unstable();
        forms.dedup();
        if forms.is_empty() {
            return Redactor::default();
        }
        let length: usize = forms.iter().map(String::len).sum();
        let kind = (length > MAX_FAST_BYTES).then_some(AhoCorasickKind::ContiguousNFA);
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .kind(kind)
            .build(&forms)
            .expect("an environment is far smaller than the automaton's limit");
        let multiline = forms.iter().filter(|form| form.contains('\n')).cloned();
        Redactor(Some(Arc::new(Secrets {
            automaton,
            multiline: multiline.collect(),
            parts: Parts::new(forms),
        })))
    }

    /// Whether there are no secrets to redact.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Returns the text with its secrets replaced.
    pub fn text(&self, text: &str) -> String {
        let mut text = text.to_owned();
        self.redact_in_place(&mut text);
        text
    }

    /// Returns the bytes with their secrets replaced.
    pub fn bytes<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        self.redacted(text).map_or(Cow::Borrowed(text), Cow::Owned)
    }

    /// Redacts a stream line by line.
    pub fn lines(&self) -> RedactedLines {
        RedactedLines::new(self.clone())
    }

    /// Replaces the secrets in all text values of an event or of run data.
    pub fn apply(&self, data: &mut impl Redact) {
        if !self.is_empty() {
            data.redact(self);
        }
    }

    /// Whether JSON text certainly contains no secret. With escapes this requires parsing, so the result is false.
    fn is_free_of_secrets(&self, json: &str) -> bool {
        self.0
            .as_ref()
            .is_none_or(|secrets| !json.contains('\\') && secrets.find(json.as_bytes()).is_empty())
    }

    fn redact_in_place(&self, text: &mut String) {
        if let Some(redacted) = self.redacted(text.as_bytes()) {
            *text = String::from_utf8(redacted).expect("secrets end at character boundaries");
        }
    }

    /// `None` if there is nothing to redact.
    fn redacted(&self, text: &[u8]) -> Option<Vec<u8>> {
        let found = self.0.as_ref()?.find(text);
        if found.is_empty() {
            return None;
        }
        let mut redacted = Vec::with_capacity(text.len());
        let mut from = 0;
        for range in found {
            redacted.extend_from_slice(&text[from..range.start]);
            redacted.extend_from_slice(REDACTED.as_bytes());
            from = range.end;
        }
        redacted.extend_from_slice(&text[from..]);
        Some(redacted)
    }

    /// The redacted name of an entry; `None` if it needs no change. Names in lower case are fields of records and
    /// never change, so that a record stays readable whatever the secrets are.
    fn redacted_key(&self, key: &str) -> Option<String> {
        let is_field = key
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        let redacted = (!is_field).then(|| self.text(key))?;
        (redacted != key).then_some(redacted)
    }
}

impl Secrets {
    /// Where the secrets are: in order, without overlaps, at character boundaries.
    fn find(&self, text: &[u8]) -> Vec<Range<usize>> {
        let mut found = self.search(text, MAX_ENCODINGS);
        found.sort_unstable_by_key(|range| range.start);
        let mut merged: Vec<Range<usize>> = Vec::with_capacity(found.len());
        for range in found.into_iter().filter(|range| !range.is_empty()) {
            let range = at_character_boundaries(text, range);
            match merged.last_mut() {
                Some(last) if range.start < last.end => last.end = last.end.max(range.end),
                _ => merged.push(range),
            }
        }
        merged
    }

    /// Searches the text as it is, and with its escapes decoded.
    fn search(&self, text: &[u8], encodings: usize) -> Vec<Range<usize>> {
        let mut found = self.matches(text);
        self.parts.find(text, &mut found);
        let Some(encodings) = encodings.checked_sub(1) else {
            return found;
        };
        for decode in [decoded::percent_encoding, decoded::backslashes] {
            if let Some(decoded) = decode(text) {
                let inside = self.search(&decoded.bytes, encodings);
                found.extend(inside.into_iter().map(|range| decoded.source(range)));
            }
        }
        found
    }

    /// All matches, including those that begin within another one. A short secret is redacted only as a whole word.
    fn matches(&self, text: &[u8]) -> Vec<Range<usize>> {
        let next = |from: usize| self.automaton.find(Input::new(text).range(from..));
        std::iter::successors(next(0), |found| next(found.start() + 1))
            .map(|found| found.range())
            .filter(|found| !declared::is_short(&text[found.clone()]) || is_word(text, found))
            .collect()
    }
}

/// Whether no letter or digit is next to this part of a text.
fn is_word(text: &[u8], range: &Range<usize>) -> bool {
    let before = text[..range.start].last();
    let after = text[range.end..].first();
    let is_alphanumeric = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    !is_alphanumeric(before) && !is_alphanumeric(after)
}

/// Extends a range to whole characters.
fn at_character_boundaries(text: &[u8], range: Range<usize>) -> Range<usize> {
    let continues = |index: usize| text.get(index).is_some_and(|byte| byte & 0xC0 == 0x80);
    let Range { mut start, mut end } = range;
    while continues(start) && start > 0 {
        start -= 1;
    }
    while continues(end) {
        end += 1;
    }
    start..end
}

#[cfg(test)]
mod tests;
