//! Makes invisible characters visible where they are the only difference.

use std::fmt::Write as _;

/// Which invisible characters are replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reveal {
    /// White space at the end of the line, and characters that look like a space.
    AtTheEnd,
    /// All of them.
    Everywhere,
}

/// The parts of one line with marks for invisible characters: `·` is a space, `⇥` a tab, `␍` a carriage return.
pub(crate) fn reveal(parts: &[(bool, &str)], reveal: Reveal) -> Vec<(bool, String)> {
    let length: usize = parts.iter().map(|(_, part)| part.len()).sum();
    let at_the_end: usize = parts
        .iter()
        .rev()
        .flat_map(|(_, part)| part.chars().rev())
        .take_while(|c| c.is_whitespace())
        .map(char::len_utf8)
        .sum();
    let mut at = 0;
    parts
        .iter()
        .map(|(emphasized, part)| {
            let mut text = String::with_capacity(part.len());
            for c in part.chars() {
                let marked = reveal == Reveal::Everywhere || at >= length - at_the_end;
                push(&mut text, c, marked);
                at += c.len_utf8();
            }
            (*emphasized, text)
        })
        .collect()
}

fn push(text: &mut String, c: char, marked: bool) {
    match c {
        ' ' if marked => text.push('·'),
        '\t' if marked => text.push('⇥'),
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => {
            escape(text, c);
        }
        '\u{200c}' | '\u{200d}' if marked => escape(text, c),
        c => text.push(c),
    }
}

fn escape(text: &mut String, c: char) {
    write!(text, "\\u{{{:x}}}", u32::from(c)).expect("writing to a string succeeds");
}

/// The text without invisible characters. Texts that are equal after this look the same.
pub(crate) fn visible_only(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|c| {
        !c.is_whitespace()
            && !c.is_control()
            && !matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn revealed(parts: &[(bool, &str)], how: Reveal) -> String {
        let parts = reveal(parts, how).into_iter();
        parts.map(|(_, part)| part).collect()
    }

    #[test]
    fn white_space_at_the_end_is_marked() {
        for (line, marked) in [
            ("a b", "a b"),
            ("a b  ", "a b··"),
            ("a\tb\t", "a\tb⇥"),
            ("   ", "···"),
            ("a\u{a0}b", "a\\u{a0}b"),
            ("👩\u{200d}💻", "👩\u{200d}💻"),
            ("", ""),
        ] {
            assert_eq!(
                revealed(&[(false, line)], Reveal::AtTheEnd),
                marked,
                "{line:?}"
            );
        }
        assert_eq!(
            revealed(&[(false, "a "), (true, " "), (false, "")], Reveal::AtTheEnd),
            "a··"
        );
    }

    #[test]
    fn all_white_space_is_marked_if_it_is_the_only_difference() {
        let line = "a b\t\u{200d}";
        assert_eq!(
            revealed(&[(true, line)], Reveal::Everywhere),
            "a·b⇥\\u{200d}"
        );
    }

    #[test]
    fn texts_that_look_the_same_are_equal() {
        let same = |a: &str, b: &str| visible_only(a).eq(visible_only(b));
        assert!(same("a b", "a\tb\r"));
        assert!(same("a\u{200b}b", "ab "));
        assert!(!same("a", "b"));
    }
}
