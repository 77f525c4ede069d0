//! Makes control characters visible, so that a text can neither move the cursor nor disguise its content.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthChar;

/// The columns between tab stops, as in terminals.
const TAB: usize = 8;

/// The text with control characters made visible: `␛` for escape, `\u{202e}` for a bidirectional override.
///
/// Line breaks are kept, `\r\n` as one; tabs become spaces.
pub(crate) fn clean(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    let mut column = 0;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\r' if rest.peek() == Some(&'\n') => {}
            '\n' => {
                cleaned.push('\n');
                column = 0;
            }
            '\t' => {
                let spaces = TAB - column % TAB;
                cleaned.extend(std::iter::repeat_n(' ', spaces));
                column += spaces;
            }
            c => {
                push_visible(&mut cleaned, c);
                column += c.width().unwrap_or(1);
            }
        }
    }
    cleaned
}

/// Like [`clean`], but on one line: line breaks and tabs become spaces.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\r' if rest.peek() == Some(&'\n') => {}
            '\n' | '\t' => line.push(' '),
            c => push_visible(&mut line, c),
        }
    }
    line
}

fn push_visible(text: &mut String, c: char) {
    match c {
        '\u{0}'..='\u{1f}' => text.extend(char::from_u32(0x2400 + u32::from(c))),
        '\u{7f}' => text.push('␡'),
        c if is_misleading(c) => {
            write!(text, "\\u{{{:x}}}", u32::from(c)).expect("writing to a string succeeds");
        }
        c => text.push(c),
    }
}

/// Whether the character is a C1 control, or is invisible and changes or hides other text. The joiners U+200C and
/// U+200D are allowed, because scripts and emoji need them.
fn is_misleading(c: char) -> bool {
    matches!(
        c,
        '\u{80}'..='\u{9f}'
            | '\u{61c}'
            | '\u{200b}'
            | '\u{200e}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_become_visible() {
        for (text, shown) in [
            ("plain ✓ é 漢字 👩‍💻", "plain ✓ é 漢字 👩‍💻"),
            ("\u{1b}[31mred\u{1b}[0m", "␛[31mred␛[0m"),
            ("\u{1b}]0;title\u{7}", "␛]0;title␇"),
            ("50%\r100%", "50%␍100%"),
            ("windows\r\nlines\r\n", "windows\nlines\n"),
            ("\r\r\n", "␍\n"),
            ("nul\0 del\u{7f} bs\u{8}", "nul␀ del␡ bs␈"),
            ("c1 \u{9b}31m \u{85}", "c1 \\u{9b}31m \\u{85}"),
            ("\u{202e}gnp.exe", "\\u{202e}gnp.exe"),
            ("\u{2066}a\u{2069}", "\\u{2066}a\\u{2069}"),
            ("zero\u{200b}width\u{feff}", "zero\\u{200b}width\\u{feff}"),
            ("tag\u{e0041}", "tag\\u{e0041}"),
            ("line\u{2028}separator", "line\\u{2028}separator"),
        ] {
            assert_eq!(clean(text), shown, "{text:?}");
            assert_eq!(clean(shown), shown, "cleaning twice is the same as once");
        }
    }

    #[test]
    fn tabs_extend_to_the_next_stop() {
        for (text, shown) in [
            ("\tx", "        x"),
            ("a\tb", "a       b"),
            ("漢字\tb", "漢字    b"),
            ("a\n12345678\tb", "a\n12345678        b"),
        ] {
            assert_eq!(clean(text), shown, "{text:?}");
        }
    }

    #[test]
    fn one_line_has_no_line_breaks() {
        for (text, shown) in [
            ("a\nb\tc\r\nd", "a b c d"),
            (" a\rb ", " a␍b "),
            ("a\u{1b}\nb", "a␛ b"),
            ("", ""),
        ] {
            assert_eq!(one_line(text), shown, "{text:?}");
        }
    }
}
