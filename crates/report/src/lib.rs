//! Showing what happened in a run.
//!
//! Every report is made from a [`RunData`](casebook_record::RunData) alone, so it works the same from a run that has
//! just ended, a recovered journal or an old `run.json`. Nothing here prints or reads the environment: a report
//! writes to the writer it is given, in the way its options say.

mod examples;
pub mod json;
pub mod tap;
pub mod terminal;

pub use terminal::live;

use casebook_record::Metadata;
use serde_json::Value;

/// Whether the metadata says yes at that dotted path.
fn flag(metadata: &Metadata, path: &str) -> bool {
    metadata.dig(path) == Some(&Value::Bool(true))
}
