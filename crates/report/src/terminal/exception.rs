//! The exception of a failed example.

use std::io;

use casebook_record::model::ExceptionData;

use super::page::Page;
use super::style::{BAD, DIM, PLAIN};
use super::text::count;

/// Lines of the backtrace; the record contains all.
const BACKTRACE_LINES: usize = 5;

/// Shows the exception's class, message and the top of its backtrace.
pub(super) fn show(page: &mut Page, indent: usize, exception: &ExceptionData) -> io::Result<()> {
    let message = exception.message.as_deref().unwrap_or_default();
    let message = message.trim_end().trim_start_matches(['\r', '\n']);
    let class = exception.class_name.as_deref().unwrap_or_default();
    // Casebook's own exception classes only repeat the message.
    let class = match class {
        class if class.starts_with("Casebook::") && !message.is_empty() => "",
        class => class,
    };
    match (class, message) {
        ("", "") => page.row(indent, &[(DIM, "failed without a message")])?,
        (class, "") => page.row(indent, &[(BAD.bold(), class)])?,
        ("", message) => page.paragraph(indent, 0, &[(BAD, message)])?,
        (class, message) if message.contains('\n') => {
            page.row(indent, &[(BAD.bold(), class)])?;
            page.paragraph(indent + 2, 0, &[(PLAIN, message)])?;
        }
        (class, message) => page.paragraph(
            indent,
            2,
            &[(BAD.bold(), class), (BAD, ": "), (PLAIN, message)],
        )?,
    }
    show_backtrace(page, indent + 4, &exception.backtrace)
}

fn show_backtrace(page: &mut Page, indent: usize, backtrace: &[String]) -> io::Result<()> {
    for line in backtrace.iter().take(BACKTRACE_LINES) {
        page.paragraph(indent, 2, &[(DIM, line)])?;
    }
    match backtrace.len().saturating_sub(BACKTRACE_LINES) {
        0 => Ok(()),
        hidden => {
            let more = format!("… {}", count(hidden, "more line"));
            page.row(indent, &[(DIM, &more)])
        }
    }
}
