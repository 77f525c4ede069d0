//! The characteristics of a method: what varies in it, and the states of each. They are the main content of the
//! metadata.

use std::fmt;

use crate::name::Name;

/// How the states of a characteristic relate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Two states, such as `active` and `not_active`.
    Binary,
    /// Separate values, such as the branches of a `case`.
    Enum,
    /// Groups of numbers, divided by comparisons.
    Range,
    /// The states of a declared state machine, in order.
    Sequential,
}

impl Kind {
    /// The word used in the metadata.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Binary => "binary",
            Kind::Enum => "enum",
            Kind::Range => "range",
            Kind::Sequential => "sequential",
        }
    }

    /// Parses the word used in the metadata.
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
    /// The number on the other side of the comparison, as written; `None` when it is not a literal.
    pub value: Option<String>,
}

/// How a test brings about a state (format 2.0).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SetupKind {
    /// Creating a record with certain attributes.
    Factory,
    /// Passing plain data.
    #[default]
    Data,
    /// Performing an action first.
    Action,
}

impl SetupKind {
    /// The word used in format 2.0.
    pub fn as_str(self) -> &'static str {
        match self {
            SetupKind::Factory => "factory",
            SetupKind::Data => "data",
            SetupKind::Action => "action",
        }
    }
}

/// How a test brings about the states of a characteristic.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Setup {
    /// The means.
    pub kind: SetupKind,
    /// The class to set up, if known.
    pub class: Option<String>,
    /// Whether the state is an attribute of a record. False when the clock or an external system decides it.
    pub of_record: bool,
    /// The local variable that the condition reads; `None` when it reads the method's own object.
    pub variable: Option<String>,
    /// The call on another class that the condition depends on, if any.
    pub external: Option<ExternalCall>,
}

/// A method call on another class inside a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalCall {
    /// The full name of the class.
    pub class: String,
    /// The name of the method.
    pub method: String,
}

/// One thing that varies in a method, and its states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Characteristic {
    /// The name as written in the metadata; unique in its method.
    pub name: String,
    /// The parts of the name: receiver and attribute.
    pub parts: Name,
    /// How the states relate.
    pub kind: Kind,
    /// At least two.
    pub states: Vec<String>,
    /// The state without any setup; `None` when unknown.
    pub default: Option<String>,
    /// The name of the parent: the characteristic that decides whether this one matters.
    pub depends_on: Option<String>,
    /// The states of the parent in which this characteristic matters.
    pub when_parent: Vec<String>,
    /// Depth in the dependency tree; 1 without a parent.
    pub level: usize,
    /// First and last line of the conditions that decide it.
    pub lines: (usize, usize),
    /// States in which the method returns or raises early and on which no other characteristic depends.
    pub terminal_states: Vec<String>,
    /// The bound, if it comes from a single comparison.
    pub threshold: Option<Threshold>,
    /// The constant used as the bound, as written.
    pub bound: Option<String>,
    /// How a test brings about its states.
    pub setup: Setup,
    /// Whether the states are `present` and `absent`.
    pub presence: bool,
    /// Whether the states mean "equals a value" and "does not".
    pub is_equality: bool,
    /// The variable or attribute that is compared, if there is exactly one.
    pub tested: Option<String>,
    /// For each state, a Ruby literal that brings it about; `None` when no literal is certain to.
    pub values: Vec<Option<String>>,
    /// The attribute of a variable that the condition reads, if it reads exactly one.
    pub attribute_call: Option<AttributeCall>,
    /// Index of the combination (conditions joined by `&&` or `||`) that it belongs to; `None` when its condition is
    /// alone.
    pub combination: Option<usize>,
    /// Whether several conditions in the method have been merged into it. The outcome of one of their branches then
    /// says nothing about the others.
    pub is_repeated: bool,
}

impl Characteristic {
    /// Whether it is alone in its condition and ends the method early in one of its states.
    pub fn is_guard(&self) -> bool {
        self.combination.is_none() && !self.terminal_states.is_empty()
    }

    /// The first state in which the method continues.
    pub fn first_continuing_state(&self) -> Option<&String> {
        let ends = |state: &&String| self.terminal_states.contains(state);
        self.states.iter().find(|state| !ends(state))
    }
}

/// A call of a method without arguments on a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttributeCall {
    /// The variable, with the `@` of an instance variable; `self` for the method's own object.
    pub variable: String,
    /// The method, including a trailing `?` or `!`.
    pub method: String,
}

impl AttributeCall {
    /// Stands for the method's own object.
    pub const OWN: &str = "self";
}
