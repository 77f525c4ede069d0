//! Splits a pattern into the tokens that the C library sees.

use std::iter;
use std::ops::Range;

/// A token and its byte range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) range: Range<usize>,
}

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A literal character, or `.`.
    Character,
    /// A backslash and this character.
    Escape(char),
    /// A bracket expression; to the end of the pattern if it is not closed.
    Bracket,
    Open,
    Close,
    Or,
    Start,
    End,
    Repeat(Repeat),
}

/// The bounds of a repetition: `*` is 0 or more, `{2,5}` is 2 to 5.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Repeat {
    pub(super) min: u64,
    pub(super) max: Option<u64>,
}

/// The tokens of a pattern, in order; together they cover the complete pattern. Invalid patterns have tokens too: the
/// library rejects them later.
pub(super) fn tokens(pattern: &str) -> impl Iterator<Item = Token> {
    let mut at = 0;
    iter::from_fn(move || {
        let rest = &pattern[at..];
        let (kind, length) = next(rest)?;
        let range = at..at + length;
        at = range.end;
        Some(Token { kind, range })
    })
}

/// The number of groups of a valid pattern.
pub(super) fn groups(pattern: &str) -> usize {
    tokens(pattern)
        .filter(|token| token.kind == Kind::Open)
        .count()
}

fn next(rest: &str) -> Option<(Kind, usize)> {
    let first = rest.chars().next()?;
    let kind = match first {
        '\\' => return Some(escape(rest)),
        '[' => return Some((Kind::Bracket, bracket_length(rest))),
        '{' => return Some(interval(rest).unwrap_or((Kind::Character, 1))),
        '(' => Kind::Open,
        ')' => Kind::Close,
        '|' => Kind::Or,
        '^' => Kind::Start,
        '$' => Kind::End,
        '*' => Kind::Repeat(Repeat { min: 0, max: None }),
        '+' => Kind::Repeat(Repeat { min: 1, max: None }),
        '?' => Kind::Repeat(Repeat {
            min: 0,
            max: Some(1),
        }),
        _ => Kind::Character,
    };
    Some((kind, first.len_utf8()))
}

fn escape(rest: &str) -> (Kind, usize) {
    match rest[1..].chars().next() {
        Some(escaped) => (Kind::Escape(escaped), 1 + escaped.len_utf8()),
        None => (Kind::Character, 1),
    }
}

/// `{2}`, `{2,}`, `{2,5}` and, with the GNU library, `{,5}`.
fn interval(rest: &str) -> Option<(Kind, usize)> {
    let end = rest.find('}')?;
    let inside = &rest[1..end];
    let (min, max) = inside.split_once(',').unwrap_or((inside, inside));
    let min = if inside.starts_with(',') {
        0
    } else {
        number(min)?
    };
    let max = if max.is_empty() {
        None
    } else {
        Some(number(max)?)
    };
    Some((Kind::Repeat(Repeat { min, max }), end + 1))
}

/// A number; one that overflows becomes the maximum, which is above every limit.
fn number(digits: &str) -> Option<u64> {
    let all_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    all_digits.then(|| digits.parse().unwrap_or(u64::MAX))
}

/// The length of a bracket expression; to the end of the pattern if it is not closed.
fn bracket_length(rest: &str) -> usize {
    let mut at = content_start(rest);
    if rest[at..].starts_with(']') {
        at += 1;
    }
    while let Some(character) = rest[at..].chars().next() {
        at += match character {
            ']' => return at + 1,
            _ => named_length(&rest[at..]).unwrap_or(character.len_utf8()),
        };
    }
    rest.len()
}

/// The offset of the first member of a bracket expression.
pub(super) fn content_start(bracket: &str) -> usize {
    if bracket.starts_with("[^") { 2 } else { 1 }
}

/// The length of a `[:class:]`, `[.element.]` or `[=equivalence=]` at the start of `rest`.
pub(super) fn named_length(rest: &str) -> Option<usize> {
    let end = [("[:", ":]"), ("[.", ".]"), ("[=", "=]")]
        .into_iter()
        .find_map(|(open, close)| rest.starts_with(open).then_some(close))?;
    rest[2..].find(end).map(|at| at + 4)
}
