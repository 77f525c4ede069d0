//! Shows where a text was found in the output, or the closest line if it is missing.

use std::io;

use super::page::Page;
use super::style::{BAD, DIM, PLAIN, WARN};
use super::text::{columns, one_line, window};

/// Shows the line that contains the text except for case, white space or color codes, if there is one.
pub(super) fn show_near_miss(
    page: &mut Page,
    indent: usize,
    expected: &str,
    output: &str,
) -> io::Result<()> {
    let Some((number, line, difference)) = near_miss(expected, output) else {
        return Ok(());
    };
    let note = format!("close match: differs only in {difference}");
    page.paragraph(indent, 2, &[(WARN, &note)])?;
    show_line(page, indent, number, &[(false, line.to_owned())])
}

/// Shows the line of the output that contains the text and marks it. Returns `false` if there is none.
pub(super) fn show_found(
    page: &mut Page,
    indent: usize,
    forbidden: &str,
    output: &str,
) -> io::Result<bool> {
    let Some(at) = output.find(forbidden).filter(|_| !forbidden.is_empty()) else {
        return Ok(false);
    };
    let number = output[..at].matches('\n').count() + 1;
    let start = output[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let end = output[at..].find('\n').map_or(output.len(), |end| at + end);
    let found = forbidden.split('\n').next().unwrap_or_default();
    let (before, after) = (&output[start..at], &output[at + found.len()..end]);
    let parts = [(false, before), (true, found), (false, after)]
        .map(|(emphasized, part)| (emphasized, one_line(part)));
    let parts = window(parts.to_vec());
    show_line(page, indent, number, &parts)?;
    let before: usize = parts
        .iter()
        .take_while(|(found, _)| !found)
        .map(|(_, part)| columns(part))
        .sum();
    let found = parts.iter().find(|(found, _)| *found);
    let width = found.map_or(0, |(_, part)| columns(part)).max(1);
    let gutter = columns(&gutter(number));
    page.verbatim(indent + gutter + before, &[(BAD, &"^".repeat(width))])?;
    Ok(true)
}

fn show_line(
    page: &mut Page,
    indent: usize,
    number: usize,
    parts: &[(bool, String)],
) -> io::Result<()> {
    let gutter = gutter(number);
    let mut spans = vec![(DIM, gutter.as_str())];
    spans.extend(parts.iter().map(|(emphasized, part)| {
        let style = if *emphasized { BAD.bold() } else { PLAIN };
        (style, part.as_str())
    }));
    page.verbatim(indent, &spans)
}

/// The gutter of an output line; it differs from that of a suite line.
fn gutter(number: usize) -> String {
    format!("line {number} │ ")
}

/// The number and text of the closest line, and how it differs.
fn near_miss<'o>(expected: &str, output: &'o str) -> Option<(usize, &'o str, &'static str)> {
    NORMALIZATIONS.iter().find_map(|(normal, difference)| {
        let expected = normal(expected);
        let mut lines = output.split('\n').enumerate();
        let (index, line) =
            lines.find(|(_, line)| !expected.is_empty() && normal(line).contains(&expected))?;
        Some((index + 1, line, *difference))
    })
}

/// Normalizes a text so that texts with one kind of difference become equal.
type Normal = fn(&str) -> String;

const NORMALIZATIONS: [(Normal, &str); 4] = [
    (without_colors, "color codes"),
    (str::to_lowercase, "case"),
    (without_space, "white space"),
    (
        |text| without_space(&without_colors(text).to_lowercase()),
        "case and white space",
    ),
];

/// The text with each run of white space as one space.
fn without_space(text: &str) -> String {
    let hidden = |c: char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}');
    let visible: String = text.chars().filter(|c| !hidden(*c)).collect();
    visible.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text without ANSI sequences.
fn without_colors(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c != '\u{1b}' {
            plain.push(c);
        } else if rest.next() == Some('[') {
            // A sequence ends with a character from `@` to `~`.
            rest.find(|c| matches!(c, '@'..='~'));
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use insta::assert_snapshot;

    #[test]
    fn close_matches_are_found() {
        for (expected, output, found) in [
            ("hello", "Oh,\nHello!", Some((2, "case"))),
            ("a b", "x\na\tb", Some((2, "white space"))),
            ("a b", "a\u{a0}b", Some((1, "white space"))),
            (
                "ok: 3",
                "\u{1b}[32mok\u{1b}[0m: 3",
                Some((1, "color codes")),
            ),
            ("OK: 3", "ok:\t 3", Some((1, "case and white space"))),
            ("a", "b", None),
            (" ", "", None),
            ("\u{1b}", "a", None),
        ] {
            let miss = near_miss(expected, output);
            let miss = miss.map(|(number, _, difference)| (number, difference));
            assert_eq!(miss, found, "{expected:?} in {output:?}");
        }
    }

    #[test]
    fn the_match_is_marked() {
        let shown = |forbidden: &str, output: &str| {
            let mut out = Vec::new();
            let mut page = Page::new(&mut out, false, 80);
            assert!(show_found(&mut page, 2, forbidden, output).unwrap());
            String::from_utf8(out).unwrap()
        };
        assert_snapshot!(shown("error", "fine\n漢字\tsome error here\n"), @r#"
        line 2 │ 漢字 some error here
                           ^^^^^
        "#);
        assert_snapshot!(shown("two\nlines", "in two\nlines"), @r#"
        line 1 │ in two
                    ^^^
        "#);
        assert_snapshot!(shown("here", &format!("{0}here{0}", "x".repeat(500))), @r#"
        line 1 │ … xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxherexxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx … 324 more characters
                                                                               ^^^^
        "#);
    }
}
