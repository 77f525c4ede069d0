//! The index of a run in progress: rows are made one by one, when their tests change.

use std::io;

use casebook_record::{NOT_RUN, RunData};
use serde_json::Value;

use super::index;
use super::row::Row;

/// The row of the only example of this run, as a JSON object; `None` without an example.
pub fn live_row(run: &RunData) -> Option<String> {
    let (_, example) = run.examples.first()?;
    let row = Row::of_live(run, example);
    Some(serde_json::to_string(&row).expect("a row has only text keys"))
}

/// Writes the index of a run in progress: these rows, then the planned tests that have not started.
pub fn write_live_index<'r>(
    head: &RunData,
    rows: impl Iterator<Item = &'r str>,
    record: Option<&str>,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let mut list = String::from("[");
    rows.for_each(|row| push(&mut list, row));
    let planned = head.metadata.get(NOT_RUN).and_then(Value::as_array);
    for row in planned.into_iter().flatten().filter_map(Row::not_run) {
        push(&mut list, &serde_json::to_string(&row)?);
    }
    list.push(']');
    let index = index::of_live(head, serde_json::from_str(&list)?, record);
    Ok(serde_json::to_writer(out, &index)?)
}

fn push(list: &mut String, row: &str) {
    if list.len() > 1 {
        list.push(',');
    }
    list.push_str(row);
}
