//! Analyses as documents: format 1.3, format 2.0 and the plugin layout.

mod flat;
mod plugin;

use serde_json::{Map, Value, json};

pub use flat::{flat, stamp};
pub use plugin::plugin;

/// Which format a document is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// The seed's, with the list form of `when_parent` where several parent states apply.
    #[default]
    V1_3,
    /// 1.3, but `when_parent` names one state only.
    Strict1_3,
    /// With setup, thresholds and terminal states.
    V2_0,
    /// One file per source file, many methods.
    Plugin,
}

impl Format {
    /// What `analyzer.version` says.
    pub fn version(self) -> &'static str {
        match self {
            Format::V1_3 | Format::Strict1_3 => "1.3",
            Format::V2_0 => "2.0",
            Format::Plugin => "plugin",
        }
    }
}

/// What a document says besides the analysis.
#[derive(Debug, Clone)]
pub struct Stamp {
    /// When it was made, ISO 8601 in UTC.
    pub timestamp: String,
    /// When the source was last changed, in seconds.
    pub source_mtime: i64,
    /// The source's path from the root.
    pub file: String,
    /// The factories of the project, as the detector prints them.
    pub factories: Map<String, Value>,
}

fn text_or_null(text: Option<&String>) -> Value {
    text.map_or(Value::Null, |text| json!(text))
}
