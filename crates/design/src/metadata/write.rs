//! Converts analyses into documents: format 1.3, format 2.0 and the plugin layout.

mod behaviors;
mod decisions;
mod flat;
mod plugin;

use serde_json::{Map, Value, json};

use crate::characteristic::{Characteristic, SetupKind};
use crate::name::Name;
use crate::naming::NamingProfile;
use crate::ruby::{Analysis, snake};

pub use flat::flat;
pub use plugin::plugin;

/// The format in which a document is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// The original format, with the list form of `when_parent` for several parent states.
    #[default]
    V1_3,
    /// 1.3, but `when_parent` names one state only.
    Strict1_3,
    /// With setup, thresholds and terminal states.
    V2_0,
    /// One document per source file, with several methods.
    Plugin,
}

impl Format {
    /// The value of `analyzer.version`.
    pub fn version(self) -> &'static str {
        match self {
            Format::V1_3 | Format::Strict1_3 => "1.3",
            Format::V2_0 => "2.0",
            Format::Plugin => "plugin",
        }
    }
}

/// The parts of a document that do not come from the analysis.
#[derive(Debug, Clone)]
pub struct DocumentHeader {
    /// The time of the analysis, ISO 8601 in UTC.
    pub timestamp: String,
    /// When the source was last modified, in seconds since 1970.
    pub source_mtime: i64,
    /// The source's path relative to the project root.
    pub file: String,
    /// The spec's path relative to the project root.
    pub spec_path: String,
    /// The project's factories, in the output format of `design factories`.
    pub factories: Map<String, Value>,
    /// Whether the project is a library rather than an application.
    pub is_library: bool,
    /// The project's own models, in snake case like their files.
    pub models: Vec<String>,
    /// How names are written.
    pub names: NamingProfile,
}

impl DocumentHeader {
    /// Completes an analysis with the project's models and its naming profile.
    fn apply_project(&self, analysis: &mut Analysis) {
        for one in &mut analysis.characteristics {
            (one.setup.kind, one.setup.class) = self.setup(one, &analysis.method.class);
        }
        analysis.apply_profile(self.names);
    }

    /// How the states of a characteristic are set up. Data of a record whose model the project has is made by its factory.
    fn setup(&self, found: &Characteristic, class: &str) -> (SetupKind, Option<String>) {
        let setup = &found.setup;
        let is_own = setup.of_record && setup.variable.is_none() && setup.external.is_none();
        if is_own && setup.kind == SetupKind::Data && self.models.contains(&snake(class)) {
            return (SetupKind::Factory, Some(class.to_owned()));
        }
        let Name { full, subject, .. } = &found.parts;
        let model = self
            .models
            .iter()
            .find(|model| subject.as_ref() == Some(*model) && full != *model);
        match (setup.kind, model) {
            (SetupKind::Data, Some(model)) if setup.external.is_none() => {
                (SetupKind::Factory, Some(camel(model)))
            }
            (SetupKind::Action, Some(model)) if setup.of_record && setup.class.is_none() => {
                (SetupKind::Action, Some(camel(model)))
            }
            (kind, _) => (kind, setup.class.clone()),
        }
    }
}

/// `LineItem` for `line_item`.
pub(crate) fn camel(name: &str) -> String {
    name.split('_')
        .filter_map(|word| {
            let mut letters = word.chars();
            let first = letters.next()?;
            Some(first.to_uppercase().chain(letters).collect::<String>())
        })
        .collect()
}

fn text_or_null(text: Option<&String>) -> Value {
    text.map_or(Value::Null, |text| json!(text))
}
