//! Showing what happened in a run.
//!
//! A report of a run that has ended is made from its [`RunData`](casebook_record::RunData) alone, so it works the same
//! from a run just now, a recovered journal or an old `run.json`: [`terminal`] and [`html`] for people, [`json`],
//! [`junit`] and [`github`] for programs. [`live`] and [`tap`] listen to a run while it lasts. Nothing here prints or reads the
//! environment: a report writes to the writer it is given, in the way its options say.

pub mod coverage;
pub mod diff;
mod examples;
pub mod github;
pub mod history;
pub mod html;
pub mod json;
pub mod junit;
mod sheet;
pub mod tap;
pub mod terminal;

pub use terminal::{dots, interactive, interleaved, live};

use casebook_record::Metadata;
use serde_json::Value;

/// Whether the metadata says yes at that dotted path.
fn flag(metadata: &Metadata, path: &str) -> bool {
    metadata.dig(path) == Some(&Value::Bool(true))
}
