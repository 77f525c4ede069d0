//! The calibration of a judge in the terminal.

use std::fmt::Display;
use std::io;

use casebook_record::TrialScore;

use super::Options;
use super::page::Page;
use super::style::{BAD, BOLD, DIM, PLAIN};
use super::text::{count, one_line};
use super::trials::percent;
use crate::calibration::{Calibration, Difference, Verdict, turn_name};

/// The width of a column of the table.
const COLUMN: usize = 14;

/// Writes the confusion table, the figures and the cases that differ. Uses only the options `color` and `width`.
pub fn calibration(
    calibration: &Calibration<'_>,
    options: &Options,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let page = &mut Page::new(out, options.color, options.width);
    if !calibration.differences.is_empty() {
        page.heading("Cases that differ")?;
    }
    for (index, difference) in calibration.differences.iter().enumerate() {
        if index > 0 {
            page.blank()?;
        }
        show_difference(page, difference)?;
    }
    page.heading("Calibration")?;
    show_table(page, calibration)?;
    page.blank()?;
    show_figures(page, calibration)
}

fn show_difference(page: &mut Page, difference: &Difference<'_>) -> io::Result<()> {
    let Difference { label, example, .. } = difference;
    let case = format!("{}, {}", label.criterion, turn_name(label.turn));
    page.row(0, &[(BAD, "≠ "), (BOLD, &one_line(&example.description))])?;
    page.row(2, &[(DIM, &example.location), (PLAIN, " "), (PLAIN, &case)])?;
    let who = label.by.as_deref().unwrap_or("label");
    let lines = [
        ("judge", difference.verdict, difference.reason),
        (who, label.verdict, label.comment.as_deref()),
    ];
    for (who, verdict, why) in lines {
        let why = why.map_or_else(String::new, |why| format!(": {}", one_line(why)));
        let text = format!("{who}: {}{why}", verdict.name());
        page.paragraph(2, 2, &[(PLAIN, &text)])?;
    }
    Ok(())
}

/// One row per verdict of the labels, one column per verdict of the judge.
fn show_table(page: &mut Page, calibration: &Calibration<'_>) -> io::Result<()> {
    let titles = row("label", Verdict::ALL.map(Verdict::name));
    page.row(2, &[(DIM, &format!("{:COLUMN$}{:>COLUMN$}", "", "judge"))])?;
    page.row(2, &[(DIM, &titles)])?;
    for (verdict, cells) in Verdict::ALL.into_iter().zip(calibration.matrix) {
        page.row(2, &[(PLAIN, &row(verdict.name(), cells))])?;
    }
    Ok(())
}

fn row<T: Display>(title: &str, cells: [T; 3]) -> String {
    let cells = cells.map(|cell| format!("{cell:>COLUMN$}"));
    format!("{title:COLUMN$}{}", cells.concat())
}

fn show_figures(page: &mut Page, calibration: &Calibration<'_>) -> io::Result<()> {
    let labels = calibration.labels();
    let agreements = calibration.agreements();
    let score = TrialScore {
        trials: labels,
        passed: agreements,
    };
    let rate = percent(score.rate());
    let labels = usize::try_from(labels).unwrap_or(usize::MAX);
    let agreement = format!("{rate} ({agreements} of {})", count(labels, "label"));
    let kappa = match calibration.kappa() {
        Err(why) => format!("not defined: {why}"),
        Ok(kappa) => match kappa.interval {
            Some((low, high)) => {
                format!("{:.2} (95% interval {low:.2} to {high:.2})", kappa.value)
            }
            None => format!("{:.2} (no interval: no case differs)", kappa.value),
        },
    };
    for (name, figure) in [("agreement  ", agreement), ("kappa      ", kappa)] {
        page.paragraph(2, 13, &[(DIM, name), (PLAIN, &figure)])?;
    }
    Ok(())
}
