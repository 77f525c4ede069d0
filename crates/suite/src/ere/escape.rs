//! Lints escapes outside of brackets.

use super::lint::PatternFinding;
use super::syntax::Token;

/// The finding for a backslash and this character.
pub(super) fn lint(pattern: &str, token: &Token, character: char) -> Option<PatternFinding> {
    let start = token.range.start;
    let rest = &pattern[token.range.end..];
    let long = |length: usize| start..token.range.end + length;
    let perl =
        |instead: &str| PatternFinding::error(long(0), is_letter(character)).instead(instead);
    let error = |message: String| PatternFinding::error(long(0), message);
    Some(match character {
        'd' => perl("[0-9]"),
        'D' => perl("[^0-9]"),
        'h' => perl("[[:blank:]]"),
        'H' => perl("[^[:blank:]]"),
        'A' => perl("^"),
        'z' | 'Z' => perl("$"),
        'n' | 't' | 'r' | 'f' | 'v' | 'a' | 'e' | 'R' => {
            error(format!("{}; {}", is_letter(character), control(character)))
        }
        '0' => error(format!(
            "{}; captured output contains no NUL",
            is_letter('0')
        )),
        'x' | 'u' | 'U' => code_point(start, rest, character),
        'p' | 'P' => property(start, rest, character),
        'k' | 'g' => PatternFinding::error(
            long(delimited(rest).map_or(0, str::len)),
            format!("{}; POSIX has no named groups", is_letter(character)),
        ),
        'Q' | 'E' => error(format!(
            "{}; POSIX has no `\\Q…\\E`: put a backslash before each special character, or use `…Contains`",
            is_letter(character)
        )),
        'K' | 'G' | 'X' | 'C' | 'N' => error(format!(
            "{}; POSIX has no equivalent of it",
            is_letter(character)
        )),
        '1'..='9' => PatternFinding::warning(
            long(0),
            format!(
                "the back-reference `\\{character}` works with the GNU C library but not on macOS: write out the repeated text"
            ),
        ),
        _ => return gnu(token, character),
    })
}

/// Escapes that only the GNU library supports.
fn gnu(token: &Token, character: char) -> Option<PatternFinding> {
    let (hint, instead) = match character {
        'w' => ("", Some("[[:alnum:]_]")),
        'W' => ("", Some("[^[:alnum:]_]")),
        's' => ("", Some("[[:space:]]")),
        'S' => ("", Some("[^[:space:]]")),
        '<' => ("", Some("(^|[^[:alnum:]_])")),
        '>' => ("", Some("([^[:alnum:]_]|$)")),
        '`' => ("", Some("^")),
        '\'' => ("", Some("$")),
        'b' => (
            ": before a word write `(^|[^[:alnum:]_])`, after it `([^[:alnum:]_]|$)`",
            None,
        ),
        'B' => (
            ": write `[[:alnum:]_]` for the neighboring character instead",
            None,
        ),
        _ if character.is_ascii_alphabetic() => {
            let message = format!("{}: write it without the backslash", is_letter(character));
            return Some(PatternFinding::warning(token.range.clone(), message).instead(character));
        }
        _ => return None,
    };
    let message = format!("`\\{character}` works with the GNU C library but not on macOS{hint}");
    let finding = PatternFinding::warning(token.range.clone(), message);
    Some(match instead {
        Some(instead) => finding.instead(instead),
        None => finding,
    })
}

fn is_letter(character: char) -> String {
    let what = if character.is_ascii_digit() {
        "digit"
    } else {
        "letter"
    };
    format!("in POSIX `\\{character}` is just the {what} `{character}`")
}

/// Explains how to write a control character, given its escape letter.
pub(super) fn control(letter: char) -> String {
    let (name, yaml) = match letter {
        'n' | 'R' => ("newline", "\\n"),
        't' => ("tab", "\\t"),
        'r' => ("carriage return", "\\r"),
        'f' => ("form feed", "\\f"),
        'v' => ("vertical tab", "\\v"),
        'a' => ("bell", "\\a"),
        _ => ("escape character", "\\e"),
    };
    format!(
        "for a {name} write the character itself: in YAML, `{yaml}` between double quotes (where every other \
         backslash is doubled)"
    )
}

/// Escapes of code points: `\x41`, `\x{41}`, `\u0041`, `\u{41}`, `\U00000041`.
fn code_point(start: usize, rest: &str, kind: char) -> PatternFinding {
    let max_digits = match kind {
        'x' => 2,
        'u' => 4,
        _ => 8,
    };
    let plain = rest
        .bytes()
        .take(max_digits)
        .take_while(u8::is_ascii_hexdigit)
        .count();
    let braced = delimited(rest).filter(|text| text.starts_with('{'));
    let written = braced.unwrap_or(&rest[..plain]);
    let digits = written.trim_matches(['{', '}']);
    let length = written.len();
    let finding = |hint: &str| {
        let message = format!("{}; write the character itself{hint}", is_letter(kind));
        PatternFinding::error(start..start + 2 + length, message)
    };
    let character = u32::from_str_radix(digits, 16)
        .ok()
        .and_then(char::from_u32);
    match character.filter(|character| !character.is_control()) {
        Some(character) if ".[]{}()*+?|^$\\".contains(character) => {
            finding("").instead(format!("\\{character}"))
        }
        Some(character) => finding("").instead(character),
        None => finding(
            ": in YAML, `\\x1b` or `\\u00e9` between double quotes (where every other backslash is doubled)",
        ),
    }
}

/// Unicode properties: `\p{L}`, `\pL`.
fn property(start: usize, rest: &str, kind: char) -> PatternFinding {
    let text = delimited(rest).unwrap_or_else(|| {
        let letter = rest.chars().next().map_or(0, char::len_utf8);
        &rest[..letter]
    });
    let class = match text.trim_matches(['{', '}']) {
        "L" | "Letter" | "Alpha" => Some("alpha"),
        "Lu" | "Upper" => Some("upper"),
        "Ll" | "Lower" => Some("lower"),
        "N" | "Nd" | "Digit" => Some("digit"),
        "P" | "Punct" => Some("punct"),
        "Z" | "Zs" | "Space" => Some("space"),
        _ => None,
    };
    let range = start..start + 2 + text.len();
    let not = if kind == 'P' { "^" } else { "" };
    let finding = PatternFinding::error(
        range,
        format!(
            "{}; POSIX has classes such as `[[:alpha:]]`",
            is_letter(kind)
        ),
    );
    match class {
        Some(class) => finding.instead(format!("[{not}[:{class}:]]")),
        None => finding,
    }
}

/// `{…}`, `<…>` or `'…'` at the start of `rest`.
fn delimited(rest: &str) -> Option<&str> {
    let close = match rest.as_bytes().first()? {
        b'{' => '}',
        b'<' => '>',
        b'\'' => '\'',
        _ => return None,
    };
    rest[1..].find(close).map(|at| &rest[..at + 2])
}
