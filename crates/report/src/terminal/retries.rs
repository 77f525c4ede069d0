//! Tests whose agent was sent a request again. A retry does not fail a test, so this list is the only place that shows it for a
//! passed one.

use std::io;

use casebook_record::Metadata;
use serde_json::Value;

use super::page::Page;
use super::style::{DIM, PLAIN, WARN};

/// Tests listed.
const LISTED: usize = 20;

/// The tests with retried requests.
#[derive(Default)]
pub(super) struct RetriedTests(Vec<String>);

impl RetriedTests {
    /// Adds a test if its agent was sent a request again. `metadata` is that of the test.
    pub(super) fn add(&mut self, title: impl FnOnce() -> String, metadata: &Metadata) {
        let retried = metadata.dig("tracing.agent").and_then(describe);
        self.0
            .extend(retried.map(|retried| format!("{}  {retried}", title())));
    }

    pub(super) fn show(&self, page: &mut Page) -> io::Result<()> {
        show_list(page, "Retried requests to agents", &self.0)
    }
}

/// Shows tests that need attention, although they may have passed.
pub(super) fn show_list(page: &mut Page, heading: &str, lines: &[String]) -> io::Result<()> {
    if lines.is_empty() {
        return Ok(());
    }
    page.heading(heading)?;
    for line in lines.iter().take(LISTED) {
        page.row(2, &[(WARN, "! "), (PLAIN, line)])?;
    }
    match lines.len().saturating_sub(LISTED) {
        0 => Ok(()),
        hidden => page.row(2, &[(DIM, &format!("… and {hidden} more"))]),
    }
}

/// `2 retries (status 503, 429)`; `None` without retries. `tracing` is that of a reply or of an agent.
pub(super) fn describe(tracing: &Value) -> Option<String> {
    let retries = tracing
        .get("retries")?
        .as_u64()
        .filter(|count| *count > 0)?;
    let count = match retries {
        1 => "1 retry".to_owned(),
        retries => format!("{retries} retries"),
    };
    let statuses = tracing.get("retried_on").and_then(Value::as_array);
    let statuses: Vec<_> = statuses
        .into_iter()
        .flatten()
        .map(Value::to_string)
        .collect();
    Some(if statuses.is_empty() {
        count
    } else {
        format!("{count} (status {})", statuses.join(", "))
    })
}
