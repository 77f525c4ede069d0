//! Lists failures again at the end, because they may have scrolled away.

use std::io;

use casebook_record::{ExampleData, Run};

use crate::examples::{failed_at, reason};
use crate::terminal::failure::NAMED;
use crate::terminal::page::Page;
use crate::terminal::style::{BAD, DIM, LOCATION, PLAIN};
use crate::terminal::text::elide_to;
use crate::terminal::title::title;

/// Characters of a reason.
const MAX_REASON: usize = 200;

/// A failure to be listed at the end.
pub(super) struct Failure {
    pub(super) position: u64,
    location: String,
    title: String,
    reason: String,
}

impl Failure {
    pub(super) fn of(position: u64, run: &Run, example: &ExampleData) -> Failure {
        Failure {
            position,
            location: failed_at(example).to_owned(),
            title: title(run, example),
            reason: elide_to(reason(example).unwrap_or_default(), MAX_REASON).into_owned(),
        }
    }

    fn show(&self, page: &mut Page) -> io::Result<()> {
        page.row(
            0,
            &[
                (BAD, "✗ "),
                (LOCATION, &self.location),
                (PLAIN, "  "),
                (PLAIN, &self.title),
            ],
        )?;
        if self.reason.is_empty() {
            return Ok(());
        }
        page.row(4, &[(DIM, &self.reason)])
    }
}

/// Lists failures in the order of the files.
pub(super) fn list(page: &mut Page, failures: &mut [Failure]) -> io::Result<()> {
    failures.sort_by_key(|failure| failure.position);
    page.heading("Failures")?;
    for failure in failures.iter().take(NAMED) {
        failure.show(page)?;
    }
    match failures.len().saturating_sub(NAMED) {
        0 => Ok(()),
        hidden => page.row(0, &[(DIM, &format!("… and {hidden} more"))]),
    }
}
