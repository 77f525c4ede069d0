//! The end of the coverage of characteristics: the marks explained, and the numbers of all methods.

use std::io;

use super::super::page::Page;
use super::super::style::{BAD, BOLD, DIM, GOOD, PLAIN, WARN};
use super::super::text::count;
use crate::coverage::{Counts, CoverageStatus, Matrix, ObservedStatus};

pub(super) fn legend(page: &mut Page, is_observed: bool) -> io::Result<()> {
    let named = [
        CoverageStatus::Passed,
        CoverageStatus::Failed,
        CoverageStatus::NotRun,
        CoverageStatus::Uncovered,
    ];
    let words = |all: Vec<String>| all.join("   ");
    let named = named.map(|one| format!("{} {}", one.mark(), one.as_str()));
    if !is_observed {
        return page.row(0, &[(DIM, &words(named.into()))]);
    }
    let observed = ObservedStatus::ALL.map(|one| format!("{} {}", one.mark(), one.as_str()));
    page.row(
        0,
        &[(DIM, &format!("observed: {}", words(observed.into())))],
    )?;
    let named = words(named[..3].into());
    page.row(0, &[(DIM, &format!("by name:  {named}"))])
}

pub(super) fn observed_numbers(page: &mut Page, matrix: &Matrix) -> io::Result<()> {
    let counts = matrix.observed_states();
    let states = count(counts.all(), "state");
    let parts =
        ObservedStatus::ALL.map(|one| format!("{} {}", counts.of_status(one), one.as_str()));
    let percent = format!("{}% exercised or proven", counts.percent());
    page.paragraph(
        0,
        2,
        &[
            (BOLD, &format!("{states} observed")),
            (PLAIN, &format!(": {}; ", parts.join(", "))),
            (BOLD, &percent),
        ],
    )
}

pub(super) fn numbers(page: &mut Page, noun: &str, counts: Counts) -> io::Result<()> {
    let with_percent = |part: usize| format!("{part} ({}%)", counts.percent(part));
    let style = if counts.passed == counts.designed {
        GOOD
    } else if counts.passed < counts.run {
        BAD
    } else {
        WARN
    };
    page.paragraph(
        0,
        2,
        &[
            (BOLD, &count(counts.designed, noun)),
            (
                PLAIN,
                &format!(
                    " designed, {} covered, {} run, ",
                    with_percent(counts.covered),
                    counts.run
                ),
            ),
            (
                style.bold(),
                &format!("{} passed", with_percent(counts.passed)),
            ),
        ],
    )
}
