//! Problems as annotations for GitHub Actions.

use std::io;

use casebook_report::github::Command;

use super::{Level, Location, Problem};

/// Writes one annotation for each problem.
pub(crate) fn write(problems: &[Problem], out: &mut dyn io::Write) -> io::Result<()> {
    problems
        .iter()
        .try_for_each(|problem| annotate(problem, out))
}

fn annotate(problem: &Problem, out: &mut dyn io::Write) -> io::Result<()> {
    let Location {
        file,
        line,
        column,
        end_line,
        end_column,
    } = &problem.location;
    let number = |number: &Option<usize>| number.map_or_else(String::new, |n| n.to_string());
    let command = match problem.severity {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "notice",
    };
    let help = problem.help.iter().map(|help| format!("\nhelp: {help}"));
    let message = problem.message.clone() + &help.collect::<String>();
    Command::new(command)
        .property("file", file)
        .property("line", &line.to_string())
        .property("endLine", &number(end_line))
        .property("col", &number(column))
        .property("endColumn", &number(end_column))
        .property("title", problem.code)
        .write(&message, out)
}
