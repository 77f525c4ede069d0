//! What documents of all formats say about a method, as one model.

use super::behaviors::Behaviours;
use crate::characteristic::{Characteristic, Kind, Threshold};
use crate::ruby::{Analysis, AnalysisOptions, MethodType, TestLevel};

/// Which format a document is in: rule L1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// The seed's.
    V1_3,
    /// A characteristic has a mapping `setup`.
    V2_0,
    /// Many methods.
    Plugin,
}

impl Layout {
    /// How methods are read for it: the plugin layout has one characteristic for `||` (rule L8).
    pub fn reading(self) -> AnalysisOptions {
        AnalysisOptions {
            joins_alternatives: self == Layout::Plugin,
            ..AnalysisOptions::default()
        }
    }
}

/// What a document says about one method.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Which format it was read from.
    pub layout: Layout,
    /// The class.
    pub class: String,
    /// The bare name.
    pub method: String,
    /// Instance or class.
    pub method_type: MethodType,
    /// The source, from the root.
    pub file: Option<String>,
    /// How it is to be tested.
    pub test_level: Option<TestLevel>,
    /// What varies.
    pub entries: Vec<Entry>,
    /// Factories and their traits.
    pub factories: Vec<(String, Vec<String>)>,
    /// What its leaves do, where the document says so.
    pub behaviours: Behaviours,
    /// What became of the method, where the document says so.
    pub mode: Option<MethodMode>,
    /// The question that somebody has to answer before it is written: how the method is to be tested.
    pub undecided: Option<UndecidedLevel>,
    /// Whether contexts say "not" and not "NOT", as in format 1.3 (rule S5). No document says so.
    pub has_small_not: bool,
}

/// What became of a method since its spec was written (rule L14).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MethodMode {
    /// It was not there.
    New,
    /// It is another.
    Modified,
    /// It is the same.
    Unchanged,
}

impl MethodMode {
    /// From the spelling of the metadata.
    pub fn parse(text: &str) -> Option<MethodMode> {
        Some(match text {
            "new" => MethodMode::New,
            "modified" => MethodMode::Modified,
            "unchanged" => MethodMode::Unchanged,
            _ => return None,
        })
    }
}

/// A test level that the rules are not sure of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndecidedLevel {
    /// What kind of code the method is.
    pub kind: String,
    /// The method's place in the document's list.
    pub index: usize,
}

/// One characteristic as a document has it.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Its type; none for one that the format does not know.
    pub kind: Option<Kind>,
    /// Whether it is of a type that agents of format 2.0 write and no schema has; a person has to set it up.
    pub is_composite: bool,
    /// Its states.
    pub states: Vec<String>,
    /// The state it is in unless something is done.
    pub default: Option<String>,
    /// Its parent.
    pub depends_on: Option<String>,
    /// The states of the parent in which it matters.
    pub when_parent: Vec<String>,
    /// States without children.
    pub terminal_states: Vec<String>,
    /// `path:N`.
    pub source: Option<String>,
    /// The bound of a comparison.
    pub threshold: Option<Threshold>,
    /// What the document itself says about each state; nothing where it knows them by their names alone.
    pub said: Vec<StateText>,
}

/// What a document of the plugin layout says about a state.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StateText {
    /// The words for a context.
    pub words: Option<String>,
    /// The Ruby literal that stands for it.
    pub literal: Option<String>,
}

impl Entry {
    /// What is said about a state.
    pub(crate) fn state_text(&self, state: &str) -> Option<&StateText> {
        let at = self.states.iter().position(|known| known == state)?;
        self.said.get(at)
    }

    /// Whether this is present or absent.
    pub fn is_presence(&self) -> bool {
        self.states == ["present", "absent"] || self.name.ends_with("_present")
    }
}

impl Plan {
    /// The plan that an analysis would be written and read as.
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
            said: Vec::new(),
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
            behaviours: Behaviours::default(),
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
