//! What is drawn while tests run: how far the run is, and which tests are taking their time.

use std::io;

use casebook_record::Time;

use super::running::Running;
use crate::terminal::duration::human;
use crate::terminal::page::Page;
use crate::terminal::style::{BAD, BOLD, DIM, GOOD, PLAIN, WARN};
use crate::terminal::summary::RunCounts;

/// A test that ends sooner is not worth a row, which would be gone before it is read.
const WORTH_A_ROW: i64 = 1_000;
/// From here on it is probably stuck.
const SLOW: i64 = 10_000;
/// The rows are looked at, not read.
const ROWS: usize = 4;
const BAR: usize = 24;

/// Draws the bar and the oldest of the running tests.
pub(super) fn show(
    page: &mut Page,
    tally: &RunCounts,
    running: &Running,
    began: Time,
    now: Time,
) -> io::Result<()> {
    let done = tally.done();
    let total = tally.planned.max(done + running.count());
    let filled = (done * BAR).checked_div(total).unwrap_or(0);
    let color = if tally.failed > 0 { BAD } else { GOOD };
    let counts = format!(" {done}/{total}");
    let failed = match tally.failed {
        0 => String::new(),
        failed => format!("  {failed} failed"),
    };
    let time = format!("  {}", age(now.millis_since(began)));
    page.row(
        0,
        &[
            (color, &"━".repeat(filled)),
            (DIM, &"─".repeat(BAR - filled)),
            (BOLD, &counts),
            (BAD.bold(), &failed),
            (DIM, &time),
        ],
    )?;
    let old = running.older_than(WORTH_A_ROW, now);
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

/// A time that runs: no more digits than can be followed.
pub(in crate::terminal) fn age(millis: i64) -> String {
    if millis < 60_000 {
        let tenths = millis / 100;
        format!("{}.{} s", tenths / 10, tenths % 10)
    } else {
        human(millis)
    }
}
