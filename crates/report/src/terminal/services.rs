//! What the services of a test wrote while it ran.

use std::io;

use casebook_record::Metadata;
use serde_json::Value;

use super::output::{Output, full_output_location};
use super::page::Page;
use super::style::{DIM, PLAIN};

/// Shows the output of each service, and where all of it is if some is not shown.
pub(super) fn show(
    page: &mut Page,
    indent: usize,
    metadata: &Metadata,
    record: Option<&str>,
) -> io::Result<()> {
    let services = metadata.get("services").and_then(Value::as_array);
    for service in services.into_iter().flatten() {
        let text = |field: &str| service.get(field).and_then(Value::as_str);
        let (Some(name), Some(output)) = (text("name"), text("output")) else {
            continue;
        };
        page.blank()?;
        let name = format!("service {name}, during this test");
        let shown = Output {
            name: &name,
            text: output,
            lines: None,
        };
        shown.show(page, indent)?;
        let location = full_output_location(record, text("log_file"));
        let is_complete = shown.is_short() && service.get("truncated").is_none();
        if let Some(location) = location.filter(|_| !is_complete) {
            page.verbatim(indent, &[(DIM, "full log: "), (PLAIN, &location)])?;
        }
    }
    Ok(())
}
