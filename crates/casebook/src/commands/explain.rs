//! `casebook explain`: explains a problem and how to fix it.

use std::io::Write as _;

use casebook_source::{Code, closest_match, yaml};
use casebook_suite::codes;

use crate::arguments::Explain;
use crate::commands::shared::problems::sarif::Rule;
use crate::commands::shared::project;
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;

pub(super) fn run(explain: &Explain, context: &mut Context) -> Result<Exit, CommandError> {
    let text = match &explain.code {
        None => all().map(line).collect::<Vec<_>>().concat(),
        Some(name) => page(
            all()
                .find(|code| code.name == name)
                .ok_or_else(|| unknown(name))?,
        ),
    };
    context.stdout.write_all(text.as_bytes())?;
    context.stdout.flush()?;
    Ok(Exit::Passed)
}

/// All problem codes.
pub(crate) fn all() -> impl Iterator<Item = &'static Code> {
    let suites = codes::ALL_CODES.into_iter().flatten();
    yaml::ALL_CODES
        .iter()
        .chain(suites)
        .chain(project::ALL_CODES)
}

/// The explanation of a code as a rule of SARIF.
pub(super) fn rule(name: &str) -> Rule {
    let code = all().find(|code| code.name == name);
    Rule {
        summary: code.map_or_else(String::new, gist),
        help: code.map_or_else(String::new, page),
    }
}

/// The explanation from the doc comment of the code.
pub(crate) fn page(code: &Code) -> String {
    let lines = code
        .explanation
        .lines()
        .map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end());
    format!(
        "{}\n\n{}\n",
        code.name,
        lines.collect::<Vec<_>>().join("\n").trim_end()
    )
}

fn line(code: &Code) -> String {
    format!("{:20} {}\n", code.name, gist(code))
}

/// The first paragraph of the explanation, on one line.
fn gist(code: &Code) -> String {
    let mut paragraph = code
        .explanation
        .lines()
        .map(str::trim)
        .skip_while(|line| line.is_empty() || line.starts_with('#'));
    let first: Vec<_> = paragraph
        .by_ref()
        .take_while(|line| !line.is_empty())
        .collect();
    first.join(" ")
}

fn unknown(name: &str) -> CommandError {
    let near = closest_match(name, all().map(|code| code.name)).map(str::to_owned);
    CommandError::UnknownCode {
        name: name.to_owned(),
        near,
    }
}
