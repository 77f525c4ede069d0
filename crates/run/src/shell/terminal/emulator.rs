//! [`Emulator`]: interprets the output of a program as a terminal does.

use avt::parser::Function;
use avt::{Parser, Terminal};
use casebook_record::Screen;
use casebook_suite::model::TerminalSize;

use super::screen;

/// How much text that no entry of a dialogue has matched is kept, in bytes: at least this, at most twice as much.
const TEXT_LIMIT: usize = 256 << 10;

/// A terminal without a window.
pub(crate) struct Emulator {
    parser: Parser,
    terminal: Terminal,
    /// The beginning of a character whose other bytes have not come yet.
    undecoded: Vec<u8>,
    /// The printed text without escape sequences, after the last match.
    text: String,
    last_char: char,
}

impl Emulator {
    pub(crate) fn new(size: TerminalSize) -> Emulator {
        let [columns, rows] = [size.columns, size.rows].map(|size| usize::from(size).max(1));
        let terminal = Terminal::new(columns, rows);
        Emulator {
            parser: Parser::new(),
            terminal: terminal.expect("the size is not 0"),
            undecoded: Vec::new(),
            text: String::new(),
            last_char: ' ',
        }
    }

    /// Interprets output.
    pub(crate) fn feed(&mut self, output: &[u8]) {
        self.undecoded.extend_from_slice(output);
        let bytes = std::mem::take(&mut self.undecoded);
        let mut rest = bytes.as_slice();
        loop {
            match std::str::from_utf8(rest) {
                Ok(text) => return self.feed_text(text),
                Err(error) => {
                    let (valid, invalid) = rest.split_at(error.valid_up_to());
                    self.feed_text(&String::from_utf8_lossy(valid));
                    let Some(length) = error.error_len() else {
                        self.undecoded = invalid.to_vec();
                        return;
                    };
                    self.feed_text("\u{fffd}");
                    rest = &invalid[length..];
                }
            }
        }
    }

    fn feed_text(&mut self, text: &str) {
        for char in text.chars() {
            if let Some(function) = self.parser.feed(char) {
                self.keep_text(&function);
                self.terminal.execute(function);
            }
        }
        self.forget_old_text();
    }

    fn keep_text(&mut self, function: &Function) {
        match function {
            Function::Print(char) => {
                self.last_char = *char;
                self.text.push(*char);
            }
            Function::Rep(count) => {
                let count = usize::from((*count).max(1));
                self.text.extend(std::iter::repeat_n(self.last_char, count));
            }
            Function::Ht => self.text.push('\t'),
            Function::Cr => self.text.push('\r'),
            Function::Lf | Function::Nel => {
                if self.text.ends_with('\r') {
                    self.text.pop();
                }
                self.text.push('\n');
            }
            _ => {}
        }
    }

    fn forget_old_text(&mut self) {
        if self.text.len() > 2 * TEXT_LIMIT {
            let mut start = self.text.len() - TEXT_LIMIT;
            while !self.text.is_char_boundary(start) {
                start += 1;
            }
            self.text.drain(..start);
        }
    }

    /// The printed text after the last match, without escape sequences. `\r\n` is `\n`.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Forgets the text up to the end of a match.
    pub(crate) fn forget_text(&mut self, end: usize) {
        self.text.drain(..end);
    }

    pub(crate) fn resize(&mut self, size: TerminalSize) {
        self.terminal.resize(size.columns.into(), size.rows.into());
    }

    /// Whether the program has switched the cursor keys to application mode.
    pub(crate) fn is_in_application_mode(&self) -> bool {
        self.terminal.cursor_key_app_mode()
    }

    /// What it shows now, and which of its lines continue in the next one.
    pub(crate) fn screen(&self) -> (Screen, Vec<bool>) {
        let lines = self.terminal.screen();
        let wrapped = lines.visible_lines().map(avt::Line::is_wrapped).collect();
        (screen::screen(&self.terminal), wrapped)
    }
}

