//! The screen of a command's terminal, in a frame and in its colors.

use std::io;

use anstyle::{Ansi256Color, AnsiColor, Color, RgbColor, Style};
use casebook_record::{Screen, ScreenLine, ScreenRun};

use super::page::Page;
use super::style::{DIM, PLAIN};
use super::text::{clean, columns};

/// The frame is at least this wide, so that an empty screen looks like one.
const MIN_COLUMNS: usize = 20;

/// Shows the screen below its name and size.
pub(super) fn show(page: &mut Page, indent: usize, name: &str, screen: &Screen) -> io::Result<()> {
    let size = format!("{name}, {} × {}", screen.columns, screen.rows);
    page.row(indent, &[(DIM, &size)])?;
    let widths: Vec<_> = screen.lines.iter().map(columns_of).collect();
    let width = widths.iter().copied().max().unwrap_or_default();
    let width = width.max(MIN_COLUMNS);
    let edge = "─".repeat(width + 2);
    page.verbatim(indent, &[(DIM, "┌"), (DIM, &edge), (DIM, "┐")])?;
    for (line, used) in screen.lines.iter().zip(widths) {
        let padding = " ".repeat(width.saturating_sub(used));
        let mut spans = vec![(DIM, "│ ")];
        match line {
            ScreenLine::Plain(text) => spans.push((PLAIN, text)),
            ScreenLine::Styled(runs) => {
                spans.extend(runs.iter().map(|run| (style(run), run.text.as_str())));
            }
        }
        spans.extend([(PLAIN, padding.as_str()), (DIM, " │")]);
        page.verbatim(indent, &spans)?;
    }
    page.verbatim(indent, &[(DIM, "└"), (DIM, &edge), (DIM, "┘")])
}

/// The columns of a line, with the blanks at its end that have a color.
fn columns_of(line: &ScreenLine) -> usize {
    let shown = |text: &str| columns(&clean(text));
    match line {
        ScreenLine::Plain(text) => shown(text),
        ScreenLine::Styled(runs) => runs.iter().map(|run| shown(&run.text)).sum(),
    }
}

/// Adds an effect to a style.
type Effect = fn(Style) -> Style;

fn style(run: &ScreenRun) -> Style {
    let mut style = Style::new()
        .fg_color(run.color.as_deref().and_then(color))
        .bg_color(run.background.as_deref().and_then(color));
    let effects: [(bool, Effect); 6] = [
        (run.bold, Style::bold),
        (run.faint, Style::dimmed),
        (run.italic, Style::italic),
        (run.underline, Style::underline),
        (run.strikethrough, Style::strikethrough),
        (run.inverse, Style::invert),
    ];
    for (is_set, effect) in effects {
        if is_set {
            style = effect(style);
        }
    }
    style
}

/// The first 16 colors are those of the theme.
fn color(written: &str) -> Option<Color> {
    if let Some(digits) = written.strip_prefix('#').filter(|digits| digits.len() == 6) {
        let part = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
        return Some(RgbColor(part(0)?, part(2)?, part(4)?).into());
    }
    let color = Ansi256Color(written.parse().ok()?);
    Some(
        color
            .into_ansi()
            .map_or(Color::from(color), AnsiColor::into),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(screen: &Screen, color: bool) -> String {
        let mut out = Vec::new();
        show(&mut Page::new(&mut out, color, 80), 2, "screen", screen).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn screen() -> Screen {
        let colored = ScreenRun {
            text: "red".to_owned(),
            color: Some("1".to_owned()),
            bold: true,
            ..ScreenRun::default()
        };
        let filled = ScreenRun {
            text: "  ".to_owned(),
            background: Some("#0a0B0c".to_owned()),
            ..ScreenRun::default()
        };
        Screen {
            columns: 80,
            rows: 24,
            lines: vec![
                ScreenLine::Plain("漢字 and \u{202e}text".to_owned()),
                ScreenLine::Styled(vec![colored, filled]),
            ],
        }
    }

    #[test]
    fn a_screen_has_a_frame_without_color() {
        insta::assert_snapshot!(shown(&screen(), false), @r"
          screen, 80 × 24
          ┌───────────────────────┐
          │ 漢字 and \u{202e}text │
          │ red                   │
          └───────────────────────┘
        ");
    }

    #[test]
    fn a_screen_keeps_its_colors() {
        let shown = shown(&screen(), true);
        assert!(
            shown.contains("\u{1b}[1m\u{1b}[31mred\u{1b}[0m"),
            "{shown:?}"
        );
        assert!(
            shown.contains("\u{1b}[48;2;10;11;12m  \u{1b}[0m"),
            "{shown:?}"
        );
    }

    #[test]
    fn wrong_colors_are_ignored() {
        for written in ["", "256", "-1", "#12", "#12345é", "#gg0000", "red"] {
            assert_eq!(color(written), None, "{written}");
        }
    }
}
