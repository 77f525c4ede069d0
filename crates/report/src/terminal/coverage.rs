//! Coverage of characteristics in the terminal: per method the lowest status first, totals last.

mod totals;

use std::io;

use anstyle::Style;

use super::page::Page;
use super::style::{BAD, BOLD, DIM, GOOD, LOCATION, PLAIN, WARN};
use super::text::{columns, count};
use crate::coverage::{CoverageOutcome, CoverageStatus, Matrix, Method, Observed, ObservedStatus};
use totals::{legend, numbers, observed_numbers};

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
    legend(page, matrix.observed.is_some())?;
    if let Some(command) = &matrix.observed {
        page.paragraph(
            0,
            2,
            &[(DIM, "Observed while running "), (LOCATION, command)],
        )?;
    }
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
    numbers(page, "state", matrix.states())?;
    match matrix.observed {
        Some(_) => observed_numbers(page, matrix),
        None => Ok(()),
    }
}

fn show_method(page: &mut Page, method: &Method) -> io::Result<()> {
    page.row(
        0,
        &[
            (BOLD, &method.name),
            (DIM, " · "),
            (LOCATION, &method.file),
            (DIM, &summary(method)),
        ],
    )?;
    let states = method.characteristics.iter().flat_map(|one| {
        one.states.iter().map(|state| Row {
            name: format!("{} = {}", one.name, state.name),
            status: method.status(&state.tests),
            tests: &state.tests,
            observed: state.observed.as_ref(),
        })
    });
    show_rows(page, method, states.collect())?;
    let combinations = method.combinations.iter();
    let combinations: Vec<_> = combinations
        .map(|one| Row {
            name: one.name(),
            status: method.status(&one.tests),
            tests: &one.tests,
            observed: one.observed.as_ref(),
        })
        .collect();
    if !combinations.is_empty() {
        page.row(2, &[(DIM, "combinations")])?;
        show_rows(page, method, combinations)?;
    }
    page.blank()
}

fn summary(method: &Method) -> String {
    let (counts, observed) = (method.counts(), method.observed_counts());
    let states = count(counts.designed, "state");
    match (counts.designed, observed.all()) {
        (0, _) => " · no characteristics".to_owned(),
        (_, 0) => format!(" · {} of {states} passed", counts.passed),
        _ => format!(" · {} of {states} exercised", observed.reached()),
    }
}

/// A state or a combination.
struct Row<'m> {
    name: String,
    status: CoverageStatus,
    tests: &'m [usize],
    observed: Option<&'m Observed>,
}

/// Shows the rows: the lowest status first, equal ones in the order of the design.
fn show_rows(page: &mut Page, method: &Method, mut rows: Vec<Row<'_>>) -> io::Result<()> {
    rows.sort_by_key(|row| (row.observed.map(|one| one.status), row.status));
    let widest = rows.iter().map(|row| columns(&row.name)).max();
    let width = widest.unwrap_or(0).min(MAX_NAME);
    for row in rows {
        let padding = " ".repeat(width.saturating_sub(columns(&row.name)) + 2);
        let mut spans = marks(&row);
        spans.extend([(PLAIN, " "), (PLAIN, row.name.as_str())]);
        let test = shown_example(row.observed).or_else(|| shown_test(method, row.tests));
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

/// What was observed, then what tests are named after it, if any are.
fn marks(row: &Row<'_>) -> Vec<(Style, &'static str)> {
    let named = (style(row.status), row.status.mark());
    match row.observed {
        None => vec![named],
        Some(observed) => vec![
            (observed_style(observed.status), observed.status.mark()),
            (PLAIN, " "),
            match row.status {
                CoverageStatus::Uncovered => (PLAIN, " "),
                _ => named,
            },
        ],
    }
}

fn shown_example(observed: Option<&Observed>) -> Option<(&str, String)> {
    let examples = &observed?.examples;
    let first = examples.first()?;
    Some((
        &first.location,
        format!(" {}{}", first.name, more(examples.len() - 1)),
    ))
}

fn more(others: usize) -> String {
    match others {
        0 => String::new(),
        others => format!(" and {others} more"),
    }
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
    Some((&test.location, format!(" {}{}", test.name, more(others))))
}

fn style(status: CoverageStatus) -> Style {
    match status {
        CoverageStatus::Uncovered | CoverageStatus::Failed => BAD,
        CoverageStatus::NotRun => WARN,
        CoverageStatus::Passed => GOOD,
    }
}

fn observed_style(status: ObservedStatus) -> Style {
    match status {
        ObservedStatus::Proven | ObservedStatus::Exercised => GOOD,
        ObservedStatus::OutsideExamples => WARN,
        ObservedStatus::Never => BAD,
        ObservedStatus::NotLoaded => DIM,
    }
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
    fn observed_states_have_two_marks() {
        let mut out = Vec::new();
        report(&fixture::observed(), false, 100, &mut out).unwrap();
        insta::assert_snapshot!(String::from_utf8(out).unwrap(), @r"
        ParcelRouter#deliver · app/services/parcel_router.rb · 2 of 5 states exercised
          -   parcel_carrier = drone
          · ✓ parcel_carrier = bike       spec/router_spec.rb:17 rides and 1 more
          ○ ○ parcel_carrier = van        suites/router.casebook.yaml:4 drives
          ✓ ✗ parcel_packed = not_packed  spec/router_spec.rb:17 Router rides and 1 more
          ◆ ✓ parcel_packed = packed      spec/router_spec.rb:17 Router rides and 1 more
          combinations
          · parcel_packed = packed → parcel_carrier = drone
          ✓ parcel_packed = packed → parcel_carrier = bike   spec/router_spec.rb:17 rides

        Greeter.run · bin/greet.rb · 1 of 1 state passed
          ✓ loud = loud  suites/greet.casebook.yaml:4 shouts

        observed: ◆ proven   ✓ exercised   ○ outside examples   · never   - not loaded
        by name:  ✓ passed   ✗ failed   ○ not run
        Observed while running bundle exec rspec
        Results of .casebook/runs/20261115-084051-d00fa811

        2 combinations designed, 1 (50%) covered, 1 run, 1 (50%) passed
        6 states designed, 5 (83%) covered, 4 run, 3 (50%) passed
        5 states observed: 1 proven, 1 exercised, 1 outside examples, 1 never, 1 not loaded; 40% exercised
          or proven
        ");
    }

    #[test]
    fn lines_are_cut_in_a_narrow_terminal() {
        for line in shown(40).lines() {
            assert!(columns(line) <= 40, "{line}");
        }
    }
}