#[cfg(test)]
mod tests {
    use casebook_record::ScreenLine;
    use proptest::prelude::*;

    use super::*;

    const SIZE: TerminalSize = TerminalSize {
        columns: 20,
        rows: 4,
    };

    fn fed<'b>(pieces: impl IntoIterator<Item = &'b [u8]>) -> Emulator {
        let mut emulator = Emulator::new(SIZE);
        pieces.into_iter().for_each(|piece| emulator.feed(piece));
        emulator
    }

    fn shown(output: &str) -> String {
        fed([output.as_bytes()]).screen().0.text()
    }

    #[test]
    fn escape_sequences_are_not_text() {
        let output = "a\x1b[1;31mb\x1b]0;title\x07\x1b[0mc\x1b(B\x08d\te\r\nf\rg";
        assert_eq!(fed([output.as_bytes()]).text(), "abcd\te\nf\rg");
    }

    #[test]
    fn repeated_characters_are_text() {
        assert_eq!(fed([&b"x\x1b[3b."[..]]).text(), "xxxx.");
    }

    #[test]
    fn the_screen_is_what_a_terminal_shows() {
        for (output, expected) in [
            ("", ""),
            ("10%\r50%\r100%\r\n", "100%"),
            ("a\r\n\r\nb  \r\n", "a\n\nb"),
            ("1\r\n2\r\n3\r\n4\r\n5", "2\n3\n4\n5"),
            ("one\x1b[?1049h\x1b[2Jtwo", "   two"),
            ("one\x1b[?1049h\x1b[2Jtwo\x1b[?1049l", "one"),
            ("\x1b[2;3Hx\x1b[1;1Hy", "y\n  x"),
            ("漢字", "漢字"),
            ("0123456789012345678901", "01234567890123456789\n01"),
        ] {
            assert_eq!(shown(output), expected, "{output:?}");
        }
    }

    #[test]
    fn only_colored_lines_have_runs() {
        let (screen, _) =
            fed([&b"plain\r\n\x1b[1;38;5;200mp\x1b[0m q\r\n\x1b[44m \x1b[0m"[..]]).screen();
        let [
            ScreenLine::Plain(plain),
            ScreenLine::Styled(runs),
            ScreenLine::Styled(blank),
        ] = screen.lines.as_slice()
        else {
            panic!("{screen:?}");
        };
        assert_eq!(plain, "plain");
        assert_eq!(runs[0].color.as_deref(), Some("200"));
        assert!(runs[0].bold && runs[1].is_plain());
        assert_eq!(blank[0].background.as_deref(), Some("4"));
        assert_eq!(screen.text(), "plain\np q");
    }

    #[test]
    fn unmatched_text_is_limited() {
        let line = "é".repeat(1000);
        let emulator = fed(std::iter::repeat_n(line.as_bytes(), 300));
        assert!((TEXT_LIMIT - 1..=2 * TEXT_LIMIT).contains(&emulator.text().len()));
    }

    fn output() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            prop::collection::vec(any::<u8>(), 0..20),
            "[a-z漢🙂\u{301}\r\n\t\u{1b}]{0,10}".prop_map(String::into_bytes),
            "\u{1b}\\[[?0-9;]{0,6}[A-Za-z@`]".prop_map(String::into_bytes),
        ];
        prop::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn no_output_and_no_size_is_a_panic(
            first in output(),
            second in output(),
            columns in 1..30_u16,
            rows in 1..10_u16,
        ) {
            let mut emulator = fed([first.as_slice()]);
            emulator.resize(TerminalSize { columns, rows });
            emulator.feed(&second);
            let (screen, _) = emulator.screen();
            prop_assert!(screen.lines.len() <= usize::from(rows));
        }

        #[test]
        fn the_size_of_reads_does_not_matter(output in output(), size in 1..7_usize) {
            let (whole, pieces) = (fed([output.as_slice()]), fed(output.chunks(size)));
            prop_assert_eq!(whole.text(), pieces.text());
            prop_assert_eq!(whole.screen(), pieces.screen());
        }
    }
}
