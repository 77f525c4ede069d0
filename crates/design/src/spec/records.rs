//! [`Records`]: what is known about the records of a project.

use crate::factories::TraitDefinition;
use crate::ruby::ModelFacts;

/// What is known about the records of a project.
#[derive(Debug, Clone, Default)]
pub struct Records {
    /// Facts about model classes, by the names of their factories.
    pub models: Vec<(String, ModelFacts)>,
    /// The traits of all factories.
    pub traits: Vec<TraitDefinition>,
    /// Whether records are made by Fabrication, not by FactoryBot.
    pub are_fabricated: bool,
}
