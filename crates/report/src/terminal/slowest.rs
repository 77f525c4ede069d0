//! The slowest examples, as a table.

use std::io;

use casebook_record::Run;

use super::duration::human;
use super::page::Page;
use super::style::{BOLD, LOCATION, PLAIN};
use super::text::{columns, fit_end, one_line};
use super::title::title;
use crate::examples::ExampleIndex;

/// Shortest title that can be recognized.
const MIN_TITLE: usize = 24;
const GAP: usize = 2;

struct Row {
    duration: String,
    title: String,
    location: String,
}

/// Lists the slowest examples, if durations are known.
pub(super) fn show(
    page: &mut Page,
    run: &Run,
    index: &ExampleIndex,
    count: usize,
) -> io::Result<()> {
    let row = |(example, millis)| {
        let example = run.examples.read(example)?;
        Ok(Row {
            duration: human(millis),
            title: one_line(&title(run, &example)),
            location: one_line(&example.location),
        })
    };
    let slowest = index.slowest(count).into_iter();
    let rows: Vec<Row> = slowest.map(row).collect::<io::Result<_>>()?;
    if rows.is_empty() {
        return Ok(());
    }
    page.heading("Slowest")?;
    table(page, &rows)
}

fn table(page: &mut Page, rows: &[Row]) -> io::Result<()> {
    let duration = widest(rows, |row| &row.duration);
    let location = widest(rows, |row| &row.location);
    let room = page
        .width()
        .saturating_sub(GAP + duration + GAP + GAP + location);
    let title = widest(rows, |row| &row.title).min(room.max(MIN_TITLE));
    for row in rows {
        let title = cell(&row.title, title);
        let before = " ".repeat(duration - columns(&row.duration));
        page.row(
            GAP,
            &[
                (PLAIN, &before),
                (BOLD, &row.duration),
                (PLAIN, "  "),
                (PLAIN, &title),
                (PLAIN, "  "),
                (LOCATION, &row.location),
            ],
        )?;
    }
    Ok(())
}

pub(super) fn widest<T>(rows: &[T], text: impl Fn(&T) -> &str) -> usize {
    rows.iter().map(|row| columns(text(row))).max().unwrap_or(0)
}

/// The text in exactly `width` columns. The beginning is cut, because groups repeat and names differ.
pub(super) fn cell(text: &str, width: usize) -> String {
    let mut cell = text.to_owned();
    if columns(text) > width {
        let start = text.len() - fit_end(text, width.saturating_sub(1));
        cell = format!("…{}", &text[start..]);
    }
    let missing = width.saturating_sub(columns(&cell));
    cell.extend(std::iter::repeat_n(' ', missing));
    cell
}
