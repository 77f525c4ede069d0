//! The progress bar and the running tests below it.

use std::io;

use casebook_record::Time;

use super::running::Running;
use crate::terminal::duration::human;
use crate::terminal::page::Page;
use crate::terminal::style::{BAD, BOLD, DIM, GOOD, PLAIN, WARN};
use crate::terminal::summary::RunCounts;

/// Milliseconds after which a running test gets a row. Shorter rows would disappear before they are read.
const ROW_AFTER_MS: i64 = 1_000;
/// Milliseconds after which a running test is highlighted as slow.
const SLOW: i64 = 10_000;
/// Rows for running tests.
const ROWS: usize = 4;
const BAR: usize = 24;

/// Draws the bar and the longest-running tests.
pub(super) fn show(
    page: &mut Page,
    counts: &RunCounts,
    running: &Running,
    started: Time,
    now: Time,
) -> io::Result<()> {
    let done = counts.done();
    let total = counts.planned.max(done + running.count());
    let filled = (done * BAR).checked_div(total).unwrap_or(0);
    let color = if counts.has_failures() { BAD } else { GOOD };
    let progress = format!(" {done}/{total}");
    let failed = match counts.failed {
        0 => String::new(),
        failed => format!("  {failed} failed"),
    };
    let time = format!("  {}", age(now.millis_since(started)));
    page.row(
        0,
        &[
            (color, &"━".repeat(filled)),
            (DIM, &"─".repeat(BAR - filled)),
            (BOLD, &progress),
            (BAD.bold(), &failed),
            (DIM, &time),
        ],
    )?;
    let old = running.older_than(ROW_AFTER_MS, now);
    for test in old.iter().take(ROWS) {
        let millis = test.age(now);
        let style = if millis < SLOW { DIM } else { WARN };
        let age = format!("{:>10}  ", age(millis));
        page.row(0, &[(style, &age), (PLAIN, &test.title)])?;
    }
    match old.len().saturating_sub(ROWS) {
        0 => Ok(()),
        more => page.row(12, &[(DIM, &format!("… and {more} more"))]),
    }
}

/// The age of a running test, with few digits because it changes constantly.
pub(in crate::terminal) fn age(millis: i64) -> String {
    if millis < 60_000 {
        let tenths = millis / 100;
        format!("{}.{} s", tenths / 10, tenths % 10)
    } else {
        human(millis)
    }
}
