//! Simulations that stopped at `maxTurns`. This does not fail a test, but the user may not have reached the goal.

use std::io;

use casebook_record::Metadata;
use serde_json::Value;

use super::page::Page;
use super::retries::show_list;

/// The tests whose simulated user had no turns left.
#[derive(Default)]
pub(super) struct LimitedSimulations(Vec<String>);

impl LimitedSimulations {
    /// Adds a test if its conversation ended at the maximum number of turns. `metadata` is that of the test.
    pub(super) fn add(&mut self, title: impl FnOnce() -> String, metadata: &Metadata) {
        let end = metadata.dig("conversation.end").and_then(Value::as_str);
        if end == Some("max_turns") {
            let turns = metadata.dig("conversation.turns").and_then(Value::as_u64);
            let turns = turns.map_or_else(String::new, |turns| match turns {
                1 => "  1 turn".to_owned(),
                turns => format!("  {turns} turns"),
            });
            self.0.push(format!("{}{turns}", title()));
        }
    }

    pub(super) fn show(&self, page: &mut Page) -> io::Result<()> {
        show_list(page, "Simulations that stopped at maxTurns", &self.0)
    }
}
