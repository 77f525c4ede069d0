//! Making control characters visible, so that a text can neither move the cursor nor lie about what it says.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthChar;

/// What programs assume that their own output is shown with.
const TAB: usize = 8;

/// The text with every control character as something to see: `␛` for escape, `\u{202e}` for a bidirectional override.
///
/// Line breaks stay, `\r\n` being one; tabs become spaces.
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

/// The text as [`clean`] makes it, but on one line: a line break or a tab is a space.
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
        c if deceives(c) => {
            write!(text, "\\u{{{:x}}}", u32::from(c)).expect("writing to a string succeeds");
        }
        c => text.push(c),
    }
}

/// C1 controls, and characters that show nothing but change or hide what is shown. The joiners U+200C and U+200D
/// are not among them: scripts and emoji need them.
fn deceives(c: char) -> bool {
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
    fn control_characters_are_seen() {
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
            assert_eq!(clean(shown), shown, "cleaning again changes nothing");
        }
    }

    #[test]
    fn tabs_reach_the_next_stop() {
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
