//! [`Plan`]: the content of a document about one method, the same for all formats.

use super::behaviors::MethodBehaviors;
use crate::characteristic::{Characteristic, Kind, Threshold};
use crate::ruby::{Analysis, AnalysisOptions, MethodType, TestLevel};

/// The format of a document: rule L1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// The original format.
    V1_3,
    /// Format 2.0: a characteristic has a mapping `setup`.
    V2_0,
    /// The plugin layout: several methods per document.
    Plugin,
}

impl Layout {
    /// How methods are analyzed for it: the plugin layout has one characteristic for `||` (rule L8).
    pub fn analysis_options(self) -> AnalysisOptions {
        AnalysisOptions {
            joins_alternatives: self == Layout::Plugin,
            ..AnalysisOptions::default()
        }
    }
}

/// The test design of one method.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The format that it was read from.
    pub layout: Layout,
    /// The name of the class.
    pub class: String,
    /// The name of the method, without `#` or `.`.
    pub method: String,
    /// Instance or class method.
    pub method_type: MethodType,
    /// The source, relative to the project root.
    pub file: Option<String>,
    /// The level on which the method is tested.
    pub test_level: Option<TestLevel>,
    /// The characteristics.
    pub entries: Vec<Entry>,
    /// The factories and their traits.
    pub factories: Vec<(String, Vec<String>)>,
    /// What the leaves do; empty if the document does not describe it.
    pub behaviors: MethodBehaviors,
    /// How the method changed since its spec was written; `None` if the document does not record it.
    pub mode: Option<MethodMode>,
    /// Set if the user has to choose the test level before a spec is written.
    pub undecided: Option<UndecidedLevel>,
    /// Whether contexts contain "not" instead of "NOT", as in format 1.3 (rule S5). Set by the caller, never by a document.
    pub has_small_not: bool,
}

/// How a method changed since its spec was written (rule L14).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MethodMode {
    /// The method did not exist.
    New,
    /// The method has changed.
    Modified,
    /// The method is the same.
    Unchanged,
}

impl MethodMode {
    /// Parses the spelling of the metadata.
    pub fn parse(text: &str) -> Option<MethodMode> {
        Some(match text {
            "new" => MethodMode::New,
            "modified" => MethodMode::Modified,
            "unchanged" => MethodMode::Unchanged,
            _ => return None,
        })
    }
}

/// A test level that the rules cannot decide with confidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndecidedLevel {
    /// The kind of code, such as `controller`.
    pub kind: String,
    /// The index of the method in the document's list.
    pub index: usize,
}

/// One characteristic of a document.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The name, unique in its method.
    pub name: String,
    /// The type; `None` if the format does not define it.
    pub kind: Option<Kind>,
    /// Whether the type is `composite`, which agents that write format 2.0 use although no schema has it. Its setup has to
    /// be written manually.
    pub is_composite: bool,
    /// The names of the states.
    pub states: Vec<String>,
    /// The state without any setup.
    pub default: Option<String>,
    /// The name of the parent.
    pub depends_on: Option<String>,
    /// The states of the parent in which it applies.
    pub when_parent: Vec<String>,
    /// The states that end the method early.
    pub terminal_states: Vec<String>,
    /// The location in the source, `path:N`.
    pub source: Option<String>,
    /// The limit of a comparison.
    pub threshold: Option<Threshold>,
    /// Descriptions of the states, in the order of `states`; empty if the document only names them.
    pub state_texts: Vec<StateText>,
}

/// The description of a state in the plugin layout.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StateText {
    /// The words of the context.
    pub words: Option<String>,
    /// The Ruby literal that represents the state.
    pub literal: Option<String>,
}

impl Entry {
    /// The description of a state, by the name of the state.
    pub(crate) fn state_text(&self, state: &str) -> Option<&StateText> {
        let at = self.states.iter().position(|known| known == state)?;
        self.state_texts.get(at)
    }

    /// Whether the states are present and absent.
    pub fn is_presence(&self) -> bool {
        self.states == ["present", "absent"] || self.name.ends_with("_present")
    }
}

impl Plan {
    /// Converts an analysis directly, as if it had been written to a document and read.
    pub fn of(analysis: &Analysis, file: &str) -> Plan {
        let entry = |found: &Characteristic| Entry {
            name: found.name.clone(),
            kind: Some(found.kind),
            is_composite: false,
            states: found.states.clone(),
            default: found.default.clone(),
            depends_on: found.depends_on.clone(),
            when_parent: found.when_parent.clone(),
            terminal_states: Vec::new(),
            source: None,
            threshold: found.threshold.clone(),
            state_texts: Vec::new(),
        };
        Plan {
            layout: Layout::V1_3,
            class: analysis.method.class.clone(),
            method: analysis.method.name.clone(),
            method_type: analysis.method.method_type,
            file: Some(file.to_owned()),
            test_level: Some(analysis.test_level),
            entries: analysis.characteristics.iter().map(entry).collect(),
            factories: Vec::new(),
            behaviors: MethodBehaviors::default(),
            mode: None,
            undecided: None,
            has_small_not: false,
        }
    }

    /// `#name` or `.name`.
    pub fn short(&self) -> String {
        format!("{}{}", self.method_type.sign(), self.method)
    }

    /// `Class#name` or `Class.name`.
    pub fn id(&self) -> String {
        format!("{}{}", self.class, self.short())
    }
}
