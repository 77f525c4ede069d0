//! What varies in a method: the heart of the metadata.

use std::fmt;

use crate::name::Name;

/// How the states of a characteristic relate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Two states.
    Binary,
    /// Discrete alternatives.
    Enum,
    /// Groups made by comparisons.
    Range,
    /// An ordered lifecycle.
    Sequential,
}

impl Kind {
    /// As the metadata spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Binary => "binary",
            Kind::Enum => "enum",
            Kind::Range => "range",
            Kind::Sequential => "sequential",
        }
    }

    /// From the spelling of the metadata.
    pub fn parse(text: &str) -> Option<Kind> {
        [Kind::Binary, Kind::Enum, Kind::Range, Kind::Sequential]
            .into_iter()
            .find(|kind| kind.as_str() == text)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The bound of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Threshold {
    /// `>=`, `>`, `<=` or `<`.
    pub operator: String,
    /// The number it is compared with, as written, if it is one.
    pub value: Option<String>,
}

/// What brings a state about in a test (format 2.0).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SetupKind {
    /// A record with these attributes.
    Factory,
    /// Plain data.
    #[default]
    Data,
    /// Something has to be done first.
    Action,
}

impl SetupKind {
    /// As format 2.0 spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            SetupKind::Factory => "factory",
            SetupKind::Data => "data",
            SetupKind::Action => "action",
        }
    }
}

/// What brings the states of a characteristic about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Setup {
    /// Which way.
    pub kind: SetupKind,
    /// The class that is set up, if one is known.
    pub class: Option<String>,
    /// Whether it is a matter of a record, if one is asked: not where the clock or the world outside decides.
    pub of_record: bool,
    /// The local variable that is asked; none where it is the method's own object.
    pub variable: Option<String>,
    /// The other class that is asked, if one is.
    pub external: Option<ExternalCall>,
}

/// A class that a condition asks, and what it is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalCall {
    /// By full name.
    pub class: String,
    /// The method called on it.
    pub method: String,
}

/// One thing that varies, and the states it can be in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Characteristic {
    /// As it is written; unique in its method.
    pub name: String,
    /// How the name came about.
    pub parts: Name,
    /// How the states relate.
    pub kind: Kind,
    /// Two or more.
    pub states: Vec<String>,
    /// The state it is in unless something is done.
    pub default: Option<String>,
    /// The characteristic that decides whether this one matters.
    pub depends_on: Option<String>,
    /// The states of that characteristic in which it does.
    pub when_parent: Vec<String>,
    /// How deep it depends; 1 without a parent.
    pub level: usize,
    /// First and last line of the code that decides it.
    pub lines: (usize, usize),
    /// States in which the method ends and on which nothing depends.
    pub terminal_states: Vec<String>,
    /// The bound, for a single comparison.
    pub threshold: Option<Threshold>,
    /// The constant that is the bound, as written.
    pub bound: Option<String>,
    /// What brings its states about.
    pub setup: Setup,
    /// Whether the states are `present` and `absent`.
    pub presence: bool,
    /// Whether the states say that something equals a value, or does not.
    pub is_equality: bool,
    /// The variable or attribute that is tested, if it is one alone.
    pub tested: Option<String>,
    /// For each state a Ruby literal that brings it about, where one is certain.
    pub values: Vec<Option<String>>,
    /// The attribute of a variable that is asked, if the condition is about one.
    pub asked: Option<AttributeCall>,
    /// Which of the combinations of several conditions, joined by `&&` or `||`, it belongs to; none if it stands alone.
    pub combination: Option<usize>,
    /// Whether it is asked in several places of which it could not be told apart: what one of them comes to says nothing.
    pub is_asked_again: bool,
}

impl Characteristic {
    /// Whether it stands alone and ends the method in one of its states.
    pub fn is_guard(&self) -> bool {
        self.combination.is_none() && !self.terminal_states.is_empty()
    }

    /// The first state in which the method goes on.
    pub fn first_continuing_state(&self) -> Option<&String> {
        let ends = |state: &&String| self.terminal_states.contains(state);
        self.states.iter().find(|state| !ends(state))
    }
}

/// A variable and the method that is called on it, without arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttributeCall {
    /// The variable's name.
    pub of: String,
    /// The method's name, with its mark.
    pub method: String,
}
