//! A characteristic built from one condition, before it is related to others.

use ruby_prism::Node;

use crate::characteristic::{AttributeCall, Kind, Setup, Threshold};
use crate::decision::ConditionSpan;
use crate::name::Name;
use crate::ruby::condition::boolean_names::Flags;
use crate::ruby::condition::dependencies::Dependency;
use crate::ruby::condition::interval::Interval;
use crate::ruby::condition::leaf::{attribute_of_variable, variable_under};
use crate::ruby::condition::qualifier::Qualifier;
use crate::ruby::walk::local_variables::LocalRead;
use crate::ruby::walk::mutations::Change;

/// A characteristic without parent and level, whose name may still collide.
#[derive(Debug, Clone)]
pub(crate) struct CharacteristicDraft {
    pub(crate) name: Name,
    pub(crate) kind: Kind,
    pub(crate) states: Vec<String>,
    /// The variable that is tested, used to find its default.
    pub(crate) tested: Option<String>,
    /// The attribute of a variable that the condition reads.
    pub(crate) attribute_call: Option<AttributeCall>,
    pub(crate) lines: (usize, usize),
    /// The bytes of its conditions; for a `case`, of its subject.
    pub(crate) spans: Vec<ConditionSpan>,
    pub(crate) condition_kind: ConditionKind,
    pub(crate) threshold: Option<Threshold>,
    /// The constant that it is compared with, as written.
    pub(crate) bound: Option<String>,
    /// The numbers for which a comparison is true, if its bounds are numbers.
    pub(crate) interval: Option<Interval>,
    /// What it reads and compares. Conditions with the same name but another content are different.
    pub(crate) content: String,
    /// Words that distinguish it from other conditions with the same name, best first.
    pub(crate) qualifiers: Vec<Qualifier>,
    /// The local variables that it reads.
    pub(crate) locals: Vec<LocalRead>,
    /// Whether the call has arguments. Their values are unknown, so a second call may give another result.
    pub(crate) has_arguments: bool,
    /// Whether it tests two values for equality.
    pub(crate) is_equality: bool,
    /// The names its value depends on. `None` if a second evaluation may give another result.
    pub(crate) dependencies: Option<Vec<Dependency>>,
    pub(crate) setup: Setup,
    /// For each state, a literal that brings it about.
    pub(crate) values: Vec<Option<String>>,
}

/// The kind of a condition and its subject. The conditions of a merged chain are of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ConditionKind {
    /// A comparison of this subject; `ascending` for `<` and `<=`.
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
    /// Which of several predicates of this receiver is the first to be true, one state each.
    FirstPredicate { receiver: String },
    /// A test for presence.
    Presence(Absence),
    /// The truth of a boolean.
    Flag,
    /// Any other condition.
    Other,
}

/// What counts as absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Absence {
    /// nil, but not an empty value.
    Nil,
    /// An empty value, but not nil.
    Empty,
    /// Any of them.
    Blank,
}

impl CharacteristicDraft {
    /// The names of these states.
    pub(crate) fn state_names(&self, states: &[usize]) -> Vec<String> {
        let names = states.iter().map(|state| self.states[*state].clone());
        names.collect()
    }

    /// Two states: the condition is true, or not.
    pub(crate) fn binary(
        name: Name,
        word: &str,
        condition_kind: ConditionKind,
    ) -> CharacteristicDraft {
        // `not_not_found` is not a word.
        let other = if word.starts_with("not_") {
            "other".to_owned()
        } else {
            ["not_", word].concat()
        };
        CharacteristicDraft::of_two(name, [word.to_owned(), other], condition_kind)
    }

    /// The truth of a word. A word that is itself negative, such as `not_due`, has the states `not_due` and `due`.
    pub(crate) fn of_word(
        name: impl FnOnce(&str) -> Name,
        word: &str,
        condition_kind: ConditionKind,
    ) -> CharacteristicDraft {
        match word.strip_prefix("not_").filter(|rest| !rest.is_empty()) {
            Some(rest) => {
                let states = [word.to_owned(), rest.to_owned()];
                CharacteristicDraft::of_two(name(rest), states, condition_kind)
            }
            None => CharacteristicDraft::binary(name(word), word, condition_kind),
        }
    }

