//! One tool call: its arguments and its result.

use std::io;

use casebook_record::model::ToolCallData;

use crate::flag;
use crate::terminal::page::Page;
use crate::terminal::style::{BAD, DIM, PLAIN};
use crate::terminal::text::elide_to;

/// Characters of the arguments and of the result; the record contains all.
const MAX_JSON: usize = 300;

/// The tool's name and its arguments as compact JSON.
pub(in crate::terminal) fn request(call: &ToolCallData) -> String {
    let arguments = call.arguments.to_string();
    format!("{} {}", call.name, elide_to(&arguments, MAX_JSON))
}

/// Shows the error, the result, or that both are missing. `null` and `false` are results.
pub(in crate::terminal) fn show_outcome(
    page: &mut Page,
    indent: usize,
    call: &ToolCallData,
) -> io::Result<()> {
    if let Some(error) = &call.error {
        page.paragraph(indent, 2, &[(BAD, "✗ "), (BAD, &elide_to(error, MAX_JSON))])?;
    }
    // The rspec-agents gem writes a null result next to an error.
    let result = call
        .result
        .as_ref()
        .filter(|result| call.error.is_none() || !result.is_null());
    match result {
        Some(result) => {
            let json = result.to_string();
            page.paragraph(
                indent,
                2,
                &[(DIM, "→ "), (PLAIN, &elide_to(&json, MAX_JSON))],
            )?;
        }
        None if call.error.is_none() => page.row(indent, &[(DIM, "→ (no result)")])?,
        None => {}
    }
    if flag(&call.metadata, "interim") {
        page.row(indent, &[(DIM, "(the agent did not confirm this call)")])?;
    }
    Ok(())
}
