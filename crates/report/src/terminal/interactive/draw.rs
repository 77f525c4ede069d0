//! Draws the state on the screen.
//!
//! ```text
//! ━━━━━━━━━━──────────── 34/120  2 failed  12.3 s
//!  all   1 ▸  2 ▸  3
//! ▸ shop › sells beer  1.2 s                      follows
//! (the pane)
//! 1-9 a h l: worker   j k g G: scroll   n: failure   …   q: stop
//! ```
//!
//! On a narrow screen, the bar becomes shorter, words become symbols, and less important keys are left out.

use casebook_record::Time;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::{Color, Modifier, Style};
use ratatui_core::text::{Line, Span};

use super::keys;
use super::state::{Mode, ScreenState};
use crate::terminal::live::progress::age;
use crate::terminal::text::{columns, count, fit, one_line};

const BAR: usize = 24;
/// A shorter bar shows nothing.
const SHORTEST_BAR: usize = 4;
/// Rows outside the pane.
const FRAME: u16 = 4;

const STOPPING: &str = "stopping running tests; press q again to kill them";
const STOPPING_BRIEFLY: &str = "stopping; q again: kill tests";
const KILLING: &str = "killing running tests";

pub(super) fn draw(state: &mut ScreenState, buffer: &mut Buffer, now: Time) {
    let area = buffer.area;
    let height = area.height.saturating_sub(FRAME);
    state.resize(area.width.into(), height.into());
    row(buffer, 0, &progress(state, now, area.width.into()));
    row(buffer, 1, &tabs(state, area.width.into()));
    let title = title(state, now, area.width.into(), height.into());
    row(buffer, 2, &title);
    if state.mode == Mode::Help {
        for (line, y) in keys::help().take(height.into()).zip(3..) {
            row(buffer, y, &Line::from(line));
        }
    } else {
        for (line, y) in state.pane().view(height.into()).zip(3..) {
            row(buffer, y, &line);
        }
    }
    if area.height > 3 {
        let style = Style::new().add_modifier(Modifier::REVERSED);
        buffer.set_style(Rect::new(area.x, area.bottom() - 1, area.width, 1), style);
        let footer = footer(state, area.width.into()).patch_style(style);
        row(buffer, area.height - 1, &footer);
    }
}

fn row(buffer: &mut Buffer, y: u16, line: &Line<'_>) {
    let area = buffer.area;
    if y < area.height {
        buffer.set_line(area.x, area.y + y, line, area.width);
    }
}

/// The bar, the counts and the time, in the longest form that fits.
fn progress(state: &ScreenState, now: Time, width: usize) -> Line<'static> {
    let counts = &state.counts;
    let done = counts.done();
    let total = counts.planned.max(done + state.running());
    let until = state.ended.unwrap_or(now);
    let time = state.started.map(|started| {
        let time = age(until.millis_since(started).max(0));
        Span::styled(format!("  {time}"), DIM)
    });
    let pending = if counts.counts_tests {
        " skipped"
    } else {
        " pending"
    };
    let with_words = [
        (GREEN, counts.passed, " passed"),
        (RED, counts.failed, " failed"),
        (YELLOW, counts.pending, pending),
    ];
    let spans = |brief: bool, time: Option<Span<'static>>| {
        let mut spans = vec![Span::styled(format!("{done}/{total}"), BOLD)];
        for ((style, number, word), mark) in with_words.into_iter().zip(["✓ ", "✗ ", "○ "]) {
            let (before, after) = if brief { (mark, "") } else { ("", word) };
            if number > 0 {
                spans.push(Span::styled(format!("  {before}{number}{after}"), style));
            }
        }
        spans.extend(time);
        spans
    };
    let brief = spans(true, time.clone());
    let spans = fitting([spans(false, time), brief, spans(true, None)], width);
    let used: usize = spans.iter().map(Span::width).sum();
    let length = BAR.min(width.saturating_sub(used + 1));
    if length < SHORTEST_BAR {
        return Line::from(spans);
    }
    let filled = (done * length).checked_div(total).unwrap_or(0).min(length);
    let bar = bar(filled, length, counts.has_failures());
    Line::from(bar.into_iter().chain(spans).collect::<Vec<_>>())
}

fn bar(filled: usize, length: usize, has_failures: bool) -> [Span<'static>; 3] {
    let color = if has_failures { RED } else { GREEN };
    [
        Span::styled("━".repeat(filled), color),
        Span::styled("─".repeat(length - filled), DIM),
        Span::raw(" "),
    ]
}

/// The widest form that fits, otherwise the last.
fn fitting(forms: [Vec<Span<'static>>; 3], width: usize) -> Vec<Span<'static>> {
    let last = forms.len() - 1;
    let fits = |spans: &[Span<'_>]| spans.iter().map(Span::width).sum::<usize>() <= width;
    let chosen = forms.iter().position(|spans| fits(spans)).unwrap_or(last);
    forms.into_iter().nth(chosen).unwrap_or_default()
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
    let first = (visible.start + 1).min(rows);
    let position = match state.pane().shown_failure() {
        Some((number, failures)) => format!("failure {number} of {failures}"),
        None if state.pane().is_following() => "follows".to_owned(),
        None => format!("{first}-{} of {rows}", visible.end),
    };
    let (status, time) = status(state, now);
    let filter = match state.filter.as_str() {
        "" => String::new(),
        filter => format!("/{}  ", one_line(filter)),
    };
    let room = width.saturating_sub(columns(&position) + columns(&time) + 1);
    let status = elided(format!("{filter}{status}"), room) + &time;
    let gap = " ".repeat(width.saturating_sub(columns(&status) + columns(&position)));
    Line::from(vec![
        Span::styled(status, BOLD),
        Span::raw(gap),
        Span::styled(position, DIM),
    ])
}

/// What is running, and for how long.
fn status(state: &ScreenState, now: Time) -> (String, String) {
    let worker = state.selected.and_then(|worker| state.workers.get(&worker));
    let text = match (worker, state.ended) {
        (_, Some(_)) => "run finished".to_owned(),
        (None, _) => format!("{} running", count(state.running(), "test")),
        (Some(worker), _) => match &worker.now {
            Some(test) => {
                let age = age(now.millis_since(test.started).max(0));
                return (format!("▸ {}", one_line(&test.title)), format!("  {age}"));
            }
            None => "waiting".to_owned(),
        },
    };
    (text, String::new())
}

/// The text, or the start of it and `…` if it is too long.
fn elided(mut text: String, room: usize) -> String {
    if columns(&text) > room {
        text.truncate(fit(&text, room.saturating_sub(1)));
        text.push('…');
    }
    text
}

fn footer(state: &ScreenState, width: usize) -> Line<'static> {
    if state.mode == Mode::Filter {
        return Line::from(format!(
            "/{}▏ Enter: keep  Esc: clear",
            one_line(&state.filter)
        ));
    }
    Line::from(match (state.ended, state.stop_requests) {
        (None, 1) if columns(STOPPING) <= width => STOPPING.to_owned(),
        (None, 1) => STOPPING_BRIEFLY.to_owned(),
        (None, 2..) => KILLING.to_owned(),
        (ended, _) => keys::footer(width, ended.is_some(), state.can_rerun()),
    })
}

const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);
const DIM: Style = Style::new().add_modifier(Modifier::DIM);
const GREEN: Style = Style::new().fg(Color::Indexed(2));
const RED: Style = Style::new().fg(Color::Indexed(1));
const YELLOW: Style = Style::new().fg(Color::Indexed(3));
