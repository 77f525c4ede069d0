//! Quotes any text as one word of bash.
//!
//! Bats preprocesses a file line by line and ignores quotes: it removes carriage returns and rewrites every line that looks
//! like a test or a Bats comment. A string with such lines is therefore written on one line, in `$'…'`, and so is every text
//! that bash 3.2, a terminal or shellcheck could misread. All other strings are in single quotes. Very long lines, for which
//! Bats takes minutes, and strings of many lines are split into shorter pieces.

use std::fmt::Write as _;

use super::environment::PREFIX;
use crate::run_time::{Part, ValueReference, parts};

/// A string with more lines, or with a line of more bytes, is split.
const MAX_LINES: usize = 200;
const MAX_LINE: usize = 1000;

/// The number of characters per line of a split text. Bats' time is quadratic in the length of a line.
const PIECE: usize = 200;

/// Quotes a string as a word. Values that are known at run time become references.
pub(crate) fn quote(text: &str) -> String {
    quote_parts(text, |value| {
        let variable = variable(value.name);
        if value.is_shell_quoted {
            format!("\"$(casebook_quoted \"{variable}\")\"")
        } else {
            format!("\"{variable}\"")
        }
    })
}

/// Quotes JSON text as a word. Values that are known at run time are inside of strings.
pub(crate) fn quote_json(json: &str) -> String {
    quote_parts(json, |value| {
        format!("\"$(casebook_json_text \"{}\")\"", variable(value.name))
    })
}

/// The bash variable with a value that is known at run time. A captured value may be missing in `teardown`.
fn variable(name: &str) -> String {
    match name.strip_prefix(PREFIX) {
        Some(name) => format!("$casebook_env_{name}"),
        None => format!("${{casebook_value_{}-}}", value_name(name)),
    }
}

/// The name of a value in Bats code.
pub(crate) fn value_name(name: &str) -> String {
    name.replace(['.', '-'], "_")
}

/// Quotes an expected string as a word, without the newlines at its end.
pub(crate) fn quote_trimmed(text: &str) -> String {
    let text = text.trim_end_matches('\n');
    match parts(text).last() {
        Some(Part::Value(_)) => format!("\"$(casebook_trimmed {})\"", quote(text)),
        _ => quote(text),
    }
}

fn quote_parts(text: &str, reference: impl Fn(ValueReference<'_>) -> String) -> String {
    parts(text)
        .into_iter()
        .map(|part| match part {
            Part::Literal(text) => quote_literal(text),
            Part::Value(value) => reference(value),
        })
        .collect()
}

fn quote_literal(text: &str) -> String {
    if is_long(text) {
        let words: Vec<_> = pieces(text).into_iter().map(escaped).collect();
        words.join("\\\n")
    } else if is_plain(text) {
        format!("'{}'", text.replace('\'', r"'\''"))
    } else {
        escaped(text.as_bytes())
    }
}

fn is_long(text: &str) -> bool {
    text.lines().nth(MAX_LINES).is_some() || text.lines().any(|line| line.len() > MAX_LINE)
}

fn pieces(text: &str) -> Vec<&[u8]> {
    let starts = text.char_indices().map(|(offset, _)| offset).step_by(PIECE);
    let starts: Vec<_> = starts.collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let pieces = starts.iter().zip(ends);
    pieces
        .map(|(start, end)| &text.as_bytes()[*start..end])
        .collect()
}

/// A script as a word, without trailing newlines unless the last line ends with a backslash.
pub(super) fn quote_script(text: &str) -> String {
    let trimmed = text.trim_end_matches('\n');
    quote(if trimmed.ends_with('\\') {
        text
    } else {
        trimmed
    })
}

/// A path as a word, even if it is not UTF-8.
pub(super) fn quote_bytes(bytes: &[u8]) -> String {
    str::from_utf8(bytes).map_or_else(|_| escaped(bytes), quote)
}

fn is_plain(text: &str) -> bool {
    let is_bats_syntax = text.contains('\n') && (text.contains("@test") || text.contains("bats"));
    // shellcheck reports a quote after a backslash.
    let is_shellcheck_warning = text.contains(r"\'") || text.ends_with('\\');
    !is_bats_syntax && !is_shellcheck_warning && !text.contains(is_unclear)
}

/// Characters that are invisible or easily confused.
fn is_unclear(c: char) -> bool {
    let is_odd_space = matches!(c, '\u{a0}' | '\u{feff}' | '\u{fffd}');
    let is_quote = matches!(c, '\u{2018}'..='\u{201f}');
    let is_invisible =
        matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}');
    let is_control = c.is_control() && !matches!(c, '\n' | '\t');
    is_odd_space || is_quote || is_invisible || is_control
}

