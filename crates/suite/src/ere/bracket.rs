//! Lints bracket expressions, in which a backslash is a literal character in POSIX.

use std::ops::Range;

use super::escape::control;
use super::lint::{Level, PatternFinding};
use super::syntax::{Kind, Token, content_start, named_length};

const CLASSES: [&str; 12] = [
    "alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space",
    "upper", "xdigit",
];

/// The finding for the bracket expression that is the first of these tokens.
pub(super) fn lint(pattern: &str, tokens: &[Token]) -> Option<PatternFinding> {
    let (token, after) = tokens.split_first()?;
    let bracket = &pattern[token.range.clone()];
    naked_class(bracket, &token.range)
        .or_else(|| escaped_end(pattern, token, after))
        .or_else(|| escapes(bracket, &token.range))
}

/// `[:digit:]`, which matches one of the characters `:dgit`.
fn naked_class(bracket: &str, range: &Range<usize>) -> Option<PatternFinding> {
    let start = content_start(bracket);
    let content = bracket.get(start..)?.strip_suffix(']')?;
    let name = content.strip_prefix(':')?.split_once(':')?.0;
    if !CLASSES.contains(&name) {
        return None;
    }
    let (class, rest) = content.split_at(name.len() + 2);
    let message = format!(
        "`{bracket}` matches one of the characters `{content}`: a class needs a second pair of brackets"
    );
    let open = &bracket[..start];
    Some(PatternFinding::error(range.clone(), message).instead(format!("{open}[{class}]{rest}]")))
}

/// `[^\]]`: the bracket expression ends after the backslash, and the second `]` is a literal.
fn escaped_end(pattern: &str, token: &Token, after: &[Token]) -> Option<PatternFinding> {
    let bracket = &pattern[token.range.clone()];
    let content = bracket[content_start(bracket)..].strip_suffix(']')?;
    let backslashes = content
        .bytes()
        .rev()
        .take_while(|byte| *byte == b'\\')
        .count();
    let has_literal_bracket = after
        .iter()
        .any(|token| token.kind == Kind::Character && &pattern[token.range.clone()] == "]");
    if backslashes % 2 == 0 || !has_literal_bracket {
        return None;
    }
    let intended = intended_bracket(&pattern[token.range.start..])?;
    let range = token.range.start..token.range.start + intended.len();
    let message = format!(
        "in brackets a backslash is a literal character, so `{bracket}` ends there: put `]` first"
    );
    Some(with_replacement(
        PatternFinding::error(range, message),
        rewrite(intended),
    ))
}

/// The bracket expression as Perl would read it, with escapes.
fn intended_bracket(rest: &str) -> Option<&str> {
    let mut at = content_start(rest);
    loop {
        at += match rest[at..].chars().next()? {
            ']' => return Some(&rest[..=at]),
            '\\' => 1 + rest[at + 1..].chars().next()?.len_utf8(),
            other => named_length(&rest[at..]).unwrap_or(other.len_utf8()),
        };
    }
}

/// Escapes in brackets: `[\d]`, `[\.]`, `[\-x]`.
fn escapes(bracket: &str, range: &Range<usize>) -> Option<PatternFinding> {
    let members = bracket.get(content_start(bracket)..)?.strip_suffix(']')?;
    let worst = members_of(members)
        .filter_map(|member| escape_problem(&member))
        .reduce(worse)?;
    let (level, message) = worst;
    let finding = PatternFinding {
        level,
        ..PatternFinding::error(range.clone(), message)
    };
    Some(with_replacement(finding, rewrite(bracket)))
}

fn with_replacement(finding: PatternFinding, replacement: Option<String>) -> PatternFinding {
    PatternFinding {
        replacement,
        ..finding
    }
}

/// The one with the higher level; the first if they are equal.
fn worse(one: (Level, String), other: (Level, String)) -> (Level, String) {
    if other.0 > one.0 { other } else { one }
}

