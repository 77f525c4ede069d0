//! The screen of an emulated terminal for the record.

use avt::{Color, Line, Pen, Terminal};
use casebook_record::{Screen, ScreenLine, ScreenRun};

/// What the terminal shows.
pub(super) fn screen(terminal: &Terminal) -> Screen {
    let (columns, rows) = terminal.size();
    let mut lines: Vec<_> = terminal.screen().visible_lines().map(line).collect();
    let empty = ScreenLine::Plain(String::new());
    while lines.last() == Some(&empty) {
        lines.pop();
    }
    let size = |size: usize| u16::try_from(size).unwrap_or(u16::MAX);
    Screen {
        columns: size(columns),
        rows: size(rows),
        lines,
    }
}

fn line(line: &Line) -> ScreenLine {
    let mut runs: Vec<ScreenRun> = Vec::new();
    let mut last_pen = None;
    for cell in line.cells().iter().filter(|cell| cell.width() > 0) {
        match runs.last_mut() {
            Some(run) if last_pen == Some(cell.pen()) => run.text.push(cell.char()),
            _ => runs.push(ScreenRun {
                text: cell.char().into(),
                ..styled(cell.pen())
            }),
        }
        last_pen = Some(cell.pen());
    }
    without_blanks(runs)
}

/// Removes blanks at the end, except those that are visible because of their style.
fn without_blanks(mut runs: Vec<ScreenRun>) -> ScreenLine {
    while let Some(last) = runs.last_mut().filter(|run| !shows_blanks(run)) {
        last.text.truncate(last.text.trim_end_matches(' ').len());
        if !last.text.is_empty() {
            break;
        }
        runs.pop();
    }
    if runs.iter().all(ScreenRun::is_plain) {
        ScreenLine::Plain(runs.into_iter().map(|run| run.text).collect())
    } else {
        ScreenLine::Styled(runs)
    }
}

fn shows_blanks(run: &ScreenRun) -> bool {
    run.background.is_some() || run.inverse || run.underline || run.strikethrough
}

fn styled(pen: &Pen) -> ScreenRun {
    ScreenRun {
        text: String::new(),
        color: pen.foreground().map(color),
        background: pen.background().map(color),
        bold: pen.is_bold(),
        faint: pen.is_faint(),
        italic: pen.is_italic(),
        underline: pen.is_underline(),
        strikethrough: pen.is_strikethrough(),
        inverse: pen.is_inverse(),
    }
}

fn color(color: Color) -> String {
    match color {
        Color::Indexed(index) => index.to_string(),
        Color::RGB(rgb) => format!("#{:02x}{:02x}{:02x}", rgb.r, rgb.g, rgb.b),
    }
}