fn escaped(bytes: &[u8]) -> String {
    let mut word = "$'".to_owned();
    for chunk in bytes.utf8_chunks() {
        chunk.valid().chars().for_each(|c| push(&mut word, c));
        push_bytes(&mut word, chunk.invalid());
    }
    word.push('\'');
    word
}

fn push(word: &mut String, c: char) {
    match c {
        '\n' => word.push_str(r"\n"),
        '\r' => word.push_str(r"\r"),
        '\t' => word.push_str(r"\t"),
        '\\' | '\'' => word.extend(['\\', c]),
        // Bash variables cannot contain NUL. The replacement character makes the comparison fail.
        '\0' => push_bytes(word, "\u{fffd}".as_bytes()),
        c if is_unclear(c) => push_bytes(word, c.encode_utf8(&mut [0; 4]).as_bytes()),
        c => word.push(c),
    }
}

fn push_bytes(word: &mut String, bytes: &[u8]) {
    for byte in bytes {
        write!(word, r"\x{byte:02x}").expect("writing to a string cannot fail");
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use proptest::prelude::*;

    use super::*;

    fn in_bash(word: &str) -> Vec<u8> {
        let script = format!("printf %s {word}");
        let bash = Command::new("bash").args(["-c", &script]).output().unwrap();
        assert!(bash.status.success() && bash.stderr.is_empty(), "{script}");
        bash.stdout
    }

    #[test]
    fn quotes_are_readable() {
        for (text, word) in [
            ("", "''"),
            ("hello", "'hello'"),
            ("$HOME `x`", "'$HOME `x`'"),
            ("it's", r"'it'\''s'"),
            ("two\nlines", "'two\nlines'"),
            ("\t-n", "'\t-n'"),
            ("größe", "'größe'"),
            ("a\r\nb", r"$'a\r\nb'"),
            ("\u{1b}[1m", r"$'\x1b[1m'"),
            (r"end\", r"$'end\\'"),
            (r"a\'b", r"$'a\\\'b'"),
            ("x\n@test \"y\" {", r#"$'x\n@test "y" {'"#),
            ("# bats test_tags=x", "'# bats test_tags=x'"),
            ("\n# bats test_tags=x", r"$'\n# bats test_tags=x'"),
            ("a\0b", r"$'a\xef\xbf\xbdb'"),
            ("‘quoted’", r"$'\xe2\x80\x98quoted\xe2\x80\x99'"),
        ] {
            assert_eq!(quote(text), word);
        }
        assert_eq!(quote_bytes(b"caf\xe9"), r"$'caf\xe9'");
    }

    #[test]
    fn long_texts_are_split_into_short_lines() {
        for text in ["x".repeat(5000), "it's\n".repeat(1000), "\\\r".repeat(2000)] {
            let word = quote(&text);
            assert!(word.lines().all(|line| line.len() < 4 * PIECE + 10));
            assert_eq!(in_bash(&word), text.as_bytes());
        }
        let readable = "one more line\n".repeat(100);
        assert_eq!(quote(&readable), format!("'{readable}'"));
    }

    #[test]
    fn keeps_the_newline_after_a_trailing_backslash() {
        assert_eq!(quote_script("a\nb\n\n"), "'a\nb'");
        assert_eq!(quote_script("echo a\\\n"), "'echo a\\\n'");
        assert_eq!(quote_script("echo a\\"), r"$'echo a\\'");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn bash_reads_any_bytes_back(bytes in prop::collection::vec(1_u8.., 0..60)) {
            prop_assert_eq!(in_bash(&quote_bytes(&bytes)), bytes);
        }

        #[test]
        fn bash_reads_any_text_back(text in r#"([^\x00]|['"$`\\!#*?~{}()\[\]<>|&; \n\r\t]|@test|bats|EOF){0,30}"#) {
            prop_assert_eq!(in_bash(&quote(&text)), text.as_bytes());
        }
    }
}
