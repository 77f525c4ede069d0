//! Finds notation that has a different meaning in POSIX.

use std::ops::Range;

use super::bracket;
use super::escape;
use super::syntax::{Kind, Token, tokens};

/// Notation in a pattern that has a different meaning in POSIX than in Perl.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternFinding {
    /// Its bytes in the pattern.
    pub range: Range<usize>,
    /// Error or warning.
    pub level: Level,
    /// The problem and, without a replacement, what to do.
    pub message: String,
    /// The text to write instead.
    pub replacement: Option<String>,
}

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Is not portable, or matches more than intended.
    Warning,
    /// Has another meaning, or none.
    Error,
}

impl PatternFinding {
    pub(super) fn error(range: Range<usize>, message: impl Into<String>) -> PatternFinding {
        PatternFinding {
            range,
            level: Level::Error,
            message: message.into(),
            replacement: None,
        }
    }

    pub(super) fn warning(range: Range<usize>, message: impl Into<String>) -> PatternFinding {
        PatternFinding {
            level: Level::Warning,
            ..PatternFinding::error(range, message)
        }
    }

    pub(super) fn instead(mut self, replacement: impl Into<String>) -> PatternFinding {
        self.replacement = Some(replacement.into());
        self
    }
}

/// Finds notation, mostly Perl's, that has another meaning in POSIX extended regular expressions, in the order of the
/// pattern. A valid pattern can have findings, and an invalid one can have none.
///
/// ```
/// use casebook_suite::ere::{Level, lint};
///
/// let findings = lint(r"^\d+ \w+$");
/// assert_eq!((findings[0].range.clone(), findings[0].level), (1..3, Level::Error));
/// assert_eq!(findings[1].replacement.as_deref(), Some("[[:alnum:]_]"));
/// assert!(lint(r"^[0-9]+ C:\\d$").is_empty());
/// ```
pub fn lint(pattern: &str) -> Vec<PatternFinding> {
    let tokens: Vec<Token> = tokens(pattern).collect();
    let mut findings: Vec<PatternFinding> = Vec::new();
    let mut done = 0;
    for (index, token) in tokens.iter().enumerate() {
        if token.range.start < done {
            continue;
        }
        let found = match token.kind {
            Kind::Escape(character) => escape::lint(pattern, token, character),
            Kind::Bracket => bracket::lint(pattern, &tokens[index..]),
            Kind::Open => group(pattern, token),
            Kind::Repeat(_) => repetition(pattern, &tokens[..=index], done),
            _ => None,
        };
        if let Some(finding) = found {
            done = finding.range.end;
            findings.push(finding);
        }
    }
    findings
}

/// Groups that begin with `(?`, which POSIX does not have.
fn group(pattern: &str, open: &Token) -> Option<PatternFinding> {
    let start = open.range.start;
    let rest = pattern[start..].strip_prefix("(?")?;
    let finding =
        |length: usize, message: &str| PatternFinding::error(start..start + 2 + length, message);
    let no_lookaround =
        "POSIX has no look-ahead or look-behind: write two assertions, one of them a `…NotMatches`";
    let no_names = "POSIX has no named groups";
    Some(match rest.as_bytes() {
        [b'=' | b'!', ..] => finding(1, no_lookaround),
        [b'<', b'=' | b'!', ..] => finding(2, no_lookaround),
        [b':' | b'>' | b'|', ..] => finding(1, "POSIX has plain groups only").instead("("),
        [b'<' | b'\'', ..] => finding(name_length(rest, 1), no_names).instead("("),
        [b'P', b'<', ..] => finding(name_length(rest, 2), no_names).instead("("),
        [b'#', ..] => finding(1, "POSIX has no comments in patterns: write a YAML comment"),
        _ => finding(
            flags_length(rest),
            "POSIX has no flags in patterns: to ignore case write both letters, as in `[Ee]rror`",
        ),
    })
}

/// The length of a group name with its delimiters; only that of the opening one if it is not closed.
fn name_length(rest: &str, before: usize) -> usize {
    rest[before..]
        .find(['>', '\''])
        .map_or(before, |at| before + at + 1)
}

/// The length of flags: `i)`, `i:`, `i-s)`.
fn flags_length(rest: &str) -> usize {
    let letters = rest
        .bytes()
        .take_while(|byte| byte.is_ascii_alphabetic() || b"-^".contains(byte));
    let length = letters.count();
    match rest.as_bytes().get(length) {
        Some(b')' | b':') => length + 1,
        _ => length,
    }
}

/// A repetition of a repetition, which includes Perl's lazy and possessive ones.
fn repetition(pattern: &str, tokens: &[Token], done: usize) -> Option<PatternFinding> {
    let [.., before, token] = tokens else {
        return None;
    };
    if !matches!(before.kind, Kind::Repeat(_)) || before.range.start < done {
        return None;
    }
    let first = &pattern[before.range.clone()];
    let second = &pattern[token.range.clone()];
    let range = before.range.start..token.range.end;
    let both = &pattern[range.clone()];
    Some(match second {
        "?" => PatternFinding::error(
            range,
            format!("POSIX has no lazy repetition such as `{both}`; it would not change whether the pattern matches"),
        )
        .instead(first),
        "+" => PatternFinding::error(
            range,
            format!("POSIX has no possessive repetition such as `{both}`"),
        )
        .instead(first),
        _ => PatternFinding::warning(
            range,
            format!("POSIX does not define `{both}`: put parentheses around the inner repetition"),
        ),
    })
}
