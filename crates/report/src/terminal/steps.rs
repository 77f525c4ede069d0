//! The steps of a command test: which one failed, what was captured before it, and which were not run.

use std::io;

use casebook_record::ExampleData;
use serde_json::Value;

use super::page::Page;
use super::style::{BAD, DIM, GOOD, PLAIN};
use super::styled::Span;
use super::text::one_line;
use super::value;

/// Shows each step on a line, and below it the values that it captured.
pub(super) fn show(page: &mut Page, indent: usize, example: &ExampleData) -> io::Result<()> {
    let Some(steps) = example.metadata.get("steps").and_then(Value::as_array) else {
        return Ok(());
    };
    let mut turns = example.steps();
    page.blank()?;
    for (step, number) in steps.iter().zip(1..) {
        let turn = turns.next();
        let run = turn.and_then(|turn| turn.user_message.as_ref());
        let planned = step.get("command").and_then(Value::as_str);
        let command = run.map_or(planned.unwrap_or_default(), |message| &message.content);
        let name = step.get("name").and_then(Value::as_str);
        let title = name.map_or_else(|| format!("$ {command}"), str::to_owned);
        show_step(page, indent, step, number, &one_line(title.trim_end()))?;
        let answer = turn.and_then(|turn| turn.agent_response.as_ref());
        let captured = answer.and_then(|answer| answer.metadata.get("captured"));
        for (name, value) in captured.and_then(Value::as_object).into_iter().flatten() {
            let line = format!("{name} = {}", one_line(&value::text(value)));
            page.row(indent + 10, &[(DIM, &line)])?;
        }
    }
    Ok(())
}

fn show_step(
    page: &mut Page,
    indent: usize,
    step: &Value,
    number: usize,
    title: &str,
) -> io::Result<()> {
    let status = step.get("status").and_then(Value::as_str);
    let (mark, end): (Span, &str) = match status {
        Some("passed") => ((GOOD, "✓ "), ""),
        Some("failed") => ((BAD, "✗ "), ""),
        _ => ((DIM, "- "), "  not run"),
    };
    let number = format!("step {number}  ");
    page.row(indent, &[mark, (DIM, &number), (PLAIN, title), (DIM, end)])
}
