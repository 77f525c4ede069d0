//! What one condition says, before it has a place among the others.

use ruby_prism::Node;

use crate::characteristic::{AttributeCall, Kind, Setup, Threshold};
use crate::name::Name;
use crate::ruby::condition::boolean_names::Flags;
use crate::ruby::condition::dependencies::Dependency;
use crate::ruby::condition::interval::Interval;
use crate::ruby::condition::leaf::{attribute_of_variable, variable_under};
use crate::ruby::walk::mutations::Change;

/// A characteristic without its place: no parent, no level, a name that may still collide.
#[derive(Debug, Clone)]
pub(crate) struct CharacteristicDraft {
    pub(crate) name: Name,
    pub(crate) kind: Kind,
    pub(crate) states: Vec<String>,
    /// The variable that is tested, to look for its default.
    pub(crate) tested: Option<String>,
    /// The attribute of a variable that is asked.
    pub(crate) attribute_call: Option<AttributeCall>,
    pub(crate) lines: (usize, usize),
    pub(crate) family: ConditionKind,
    pub(crate) threshold: Option<Threshold>,
    /// The constant that it is compared with, as written.
    pub(crate) bound: Option<String>,
    /// What a comparison lets in, where its bounds are numbers.
    pub(crate) interval: Option<Interval>,
    /// What else makes two conditions of one name different, such as the bound they compare with.
    pub(crate) content: String,
    /// Whether it is asked with arguments of which nothing here tells: the next answer may be another.
    pub(crate) has_arguments: bool,
    /// Whether it asks if two values are equal.
    pub(crate) is_equality: bool,
    /// What its answer is reached through; none where the next answer may always be another.
    pub(crate) roots: Option<Vec<Dependency>>,
    pub(crate) setup: Setup,
    /// For each state a literal that brings it about.
    pub(crate) values: Vec<Option<String>>,
}

/// What kind of question a condition asks, and about what: chains are made of questions of one family.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ConditionKind {
    /// A comparison of this subject, ascending (`<`) or not.
    Comparison {
        subject: String,
        name: Name,
        ascending: bool,
    },
    /// This subject equals a literal.
    Equality { subject: String, word: String },
    /// Which of several literals this subject is, one state each.
    Value { subject: String },
    /// A predicate of this receiver.
    Predicate {
        receiver: String,
        receiver_name: Option<String>,
        word: String,
    },
    /// Which of several predicates of this receiver is the first to hold, one state each.
    Answer { receiver: String },
    /// A presence test: what is absent may be nil, or only empty.
    Presence { is_nil: bool },
    /// Truth of a boolean.
    Flag,
    /// Any other.
    Other,
}

impl CharacteristicDraft {
    /// Two states: the condition is true, or not.
    pub(crate) fn binary(name: Name, word: &str, family: ConditionKind) -> CharacteristicDraft {
        CharacteristicDraft::of_two(name, [word.to_owned(), ["not_", word].concat()], family)
    }

    fn of_two(name: Name, states: [String; 2], family: ConditionKind) -> CharacteristicDraft {
        CharacteristicDraft {
            name,
            kind: Kind::Binary,
            states: states.into(),
            tested: None,
            attribute_call: None,
            lines: (0, 0),
            family,
            threshold: None,
            bound: None,
            interval: None,
            content: String::new(),
            has_arguments: false,
            is_equality: false,
            roots: None,
            setup: Setup::default(),
            values: Vec::new(),
        }
    }

    /// It is about this expression.
    pub(crate) fn is_about(&mut self, subject: &Node<'_>) {
        self.tested = variable_under(subject);
        self.attribute_call = attribute_of_variable(subject);
    }

    /// With a literal for each state.
    pub(crate) fn with_values(mut self, values: Vec<Option<String>>) -> CharacteristicDraft {
        self.values = values;
        self
    }

    /// Present or absent.
    pub(crate) fn presence(value: Name) -> CharacteristicDraft {
        let name = match value.full.as_str() {
            "" => Name::plain("present"),
            _ => value.and("present"),
        };
        let states = ["present", "absent"].map(ToOwned::to_owned);
        CharacteristicDraft::of_two(name, states, ConditionKind::Presence { is_nil: true })
    }

    /// A comparison with these two states.
    pub(crate) fn range(
        name: Name,
        states: [&str; 2],
        family: ConditionKind,
    ) -> CharacteristicDraft {
        CharacteristicDraft {
            kind: Kind::Range,
            ..CharacteristicDraft::of_two(name, states.map(ToOwned::to_owned), family)
        }
    }

    /// Whether the method itself gives what it is about another value.
    pub(crate) fn is_assigned(&self, flags: &Flags) -> bool {
        let asked = self.attribute_call.as_ref().map(|asked| &asked.of);
        let mut names = self.tested.iter().chain(asked);
        names.any(|name| flags.is_assigned(name))
    }

    /// Whether the answer is the same after these changes.
    pub(crate) fn survives(&self, changes: &[Change]) -> bool {
        let is_concerned = |root: &Dependency| changes.iter().any(|change| change.concerns(*root));
        self.roots
            .as_ref()
            .is_some_and(|roots| !roots.iter().any(is_concerned))
    }

    /// Whether its answer is reached through nothing but what that of the other one is.
    pub(crate) fn is_reached_like(&self, other: &CharacteristicDraft) -> bool {
        let (Some(roots), Some(others)) = (&self.roots, &other.roots) else {
            return false;
        };
        roots
            .iter()
            .all(|root| others.iter().any(|other| other.name == root.name))
    }

    /// Whether both say the same: one characteristic, not two.
    pub(crate) fn same(&self, other: &CharacteristicDraft) -> bool {
        self.name.full == other.name.full
            && self.kind == other.kind
            && self.states == other.states
            && self.content == other.content
    }
}
