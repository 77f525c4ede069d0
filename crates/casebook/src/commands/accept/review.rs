//! `accept --review`: shows each difference and asks what to do.

use std::io::{self, BufRead as _, BufReader, Read, Write as _};

use casebook_report::terminal;
use casebook_suite::accept::{NewValue, SuiteEditor};

use super::editor;
use super::proposals::{Proposal, Proposals, Target};
use super::refusal::Reason;
use super::suite_file::SuiteFile;
use crate::context::Context;
use crate::error::CommandError;

const QUESTION: &str = "(a)ccept, (s)kip, (e)dit, (q)uit? ";

/// An answer of the user.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answer {
    Accept,
    Skip,
    Edit,
    Quit,
}

/// Keeps the proposals that the user accepts. Those after the answer `quit` are skipped.
pub(super) fn review(
    proposals: &mut Proposals<'_>,
    context: &mut Context,
) -> Result<(), CommandError> {
    let total: usize = proposals.suites.iter().map(|suite| suite.list.len()).sum();
    let mut answers = BufReader::new(Context::stdin());
    let mut number = 0;
    let mut has_quit = false;
    for suite in &mut proposals.suites {
        let mut kept = Vec::new();
        for mut proposal in std::mem::take(&mut suite.list) {
            number += 1;
            if has_quit {
                continue;
            }
            show(&proposal, number, total, context)?;
            match decide(&mut proposal, &suite.file, &mut answers, context)? {
                Answer::Accept | Answer::Edit => kept.push(proposal),
                Answer::Skip => {}
                Answer::Quit => has_quit = true,
            }
        }
        suite.list = kept;
    }
    Ok(())
}

/// Asks until there is an answer that can be carried out.
fn decide(
    proposal: &mut Proposal<'_>,
    file: &SuiteFile,
    answers: &mut BufReader<Box<dyn Read + Send>>,
    context: &mut Context,
) -> Result<Answer, CommandError> {
    loop {
        let answer = ask(answers, context)?;
        if answer != Answer::Edit {
            return Ok(answer);
        }
        match edit(proposal, file, context) {
            Ok(()) => return Ok(Answer::Edit),
            Err(reason) => context.messages.warn(&reason.to_string()),
        }
    }
}

fn ask(
    answers: &mut BufReader<Box<dyn Read + Send>>,
    context: &mut Context,
) -> Result<Answer, CommandError> {
    loop {
        write!(context.stdout, "{QUESTION}")?;
        context.stdout.flush()?;
        let mut line = String::new();
        if answers.read_line(&mut line)? == 0 {
            writeln!(context.stdout)?;
            return Ok(Answer::Quit);
        }
        match line.trim() {
            "a" | "accept" => return Ok(Answer::Accept),
            "s" | "skip" => return Ok(Answer::Skip),
            "e" | "edit" => return Ok(Answer::Edit),
            "q" | "quit" => return Ok(Answer::Quit),
            _ => writeln!(context.stdout, "type a, s, e or q, then Enter")?,
        }
    }
}

fn show(
    proposal: &Proposal<'_>,
    number: usize,
    total: usize,
    context: &mut Context,
) -> io::Result<()> {
    let failure = proposal.failures[0];
    let options = terminal::Options {
        color: context.color,
        width: context.width.unwrap_or(terminal::Options::default().width),
        ..terminal::Options::default()
    };
    let test = visible(&failure.example.description);
    let count = match proposal.failures.len() {
        1 => String::new(),
        all => format!(" (and {} more with the same value)", all - 1),
    };
    writeln!(
        context.stdout,
        "\n[{number}/{total}] {} {test}{count}: {}",
        proposal.place, proposal.field
    )?;
    let out = &mut *context.stdout;
    terminal::expectation(failure.example, failure.evaluation, &options, out)
}

/// A name from the record, without control characters.
fn visible(name: &str) -> String {
    let visible = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    name.chars().map(visible).collect()
}

/// Lets the user edit the new value.
fn edit(proposal: &mut Proposal<'_>, file: &SuiteFile, context: &Context) -> Result<(), Reason> {
    match &mut proposal.target {
        Target::File { text, .. } => {
            *text = editor::edit(text, "txt", context)?;
        }
        Target::Value { span, new, change } => {
            let edited = edited_value(new, context)?;
            let editor = SuiteEditor::new(&file.suite.file).ok_or(Reason::SuiteChanged)?;
            *change = editor.change(*span, &edited)?;
            *new = edited;
        }
    }
    Ok(())
}

fn edited_value(new: &NewValue, context: &Context) -> Result<NewValue, Reason> {
    Ok(match new {
        NewValue::Text(text) => NewValue::Text(editor::edit(text, "txt", context)?),
        NewValue::Json(value) => {
            let text = serde_json::to_string_pretty(value).unwrap_or_default();
            let text = editor::edit(&text, "json", context)?;
            let value = serde_json::from_str(&text).map_err(|error| {
                Reason::Edited(format!("the edited value is not JSON: {error}"))
            })?;
            NewValue::Json(value)
        }
    })
}
