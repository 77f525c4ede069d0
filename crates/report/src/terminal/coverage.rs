//! Coverage of characteristics in the terminal: per method the lowest status first, totals last.

use std::io;

use anstyle::Style;

use super::page::Page;
use super::style::{BAD, BOLD, DIM, GOOD, LOCATION, PLAIN, WARN};
use super::text::{columns, count};
use crate::coverage::{Counts, CoverageOutcome, CoverageStatus, Matrix, Method};

/// Longer names do not widen the column of names.
const MAX_NAME: usize = 48;

/// Writes the matrix.
pub fn report(
    matrix: &Matrix,
    color: bool,
    width: usize,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let page = &mut Page::new(out, color, width);
    for method in &matrix.methods {
        show_method(page, method)?;
    }
    legend(page)?;
    match matrix.runs.as_slice() {
        [] => page.row(
            0,
            &[(DIM, "No recorded runs found; all tests count as not run.")],
        )?,
        runs => page.paragraph(
            0,
            2,
            &[(DIM, "Results of "), (LOCATION, runs.join(", ").as_str())],
        )?,
    }
    page.blank()?;
    let combinations = matrix.combinations();
    if combinations.designed > 0 {
        numbers(page, "combination", combinations)?;
    }
    numbers(page, "state", matrix.states())
}

fn show_method(page: &mut Page, method: &Method) -> io::Result<()> {
    let counts = method.counts();
    let passed = match counts.designed {
        0 => " · no characteristics".to_owned(),
        designed => format!(
            " · {} of {} passed",
            counts.passed,
            count(designed, "state")
        ),
    };
    page.row(
        0,
        &[
            (BOLD, &method.name),
            (DIM, " · "),
            (LOCATION, &method.file),
            (DIM, &passed),
        ],
    )?;
    let states = method.characteristics.iter().flat_map(|one| {
        one.states.iter().map(|state| {
            (
                format!("{} = {}", one.name, state.name),
                state.tests.as_slice(),
            )
        })
    });
    show_rows(page, method, states.collect())?;
    let combinations = method.combinations.iter();
    let combinations: Vec<_> = combinations
        .map(|one| (one.name(), one.tests.as_slice()))
        .collect();
    if !combinations.is_empty() {
        page.row(2, &[(DIM, "combinations")])?;
        show_rows(page, method, combinations)?;
    }
    page.blank()
}

/// Shows the rows: the lowest status first, equal ones in the order of the design.
fn show_rows(page: &mut Page, method: &Method, rows: Vec<(String, &[usize])>) -> io::Result<()> {
    let mut rows: Vec<_> = rows
        .into_iter()
        .map(|(name, tests)| (method.status(tests), name, tests))
        .collect();
    rows.sort_by_key(|(status, ..)| *status);
    let widest = rows.iter().map(|(_, name, _)| columns(name)).max();
    let width = widest.unwrap_or(0).min(MAX_NAME);
    for (status, name, tests) in rows {
        let padding = " ".repeat(width.saturating_sub(columns(&name)) + 2);
        let mut spans = vec![
            (style(status), status.mark()),
            (PLAIN, " "),
            (PLAIN, name.as_str()),
        ];
        let test = shown_test(method, tests);
        if let Some((location, rest)) = &test {
            spans.extend([
                (PLAIN, padding.as_str()),
                (LOCATION, *location),
                (DIM, rest),
            ]);
        }
        page.paragraph(2, 4, &spans)?;
    }
    Ok(())
}

/// The test to show, failed ones before passed ones, and how many others there are.
fn shown_test<'m>(method: &'m Method, tests: &[usize]) -> Option<(&'m str, String)> {
    let rank = |outcome| match outcome {
        CoverageOutcome::Failed => 0,
        CoverageOutcome::Passed => 1,
        CoverageOutcome::NotRun => 2,
    };
    let tests = tests.iter().map(|test| &method.tests[*test]);
    let others = tests.len().saturating_sub(1);
    let test = tests.min_by_key(|test| rank(test.outcome))?;
    let more = match others {
        0 => String::new(),
        others => format!(" and {others} more"),
    };
    Some((&test.location, format!(" {}{more}", test.name)))
}

fn style(status: CoverageStatus) -> Style {
    match status {
        CoverageStatus::Uncovered | CoverageStatus::Failed => BAD,
        CoverageStatus::NotRun => WARN,
        CoverageStatus::Passed => GOOD,
    }
}

fn legend(page: &mut Page) -> io::Result<()> {
    let all = [
        CoverageStatus::Passed,
        CoverageStatus::Failed,
        CoverageStatus::NotRun,
        CoverageStatus::Uncovered,
    ];
    let words: Vec<_> = all
        .iter()
        .map(|one| format!("{} {}", one.mark(), one.as_str()))
        .collect();
    page.row(0, &[(DIM, &words.join("   "))])
}

fn numbers(page: &mut Page, noun: &str, counts: Counts) -> io::Result<()> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::fixture;

    fn shown(width: usize) -> String {
        let mut out = Vec::new();
        report(&fixture::matrix(), false, width, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_lowest_status_comes_first() {
        insta::assert_snapshot!(shown(100), @r"
        ParcelRouter#deliver · app/services/parcel_router.rb · 2 of 5 states passed
          · parcel_carrier = drone
          ✗ parcel_packed = not_packed  spec/router_spec.rb:34 raises <NotPacked>
          ○ parcel_carrier = van        suites/router.casebook.yaml:4 drives
          ✓ parcel_packed = packed      spec/router_spec.rb:17 rides
          ✓ parcel_carrier = bike       spec/router_spec.rb:17 rides and 1 more
          combinations
          · parcel_packed = packed → parcel_carrier = drone
          ✓ parcel_packed = packed → parcel_carrier = bike   spec/router_spec.rb:17 rides

        Greeter.run · bin/greet.rb · 1 of 1 state passed
          ✓ loud = loud  suites/greet.casebook.yaml:4 shouts

        ✓ passed   ✗ failed   ○ not run   · not covered
        Results of .casebook/runs/20261115-084051-d00fa811

        2 combinations designed, 1 (50%) covered, 1 run, 1 (50%) passed
        6 states designed, 5 (83%) covered, 4 run, 3 (50%) passed
        ");
    }

    #[test]
    fn lines_are_cut_in_a_narrow_terminal() {
        for line in shown(40).lines() {
            assert!(columns(line) <= 40, "{line}");
        }
    }
}
