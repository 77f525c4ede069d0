//! Converts painted lines to styled text for the screen.
//!
//! Lines written by a page contain no escape sequences except those of its styles, so only these are parsed.

use ratatui_core::style::{Color, Modifier, Style};

/// A line of text and the end of each style.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Painted {
    pub(super) text: String,
    pub(super) ends: Vec<(usize, Style)>,
}

impl Painted {
    /// Parses one line of a page.
    pub(super) fn read(line: &str) -> Painted {
        let mut painted = Painted::default();
        let mut style = Style::new();
        let mut parts = line.split('\u{1b}');
        painted.push(parts.next().unwrap_or_default(), style);
        for part in parts {
            let (codes, text) = part
                .strip_prefix('[')
                .and_then(|part| part.split_once('m'))
                .unwrap_or(("", part));
            for code in codes.split(';') {
                style = changed(style, code);
            }
            painted.push(text, style);
        }
        painted
    }

    fn push(&mut self, text: &str, style: Style) {
        if text.is_empty() {
            return;
        }
        self.text.push_str(text);
        self.ends.push((self.text.len(), style));
    }
}

fn changed(style: Style, code: &str) -> Style {
    match code.parse::<u8>() {
        Ok(1) => style.add_modifier(Modifier::BOLD),
        Ok(2) => style.add_modifier(Modifier::DIM),
        Ok(color @ 30..=37) => style.fg(Color::Indexed(color - 30)),
        Ok(color @ 90..=97) => style.fg(Color::Indexed(color - 82)),
        Ok(0) => Style::new(),
        _ => style,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_are_parsed() {
        let painted = Painted::read("\u{1b}[1m\u{1b}[31m✗ \u{1b}[0mplain \u{1b}[2mdim\u{1b}[0m");
        assert_eq!(painted.text, "✗ plain dim");
        let bold = Style::new()
            .add_modifier(Modifier::BOLD)
            .fg(Color::Indexed(1));
        let dim = Style::new().add_modifier(Modifier::DIM);
        assert_eq!(painted.ends, [(4, bold), (10, Style::new()), (13, dim)]);
    }

    #[test]
    fn a_line_without_styles_is_unchanged() {
        assert_eq!(Painted::read("plain").ends, [(5, Style::new())]);
        assert_eq!(Painted::read(""), Painted::default());
    }
}
