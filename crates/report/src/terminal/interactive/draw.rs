//! Draws the state on the screen.
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
/// Rows outside the pane.
const FRAME: u16 = 4;

const KEYS: &str = "1-9 a h l: worker   j k g G: scroll   f: follow   q: stop";
const STOPPING: &str = "stopping running tests; press q again to kill them";
const KILLING: &str = "killing running tests";
const LEAVE: &str = "run finished   q: quit";

pub(super) fn draw(state: &mut ScreenState, buffer: &mut Buffer, now: Time) {
    let area = buffer.area;
    let height = area.height.saturating_sub(FRAME);
    state.resize(area.width.into(), height.into());
    row(buffer, 0, &progress(state, now));
    row(buffer, 1, &tabs(state, area.width.into()));
    row(
        buffer,
        2,
        &title(state, now, area.width.into(), height.into()),
    );
    for (line, y) in state.pane().view(height.into()).zip(3..) {
        row(buffer, y, &line);
    }
    if area.height > 3 {
        let style = Style::new().add_modifier(Modifier::REVERSED);
        buffer.set_style(Rect::new(area.x, area.bottom() - 1, area.width, 1), style);
        row(buffer, area.height - 1, &footer(state).patch_style(style));
    }
}

fn row(buffer: &mut Buffer, y: u16, line: &Line<'_>) {
    let area = buffer.area;
    if y < area.height {
        buffer.set_line(area.x, area.y + y, line, area.width);
    }
}

fn progress(state: &ScreenState, now: Time) -> Line<'static> {
    let counts = &state.counts;
    let done = counts.done();
    let total = counts.planned.max(done + state.running());
    let filled = (done * BAR).checked_div(total).unwrap_or(0).min(BAR);
    let color = if counts.failed > 0 { RED } else { GREEN };
    let mut spans = vec![
        Span::styled("━".repeat(filled), color),
        Span::styled("─".repeat(BAR - filled), DIM),
        Span::styled(format!(" {done}/{total}"), BOLD),
    ];
    for (style, number, word) in [
        (GREEN, counts.passed, "passed"),
        (RED, counts.failed, "failed"),
        (YELLOW, counts.pending, "skipped"),
    ] {
        if number > 0 {
            spans.push(Span::styled(format!("  {number} {word}"), style));
        }
    }
    let until = state.ended.unwrap_or(now);
    if let Some(started) = state.started {
        let time = age(until.millis_since(started).max(0));
        spans.push(Span::styled(format!("  {time}"), DIM));
    }
    Line::from(spans)
}

/// The tabs. If not all fit, those around the selected one.
fn tabs(state: &ScreenState, width: usize) -> Line<'static> {
    let all = [(None, "all".to_owned())].into_iter();
    let workers = state.workers.iter().map(|(number, worker)| {
        let mark = if worker.now.is_some() { " ▸" } else { "" };
        (Some(*number), format!("{number}{mark}"))
    });
    let tabs: Vec<_> = all
        .chain(workers)
        .map(|(tab, name)| (tab == state.selected, format!(" {name} ")))
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

/// What the selected worker runs, and the visible rows.
fn title(state: &ScreenState, now: Time, width: usize, height: usize) -> Line<'static> {
    let (visible, rows) = state.pane().visible_rows(height);
    let position = if state.pane().is_following() {
        "follows".to_owned()
    } else {
        format!(
            "{}-{} of {rows}",
            (visible.start + 1).min(rows),
            visible.end
        )
    };
    let worker = state.selected.and_then(|worker| state.workers.get(&worker));
    let mut status = match (worker, state.ended) {
        (_, Some(_)) => "done".to_owned(),
        (None, _) => format!("{} running", count(state.running(), "test")),
        (Some(worker), _) => match &worker.now {
            Some(test) => {
                let age = age(now.millis_since(test.started).max(0));
                format!("▸ {}  {age}", one_line(&test.title))
            }
            None => "waiting".to_owned(),
        },
    };
    let room = width.saturating_sub(columns(&position) + 1);
    while columns(&status) > room && status.pop().is_some() {}
    let gap = " ".repeat(width.saturating_sub(columns(&status) + columns(&position)));
    Line::from(vec![
        Span::styled(status, BOLD),
        Span::raw(gap),
        Span::styled(position, DIM),
    ])
}

fn footer(state: &ScreenState) -> Line<'static> {
    Line::from(match (state.ended, state.stop_requests) {
        (Some(_), _) => LEAVE,
        (None, 0) => KEYS,
        (None, 1) => STOPPING,
        (None, _) => KILLING,
    })
}

const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);
const DIM: Style = Style::new().add_modifier(Modifier::DIM);
const GREEN: Style = Style::new().fg(Color::Indexed(2));
const RED: Style = Style::new().fg(Color::Indexed(1));
const YELLOW: Style = Style::new().fg(Color::Indexed(3));
