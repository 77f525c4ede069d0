//! Reports of runs.
//!
//! Reports of a finished run need only its [`RunData`](casebook_record::RunData), so they work the same for a run of this
//! process, a recovered journal and an old `run.json`: [`terminal`] and [`html`] for people, [`json`], [`junit`], [`ctrf`],
//! [`csv`], [`allure`], [`sqlite`], [`otlp`] and [`github`] for programs. [`live`], [`tap`] and [`jsonl`] are listeners that write
//! while a run lasts. This crate does not read the environment; it writes only to the given writers, files and directories.

pub mod allure;
pub mod calibration;
pub mod coverage;
pub mod csv;
pub mod ctrf;
pub mod diff;
mod examples;
mod failures;
pub mod github;
pub mod history;
pub mod html;
pub mod json;
pub mod jsonl;
pub mod junit;
mod locks;
pub mod otlp;
mod patch;
pub mod reviews;
mod scores;
pub mod sqlite;
pub mod tap;
pub mod terminal;
mod test_row;

pub use patch::patch;
pub use scores::ScoreFigures;
pub use terminal::{dots, interactive, interleaved, live};

use casebook_record::Metadata;
use serde_json::Value;

/// Whether the metadata has `true` at this dotted path.
fn flag(metadata: &Metadata, path: &str) -> bool {
    metadata.dig(path) == Some(&Value::Bool(true))
}
