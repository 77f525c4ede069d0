//! What people write in patterns that POSIX reads differently.

use std::ops::Range;

use super::bracket;
use super::escape;
use super::syntax::{Kind, Token, tokens};

/// Something in a pattern that does not mean what it seems to mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternFinding {
    /// Which bytes of the pattern.
    pub range: Range<usize>,
    /// How bad it is.
    pub level: Level,
    /// What is wrong with them; and what to do, where there is no replacement.
    pub message: String,
    /// What to put there instead.
    pub replacement: Option<String>,
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// It works here and not everywhere, or it is more than was meant.
    Warning,
    /// It means something else, or nothing.
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

/// Finds Perl's notations and other habits that mean something else in POSIX extended regular expressions, in the
/// order of the pattern. A pattern can have findings and be valid, and the other way round.
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

/// `(?…`, which POSIX has nothing of.
fn group(pattern: &str, open: &Token) -> Option<PatternFinding> {
    let start = open.range.start;
    let rest = pattern[start..].strip_prefix("(?")?;
    let finding =
        |length: usize, message: &str| PatternFinding::error(start..start + 2 + length, message);
    let look =
        "POSIX has no look-ahead or look-behind: write two assertions, one of them a `…NotMatches`";
    let named = "POSIX has no named groups";
    Some(match rest.as_bytes() {
        [b'=' | b'!', ..] => finding(1, look),
        [b'<', b'=' | b'!', ..] => finding(2, look),
        [b':' | b'>' | b'|', ..] => finding(1, "POSIX has plain groups only").instead("("),
        [b'<' | b'\'', ..] => finding(name_length(rest, 1), named).instead("("),
        [b'P', b'<', ..] => finding(name_length(rest, 2), named).instead("("),
        [b'#', ..] => finding(
            1,
            "POSIX has no comments in patterns: write it beside the pattern",
        ),
        _ => finding(
            flags_length(rest),
            "POSIX has no flags in patterns: to ignore case write both letters, as in `[Ee]rror`",
        ),
    })
}

/// How long a name is with what surrounds it; nothing but its beginning where it does not end.
fn name_length(rest: &str, before: usize) -> usize {
    rest[before..]
        .find(['>', '\''])
        .map_or(before, |at| before + at + 1)
}

/// `i)`, `i:`, `i-s)`.
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

/// A repetition of a repetition: Perl's lazy and possessive ones among them.
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
            format!("`{both}` is not lazy in POSIX, it makes `{first}` optional; laziness would not change whether it matches"),
        )
        .instead(first),
        "+" => PatternFinding::error(
            range,
            format!("`{both}` is not possessive in POSIX, it repeats `{first}` once more"),
        )
        .instead(first),
        _ => PatternFinding::warning(
            range,
            format!("POSIX does not say what `{both}` means: put what `{first}` repeats, and it, in parentheses"),
        ),
    })
}
