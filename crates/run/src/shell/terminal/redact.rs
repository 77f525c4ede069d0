//! Redacts secrets on a screen, also those that change their color or continue in the next line.

use casebook_record::{Redactor, ScreenLine};

use super::TerminalResult;

/// Redacts the recorded screen. Lines with a secret lose their colors. The text that assertions check is left unchanged.
pub(crate) fn redact(terminal: &mut TerminalResult, redactor: &Redactor) {
    if redactor.is_empty() {
        return;
    }
    let lines = &mut terminal.screen.lines;
    let mut start = 0;
    while start < lines.len() {
        let rest = terminal.wrapped.iter().skip(start);
        let continued = rest.take_while(|is_wrapped| **is_wrapped).count();
        let end = (start + continued + 1).min(lines.len());
        redact_lines(&mut lines[start..end], redactor);
        start = end;
    }
}

/// Redacts one line of text that fills these lines of the screen.
fn redact_lines(lines: &mut [ScreenLine], redactor: &Redactor) {
    let text: String = lines.iter().map(ScreenLine::text).collect();
    let redacted = redactor.text(&text);
    if redacted == text {
        return;
    }
    lines.fill(ScreenLine::Plain(String::new()));
    lines[0] = ScreenLine::Plain(redacted);
}

#[cfg(test)]
mod tests {
    use casebook_suite::model::TerminalSize;

    use super::*;
    use crate::shell::terminal::Emulator;

    fn redacted(output: &str) -> String {
        let mut emulator = Emulator::new(TerminalSize {
            columns: 10,
            rows: 5,
        });
        emulator.feed(output.as_bytes());
        let (screen, wrapped) = emulator.screen();
        let mut terminal = TerminalResult {
            screen,
            wrapped,
            ..TerminalResult::default()
        };
        redact(&mut terminal, &Redactor::of(["geheim-wort"]));
        terminal.screen.text()
    }

    #[test]
    fn a_secret_in_two_colors_and_lines_is_redacted() {
        for output in [
            "a geheim-wort b",
            "a \x1b[31mgeheim\x1b[32m-wort\x1b[0m b",
            "geheim-\x1b[1mwort",
        ] {
            let redacted = redacted(output);
            assert!(redacted.contains("[redacted]"), "{output:?}: {redacted}");
            assert!(!redacted.contains("heim"), "{output:?}: {redacted}");
        }
    }

    #[test]
    fn other_lines_are_left() {
        let redacted = redacted("one\r\ngeheim-wort\r\ntwo");
        assert_eq!(redacted, "one\n[redacted]\n\ntwo");
    }
}
