//! The failed hook of a test.

use std::io;

use casebook_record::ExampleData;
use serde_json::Value;

use super::excerpt::Excerpt;
use super::output::{self, Output};
use super::page::Page;
use super::style::{BAD, check};

/// Lines of the script to show.
const SOURCE_LINES: usize = 6;

/// The exception classes of failed hooks.
const CLASSES: [&str; 2] = ["Casebook::SetupFailed", "Casebook::TeardownFailed"];

/// A hook that failed.
#[derive(Clone, Copy)]
pub(super) struct FailedHook<'e> {
    fields: &'e Value,
    /// Whether the test failed for this reason.
    pub(super) is_cause: bool,
}

impl<'e> FailedHook<'e> {
    /// The failed hook of an example.
    pub(super) fn of(example: &'e ExampleData) -> Option<FailedHook<'e>> {
        let fields = example
            .metadata
            .get("hook")
            .filter(|hook| hook.is_object())?;
        let exception = example.exception.as_ref();
        let class = exception.and_then(|exception| exception.class_name.as_deref());
        Some(FailedHook {
            fields,
            is_cause: class.is_some_and(|class| CLASSES.contains(&class)),
        })
    }

    /// Shows the hook's location, source and output, below the message of the exception.
    pub(super) fn show_script(self, page: &mut Page, indent: usize) -> io::Result<()> {
        Excerpt::of(|field| self.fields.get(field)).show(page, indent, SOURCE_LINES)?;
        match self.text("output") {
            Some(text) if !text.is_empty() => Output {
                name: "output",
                text,
                lines: None,
            }
            .show(page, indent),
            _ => Ok(()),
        }
    }

    /// Shows the hook as a separate failure.
    pub(super) fn show(self, page: &mut Page, indent: usize) -> io::Result<()> {
        page.paragraph(indent, 2, &[check(false), (BAD, &self.message())])?;
        self.show_script(page, indent + 2)
    }

    fn message(self) -> String {
        if let Some(message) = self.text("message") {
            return message.to_owned();
        }
        let name = self.text("name").unwrap_or("hook");
        match output::ending(self.fields).join(", ").as_str() {
            "" => format!("`{name}` failed"),
            ending => format!("`{name}` failed: {ending}"),
        }
    }

    fn text(self, field: &str) -> Option<&'e str> {
        self.fields.get(field).and_then(Value::as_str)
    }
}
