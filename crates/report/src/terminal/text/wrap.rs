//! Wraps text into lines of a given width.

use std::ops::Range;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The columns of the text.
pub(crate) fn columns(text: &str) -> usize {
    text.width()
}

/// The number of bytes from the start of the text that fit into `columns`.
pub(crate) fn fit(text: &str, columns: usize) -> usize {
    fitting(text.chars(), columns)
}

/// The number of bytes from the end of the text that fit into `columns`.
pub(crate) fn fit_end(text: &str, columns: usize) -> usize {
    fitting(text.chars().rev(), columns)
}

fn fitting(chars: impl Iterator<Item = char>, columns: usize) -> usize {
    let mut used = 0;
    chars
        .take_while(|c| {
            used += c.width().unwrap_or(0);
            used <= columns
        })
        .map(char::len_utf8)
        .sum()
}

/// A line of wrapped text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// Columns to leave empty before it.
    pub(crate) indent: usize,
    /// The bytes of the text that it shows.
    pub(crate) range: Range<usize>,
}

/// Wraps the text into lines of at most `width` columns, all but the first indented by `hang`.
///
/// Line breaks are kept. Continuation lines have the indentation of their line. Lines are broken between words if
/// possible, else within a word.
pub(crate) fn wrap(text: &str, width: usize, hang: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut start = 0;
    for source in text.split('\n') {
        wrap_line(text, start..start + source.len(), width, hang, &mut lines);
        start += source.len() + 1;
    }
    lines
}

fn wrap_line(text: &str, source: Range<usize>, width: usize, hang: usize, lines: &mut Vec<Line>) {
    let spaces = leading_spaces(&text[source.clone()]);
    let (mut indent, mut unbroken, continued) = if lines.is_empty() {
        // Text within the hang is a label, which is not broken.
        let label = fit(&text[source.clone()], hang);
        (0, spaces.max(label), hang)
    } else {
        (hang, spaces, hang + spaces.min(width / 4))
    };
    let mut start = source.start;
    loop {
        let rest = &text[start..source.end];
        let length = first_line(rest, width.saturating_sub(indent), unbroken);
        let shown = rest[..length].trim_end_matches(' ');
        let range = start..start + shown.len();
        lines.push(Line { indent, range });
        start += length + leading_spaces(&rest[length..]);
        if start >= source.end {
            break;
        }
        (indent, unbroken) = (continued, 0);
    }
}

/// The number of bytes that fit on the first line of a text without line breaks. The first `unbroken` bytes are not
/// broken. Returns 0 only before a space.
fn first_line(text: &str, room: usize, unbroken: usize) -> usize {
    let fitting = fit(text, room);
    if fitting == text.len() || text[fitting..].starts_with(' ') {
        return fitting;
    }
    let space = text[..fitting].rfind(' ');
    match space.max(last_json_comma(text, fitting)) {
        Some(at) if at > unbroken => at,
        _ => fitting.max(text.chars().next().map_or(0, char::len_utf8)),
    }
}

/// The last comma between fields of compact JSON. Its only spaces are within strings, where a break is hard to read.
fn last_json_comma(text: &str, end: usize) -> Option<usize> {
    let begins_a_field = |rest: &str| {
        let after_quote = rest.strip_prefix('"').and_then(|key| key.chars().next());
        rest.starts_with(['{', '[']) || after_quote.is_some_and(char::is_alphanumeric)
    };
    text[..end]
        .rmatch_indices(',')
        .map(|(at, _)| at + 1)
        .find(|at| begins_a_field(&text[*at..]))
}

fn leading_spaces(text: &str) -> usize {
    text.len() - text.trim_start_matches(' ').len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fitting_bytes_are_counted_in_columns() {
        for (text, columns, from_start, from_end) in [
            ("", 3, 0, 0),
            ("abc", 3, 3, 3),
            ("abc", 0, 0, 0),
            ("é漢x", 3, 5, 4),
            ("é漢x", 2, 2, 1),
        ] {
            assert_eq!(fit(text, columns), from_start, "{text} in {columns}");
            assert_eq!(fit_end(text, columns), from_end, "{text} in {columns}");
        }
    }

    fn wrapped(text: &str, width: usize, hang: usize) -> Vec<String> {
        wrap(text, width, hang)
            .into_iter()
            .map(|line| format!("{:>1$}{2}", "", line.indent, &text[line.range]))
            .collect()
    }

    #[test]
    fn lines_break_between_words() {
        for (text, width, lines) in [
            ("", 10, vec![""]),
            ("short", 10, vec!["short"]),
            ("one two three", 7, vec!["one two", "three"]),
            ("one two three", 8, vec!["one two", "three"]),
            ("one  two", 4, vec!["one", "two"]),
            ("a\n\nb", 10, vec!["a", "", "b"]),
            ("a\n", 10, vec!["a", ""]),
            ("  indented text", 11, vec!["  indented", "text"]),
            ("a\n  indented text", 11, vec!["a", "  indented", "  text"]),
            ("  indented", 6, vec!["  inde", "nted"]),
            ("trailing   ", 8, vec!["trailing"]),
            (
                r#"{"k":"a b","l":1}"#,
                12,
                vec![r#"{"k":"a b","#, r#""l":1}"#],
            ),
            ("abcdefgh", 3, vec!["abc", "def", "gh"]),
            ("ab cdefgh", 3, vec!["ab", "cde", "fgh"]),
            ("漢字漢字", 5, vec!["漢字", "漢字"]),
            ("漢字", 1, vec!["漢", "字"]),
            ("ab", 0, vec!["a", "b"]),
            ("é è", 0, vec!["é", "è"]),
            ("   ", 2, vec![""]),
            ("   ", 0, vec![""]),
        ] {
            assert_eq!(wrapped(text, width, 0), lines, "{text:?} in {width}");
        }
    }

    #[test]
    fn all_lines_but_the_first_are_indented() {
        for (text, lines) in [
            (
                "User  aaa bbb ccc",
                vec!["User  aaa", "      bbb", "      ccc"],
            ),
            ("User  a\nb", vec!["User  a", "      b"]),
            ("User  abcdefgh", vec!["User  abcd", "      efgh"]),
            ("User  abcd efg", vec!["User  abcd", "      efg"]),
        ] {
            assert_eq!(wrapped(text, 10, 6), lines, "{text:?}");
        }
    }
}