    fn of_two(
        name: Name,
        states: [String; 2],
        condition_kind: ConditionKind,
    ) -> CharacteristicDraft {
        CharacteristicDraft {
            name,
            kind: Kind::Binary,
            states: states.into(),
            tested: None,
            attribute_call: None,
            lines: (0, 0),
            spans: Vec::new(),
            condition_kind,
            threshold: None,
            bound: None,
            interval: None,
            content: String::new(),
            qualifiers: Vec::new(),
            locals: Vec::new(),
            has_arguments: false,
            is_equality: false,
            dependencies: None,
            setup: Setup::default(),
            values: Vec::new(),
        }
    }

    /// Sets the expression that is tested.
    pub(crate) fn set_subject(&mut self, subject: &Node<'_>) {
        self.tested = variable_under(subject);
        self.attribute_call = attribute_of_variable(subject);
    }

    /// Sets a literal for each state.
    pub(crate) fn with_values(mut self, values: Vec<Option<String>>) -> CharacteristicDraft {
        self.values = values;
        self
    }

    /// The states `present` and `absent`.
    pub(crate) fn presence(value: Name) -> CharacteristicDraft {
        let name = match value.full.as_str() {
            "" => Name::plain("present"),
            _ => value.with_suffix("present"),
        };
        let states = ["present", "absent"].map(ToOwned::to_owned);
        CharacteristicDraft::of_two(name, states, ConditionKind::Presence(Absence::Nil))
    }

    /// A comparison with these two states.
    pub(crate) fn range(
        name: Name,
        states: [&str; 2],
        condition_kind: ConditionKind,
    ) -> CharacteristicDraft {
        CharacteristicDraft {
            kind: Kind::Range,
            ..CharacteristicDraft::of_two(name, states.map(ToOwned::to_owned), condition_kind)
        }
    }

    /// Whether the method assigns the variable that is tested.
    pub(crate) fn is_assigned(&self, flags: &Flags<'_>) -> bool {
        let variable = self.attribute_call.as_ref().map(|call| &call.variable);
        let mut names = self.tested.iter().chain(variable);
        names.any(|name| flags.is_assigned(name))
    }

    /// Whether the value is still the same after these changes.
    pub(crate) fn survives(&self, changes: &[Change]) -> bool {
        let is_affected = |root: &Dependency| changes.iter().any(|change| change.affects(*root));
        self.dependencies
            .as_ref()
            .is_some_and(|dependencies| !dependencies.iter().any(is_affected))
    }

    /// Whether it depends only on names that the other one depends on as well.
    pub(crate) fn depends_only_on_names_of(&self, other: &CharacteristicDraft) -> bool {
        let (Some(dependencies), Some(others)) = (&self.dependencies, &other.dependencies) else {
            return false;
        };
        dependencies
            .iter()
            .all(|root| others.iter().any(|other| other.name == root.name))
    }

    /// Whether both are the same characteristic.
    pub(crate) fn same(&self, other: &CharacteristicDraft) -> bool {
        self.name.full == other.name.full
            && self.kind == other.kind
            && self.states == other.states
            && self.content == other.content
            && self.has_values_of(other)
            && !self.is_other_absence(other)
    }

    /// Whether it reads the same local variables with the same values.
    fn has_values_of(&self, other: &CharacteristicDraft) -> bool {
        let mut pairs = self.locals.iter().zip(&other.locals);
        self.locals.len() == other.locals.len() && pairs.all(|(a, b)| a.has_value_of(*b))
    }

    /// Whether a local variable that it reads was assigned in another place.
    pub(crate) fn reads_from_elsewhere(&self, other: &CharacteristicDraft) -> bool {
        let mut pairs = self.locals.iter().zip(&other.locals);
        pairs.any(|(a, b)| a.is_from_elsewhere(*b))
    }

    /// Whether one of them tests for nil and the other one for an empty value.
    fn is_other_absence(&self, other: &CharacteristicDraft) -> bool {
        matches!(
            (&self.condition_kind, &other.condition_kind),
            (
                ConditionKind::Presence(Absence::Nil),
                ConditionKind::Presence(Absence::Empty)
            ) | (
                ConditionKind::Presence(Absence::Empty),
                ConditionKind::Presence(Absence::Nil)
            )
        )
    }
}