/// A member of a bracket expression, read with escapes as in Perl.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Member<'a> {
    /// `[:class:]`, `[.element.]` or `[=equivalence=]`.
    Named(&'a str),
    /// A single character.
    Plain(char),
    /// An escaped character, and whether more text follows.
    Escaped(char, bool),
}

fn members_of(content: &str) -> impl Iterator<Item = Member<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = &content[at..];
        let (member, length) = member(rest)?;
        at += length;
        Some(member)
    })
}

fn member(rest: &str) -> Option<(Member<'_>, usize)> {
    if let Some(length) = named_length(rest) {
        return Some((Member::Named(&rest[..length]), length));
    }
    let mut characters = rest.chars();
    let first = characters.next()?;
    match (first, characters.next()) {
        ('\\', Some(escaped)) => {
            let more = characters.next().is_some();
            let length = 1 + escaped.len_utf8();
            Some((Member::Escaped(escaped, more), length))
        }
        _ => Some((Member::Plain(first), first.len_utf8())),
    }
}

fn escape_problem(member: &Member<'_>) -> Option<(Level, String)> {
    let Member::Escaped(character, more) = *member else {
        return None;
    };
    let both = format!(
        "in brackets a backslash is a literal character: `\\{character}` matches a backslash or"
    );
    Some(match character {
        '\\' => return None,
        'n' | 't' | 'r' | 'f' | 'v' | 'a' | 'e' => (
            Level::Error,
            format!("{both} `{character}`; {}", control(character)),
        ),
        '-' if more => (
            Level::Error,
            "in brackets a backslash is a literal character: `\\-` begins a range; put `-` last"
                .to_owned(),
        ),
        _ if character.is_ascii_alphanumeric() => (Level::Error, format!("{both} `{character}`")),
        _ => (Level::Warning, format!("{both} `{character}`")),
    })
}

/// The intended bracket expression in POSIX notation; `None` if there is none.
fn rewrite(bracket: &str) -> Option<String> {
    let (open, content) = bracket.split_at(content_start(bracket));
    let content = content.strip_suffix(']')?;
    if ["\\s\\S", "\\S\\s", "\\d\\D", "\\D\\d", "\\w\\W", "\\W\\w"].contains(&content) {
        return Some(".".to_owned());
    }
    let negated = open == "[^";
    if let Some(class) = content.strip_prefix('\\').and_then(negative_class) {
        let not = if negated { "" } else { "^" };
        return Some(format!("[{not}{class}]"));
    }
    assemble(open, content)
}

fn assemble(open: &str, content: &str) -> Option<String> {
    let (mut first, mut middle, mut last) = ("", String::new(), "");
    let mut caret = "";
    for member in members_of(content) {
        match member {
            Member::Named(name) => middle.push_str(name),
            Member::Escaped(']', _) => first = "]",
            Member::Escaped('-', _) => last = "-",
            Member::Escaped('^', _) => caret = "^",
            Member::Escaped('\\', _) => middle.push('\\'),
            Member::Escaped(letter, _) if letter.is_ascii_alphanumeric() => {
                middle.push_str(positive_class(letter)?);
            }
            Member::Escaped(other, _) | Member::Plain(other) => middle.push(other),
        }
    }
    // Moving an escape breaks a range that ends with it, and a leading `]` before `-` would begin a new range.
    let broken_range = content.contains("-\\") || (!first.is_empty() && middle.starts_with('-'));
    let bare_caret = !caret.is_empty() && open == "[" && first.is_empty() && middle.is_empty();
    if broken_range || bare_caret {
        return None;
    }
    Some(format!("{open}{first}{middle}{caret}{last}]"))
}

fn positive_class(letter: char) -> Option<&'static str> {
    Some(match letter {
        'd' => "0-9",
        'w' => "[:alnum:]_",
        's' => "[:space:]",
        'h' => "[:blank:]",
        _ => return None,
    })
}

fn negative_class(letter: &str) -> Option<&'static str> {
    positive_class(match letter {
        "D" => 'd',
        "W" => 'w',
        "S" => 's',
        "H" => 'h',
        _ => return None,
    })
}
