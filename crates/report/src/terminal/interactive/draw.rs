//! The board on the screen.
//!
//! ```text
//! ━━━━━━━━━━──────────── 34/120  2 failed  12.3 s
//!  all   1 ▸  2 ▸  3
//! ▸ shop › sells beer  1.2 s                      follows
//! (the pane)
//!  1-9 a h l worker   j k g G scroll   f follow   q stop
//! ```

use casebook_record::Time;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::{Color, Modifier, Style};
use ratatui_core::text::{Line, Span};

use super::state::ScreenState;
use crate::terminal::live::progress::age;
use crate::terminal::text::{columns, count, one_line};

const BAR: usize = 24;
/// Rows that are not the pane's.
const FRAME: u16 = 4;

const KEYS: &str = "1-9 a h l: worker   j k g G: scroll   f: follow   q: stop";
const STOPPING: &str = "stopping: the running tests are ended; q once more ends them at once";
const AT_ONCE: &str = "stopping at once";
const LEAVE: &str = "the run is over   q: leave";

pub(super) fn draw(board: &mut ScreenState, buffer: &mut Buffer, now: Time) {
    let area = buffer.area;
    let height = area.height.saturating_sub(FRAME);
    board.resize(area.width.into(), height.into());
    row(buffer, 0, &progress(board, now));
    row(buffer, 1, &tabs(board, area.width.into()));
    row(
        buffer,
        2,
        &title(board, now, area.width.into(), height.into()),
    );
    for (line, y) in board.pane().view(height.into()).zip(3..) {
        row(buffer, y, &line);
    }
    if area.height > 3 {
        let style = Style::new().add_modifier(Modifier::REVERSED);
        buffer.set_style(Rect::new(area.x, area.bottom() - 1, area.width, 1), style);
        row(buffer, area.height - 1, &footer(board).patch_style(style));
    }
}

fn row(buffer: &mut Buffer, y: u16, line: &Line<'_>) {
    let area = buffer.area;
    if y < area.height {
        buffer.set_line(area.x, area.y + y, line, area.width);
    }
}

fn progress(board: &ScreenState, now: Time) -> Line<'static> {
    let tally = &board.tally;
    let done = tally.done();
    let total = tally.planned.max(done + board.running());
    let filled = (done * BAR).checked_div(total).unwrap_or(0).min(BAR);
    let colour = if tally.failed > 0 { RED } else { GREEN };
    let mut spans = vec![
        Span::styled("━".repeat(filled), colour),
        Span::styled("─".repeat(BAR - filled), DIM),
        Span::styled(format!(" {done}/{total}"), BOLD),
    ];
    for (style, number, word) in [
        (GREEN, tally.passed, "passed"),
        (RED, tally.failed, "failed"),
        (YELLOW, tally.pending, "skipped"),
    ] {
        if number > 0 {
            spans.push(Span::styled(format!("  {number} {word}"), style));
        }
    }
    let until = board.ended.unwrap_or(now);
    if let Some(began) = board.began {
        let time = age(until.millis_since(began).max(0));
        spans.push(Span::styled(format!("  {time}"), DIM));
    }
    Line::from(spans)
}

/// The tabs; where there is no room for all, those around the selected one.
fn tabs(board: &ScreenState, width: usize) -> Line<'static> {
    let all = [(None, "all".to_owned())].into_iter();
    let workers = board.workers.iter().map(|(number, worker)| {
        let mark = if worker.now.is_some() { " ▸" } else { "" };
        (Some(*number), format!("{number}{mark}"))
    });
    let tabs: Vec<_> = all
        .chain(workers)
        .map(|(tab, name)| (tab == board.selected, format!(" {name} ")))
        .collect();
    let selected = tabs.iter().position(|(is_selected, _)| *is_selected);
    let mut first = 0;
    let upto = |first: usize| -> usize {
        let tabs = &tabs[first..=selected.unwrap_or(0).max(first)];
        tabs.iter().map(|(_, name)| columns(name) + 1).sum()
    };
    while first < selected.unwrap_or(0) && upto(first) > width {
        first += 1;
    }
    let spans = tabs[first..].iter().flat_map(|(is_selected, name)| {
        let style = if *is_selected {
            BOLD.add_modifier(Modifier::REVERSED)
        } else {
            DIM
        };
        [Span::styled(name.clone(), style), Span::raw(" ")]
    });
    Line::from(spans.collect::<Vec<_>>())
}

/// What the selected worker does, and which part of it is seen.
fn title(board: &ScreenState, now: Time, width: usize, height: usize) -> Line<'static> {
    let (seen, rows) = board.pane().seen(height);
    let place = if board.pane().is_following() {
        "follows".to_owned()
    } else {
        format!("{}-{} of {rows}", (seen.start + 1).min(rows), seen.end)
    };
    let worker = board.selected.and_then(|worker| board.workers.get(&worker));
    let mut doing = match (worker, board.ended) {
        (_, Some(_)) => "done".to_owned(),
        (None, _) => format!("{} running", count(board.running(), "test")),
        (Some(worker), _) => match &worker.now {
            Some(test) => {
                let age = age(now.millis_since(test.began).max(0));
                format!("▸ {}  {age}", one_line(&test.title))
            }
            None => "waiting".to_owned(),
        },
    };
    let room = width.saturating_sub(columns(&place) + 1);
    while columns(&doing) > room && doing.pop().is_some() {}
    let gap = " ".repeat(width.saturating_sub(columns(&doing) + columns(&place)));
    Line::from(vec![
        Span::styled(doing, BOLD),
        Span::raw(gap),
        Span::styled(place, DIM),
    ])
}

fn footer(board: &ScreenState) -> Line<'static> {
    Line::from(match (board.ended, board.asked) {
        (Some(_), _) => LEAVE,
        (None, 0) => KEYS,
        (None, 1) => STOPPING,
        (None, _) => AT_ONCE,
    })
}

const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);
const DIM: Style = Style::new().add_modifier(Modifier::DIM);
const GREEN: Style = Style::new().fg(Color::Indexed(2));
const RED: Style = Style::new().fg(Color::Indexed(1));
const YELLOW: Style = Style::new().fg(Color::Indexed(3));
