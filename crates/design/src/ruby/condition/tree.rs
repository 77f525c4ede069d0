//! Conditions as trees: rule E7. Every operand of `&&` and `||` is a separate characteristic; `!` only negates.

use ruby_prism::Node;

use crate::characteristic::Kind;
use crate::ruby::condition::boolean_names::Flags;
use crate::ruby::condition::dependencies::all_dependencies;
use crate::ruby::condition::draft::{CharacteristicDraft, ConditionKind};
use crate::ruby::condition::interval::Interval;
use crate::ruby::condition::leaf::{self, Leaf};
use crate::ruby::syntax::node::{bare, called};

/// A condition.
#[derive(Debug, Clone)]
pub(crate) enum Condition<T> {
    /// A condition without operators.
    Leaf {
        /// The draft, or the index of its characteristic.
        leaf: T,
        /// Whether the condition is true when the leaf is in its second state.
        negated: bool,
    },
    /// A conjunction.
    All {
        parts: Vec<Condition<T>>,
        negated: bool,
    },
    /// A disjunction.
    Any {
        parts: Vec<Condition<T>>,
        negated: bool,
    },
}

impl<T> Condition<T> {
    pub(crate) fn negate(self) -> Condition<T> {
        match self {
            Condition::Leaf { leaf, negated } => Condition::Leaf {
                leaf,
                negated: !negated,
            },
            Condition::All { parts, negated } => Condition::All {
                parts,
                negated: !negated,
            },
            Condition::Any { parts, negated } => Condition::Any {
                parts,
                negated: !negated,
            },
        }
    }

    /// Replaces the leaves, left to right.
    pub(crate) fn map<U>(self, f: &mut impl FnMut(T) -> U) -> Condition<U> {
        let mut all =
            |parts: Vec<Condition<T>>| parts.into_iter().map(|part| part.map(f)).collect();
        match self {
            Condition::All { parts, negated } => Condition::All {
                parts: all(parts),
                negated,
            },
            Condition::Any { parts, negated } => Condition::Any {
                parts: all(parts),
                negated,
            },
            Condition::Leaf { leaf, negated } => Condition::Leaf {
                leaf: f(leaf),
                negated,
            },
        }
    }

    /// Removes leaves whose truth is known. `Err` with the truth if it is then known for the complete condition.
    pub(crate) fn simplify(
        self,
        known: &impl Fn(&T) -> Option<bool>,
    ) -> Result<Condition<T>, bool> {
        match self {
            Condition::Leaf { leaf, negated } => match known(&leaf) {
                Some(truth) => Err(truth != negated),
                None => Ok(Condition::Leaf { leaf, negated }),
            },
            Condition::All { parts, negated } => {
                simplify_parts(parts, known, false, negated, |parts| Condition::All {
                    parts,
                    negated,
                })
            }
            Condition::Any { parts, negated } => {
                simplify_parts(parts, known, true, negated, |parts| Condition::Any {
                    parts,
                    negated,
                })
            }
        }
    }

    /// The leaf that represents the branch taken when the condition has this truth value, with its state: the last
    /// operand of a conjunction, the first of a disjunction.
    pub(crate) fn representative_leaf(&self, truth: bool) -> (&T, bool) {
        match self {
            Condition::Leaf { leaf, negated } => (leaf, truth != *negated),
            Condition::All { parts, negated } => {
                representative_of(parts, truth != *negated, truth != *negated)
            }
            Condition::Any { parts, negated } => {
                representative_of(parts, truth == *negated, truth != *negated)
            }
        }
    }

    /// The leaves whose state is implied when the condition has this truth value.
    pub(crate) fn implied_leaves(&self, truth: bool) -> Vec<(&T, bool)> {
        match self {
            Condition::Leaf { leaf, negated } => vec![(leaf, truth != *negated)],
            Condition::All { parts, negated } => implied_by_all(parts, truth != *negated, true),
            Condition::Any { parts, negated } => implied_by_all(parts, truth != *negated, false),
        }
    }

    /// Calls the function with each leaf, left to right.
    pub(crate) fn for_each(&self, f: &mut impl FnMut(&T)) {
        match self {
            Condition::Leaf { leaf, .. } => f(leaf),
            Condition::All { parts, .. } | Condition::Any { parts, .. } => {
                parts.iter().for_each(|part| part.for_each(f));
            }
        }
    }

    /// Calls the function with each leaf, which it may change.
    pub(crate) fn for_each_mut(&mut self, f: &mut impl FnMut(&mut T)) {
        match self {
            Condition::Leaf { leaf, .. } => f(leaf),
            Condition::All { parts, .. } | Condition::Any { parts, .. } => {
                parts.iter_mut().for_each(|part| part.for_each_mut(f));
            }
        }
    }

    /// Whether the predicate is true for all leaves.
    pub(crate) fn all(&self, predicate: &impl Fn(&T) -> bool) -> bool {
        match self {
            Condition::Leaf { leaf, .. } => predicate(leaf),
            Condition::All { parts, .. } | Condition::Any { parts, .. } => {
                parts.iter().all(|part| part.all(predicate))
            }
        }
    }

    /// The number of leaves.
    pub(crate) fn size(&self) -> usize {
        match self {
            Condition::Leaf { .. } => 1,
            Condition::All { parts, .. } | Condition::Any { parts, .. } => {
                parts.iter().map(Condition::size).sum()
            }
        }
    }

    /// The leaves that alone give the condition this truth value.
    pub(crate) fn sufficient_leaves(&self, truth: bool) -> Vec<(&T, bool)> {
        let (parts, truth, each) = match self {
            Condition::Leaf { leaf, negated } => return vec![(leaf, truth != *negated)],
            Condition::All { parts, negated } => (parts, truth != *negated, false),
            Condition::Any { parts, negated } => (parts, truth != *negated, true),
        };
        if truth != each {
            return Vec::new();
        }
        parts
            .iter()
            .flat_map(|part| part.sufficient_leaves(truth))
            .collect()
    }
}

/// Keeps the parts that are not known. A part with the truth value `decisive` decides the result.
fn simplify_parts<T>(
    parts: Vec<Condition<T>>,
    known: &impl Fn(&T) -> Option<bool>,
    decisive: bool,
    negated: bool,
    join: impl FnOnce(Vec<Condition<T>>) -> Condition<T>,
) -> Result<Condition<T>, bool> {
    let mut unknown = Vec::with_capacity(parts.len());
    for part in parts {
        match part.simplify(known) {
            Ok(part) => unknown.push(part),
            Err(truth) if truth == decisive => return Err(decisive != negated),
            Err(_) => {}
        }
    }
    match unknown.pop() {
        None => Err(decisive == negated),
        Some(only) if unknown.is_empty() && negated => Ok(only.negate()),
        Some(only) if unknown.is_empty() => Ok(only),
        Some(last) => {
            unknown.push(last);
            Ok(join(unknown))
        }
    }
}

fn representative_of<T>(parts: &[Condition<T>], last: bool, truth: bool) -> (&T, bool) {
    let part = if last { parts.last() } else { parts.first() };
    part.expect("a combination has at least two parts")
        .representative_leaf(truth)
}

fn implied_by_all<T>(parts: &[Condition<T>], truth: bool, when: bool) -> Vec<(&T, bool)> {
    if truth != when {
        return Vec::new();
    }
    parts
        .iter()
        .flat_map(|part| part.implied_leaves(truth))
        .collect()
}

/// The condition as a tree. `None` if nothing varies, or if a nested conditional decides it.
pub(crate) fn condition_tree(
    node: Node<'_>,
    flags: &Flags<'_>,
) -> Option<Condition<CharacteristicDraft>> {
    let node = bare(node);
    if let Some(and) = node.as_and_node() {
        let parts = [
            condition_tree(and.left(), flags),
            condition_tree(and.right(), flags),
        ];
        return all(parts.into_iter().flatten().collect());
    }
    if let Some(or) = node.as_or_node() {
        let parts = [
            condition_tree(or.left(), flags),
            condition_tree(or.right(), flags),
        ];
        return any(parts.into_iter().flatten().collect());
    }
    if let Some(operand) = negated_operand(&node) {
        return condition_tree(operand, flags).map(Condition::negate);
    }
    let Leaf { draft, negated } = leaf::leaf(&node, flags)?;
    Some(Condition::Leaf {
        leaf: draft,
        negated,
    })
}

fn negated_operand<'pr>(node: &Node<'pr>) -> Option<Node<'pr>> {
    let call = node.as_call_node()?;
    (called(&call) == "!").then(|| call.receiver()).flatten()
}

fn all(parts: Vec<Condition<CharacteristicDraft>>) -> Option<Condition<CharacteristicDraft>> {
    let mut parts = merge_bounds(flat(parts, true));
    if parts.len() < 2 {
        return parts.pop();
    }
    Some(Condition::All {
        parts,
        negated: false,
    })
}

/// A disjunction, used for the values of a `when`.
pub(crate) fn either(
    parts: Vec<Condition<CharacteristicDraft>>,
) -> Option<Condition<CharacteristicDraft>> {
    any(parts)
}

fn any(parts: Vec<Condition<CharacteristicDraft>>) -> Option<Condition<CharacteristicDraft>> {
    let mut parts = flat(parts, false);
    if parts.len() < 2 {
        return parts.pop();
    }
    Some(Condition::Any {
        parts,
        negated: false,
    })
}

/// Flattens nested operators: `(a && b) && c` is one conjunction of three.
fn flat(
    parts: Vec<Condition<CharacteristicDraft>>,
    conjunction: bool,
) -> Vec<Condition<CharacteristicDraft>> {
    let expand = |part| match part {
        Condition::All {
            parts,
            negated: false,
        } if conjunction => parts,
        Condition::Any {
            parts,
            negated: false,
        } if !conjunction => parts,
        part => vec![part],
    };
    parts.into_iter().flat_map(expand).collect()
}

/// Merges two comparisons of the same subject into one range.
fn merge_bounds(parts: Vec<Condition<CharacteristicDraft>>) -> Vec<Condition<CharacteristicDraft>> {
    let mut merged: Vec<Condition<CharacteristicDraft>> = Vec::with_capacity(parts.len());
    for part in parts {
        let bound = comparison_subject(&part).map(ToOwned::to_owned);
        let other = merged
            .iter_mut()
            .find(|other| bound.is_some() && comparison_subject(other) == bound.as_deref());
        match (other, part) {
            (Some(Condition::Leaf { leaf, negated }), Condition::Leaf { leaf: second, .. }) => {
                join_bounds(leaf, &second);
                *negated = false;
            }
            (_, part) => merged.push(part),
        }
    }
    merged
}

/// The subject of a comparison.
fn comparison_subject(condition: &Condition<CharacteristicDraft>) -> Option<&str> {
    match condition {
        Condition::Leaf { leaf, .. } => match &leaf.condition_kind {
            ConditionKind::Comparison { subject, .. } => Some(subject),
            _ => None,
        },
        _ => None,
    }
}

fn join_bounds(first: &mut CharacteristicDraft, second: &CharacteristicDraft) {
    if let ConditionKind::Comparison { name, .. } = &first.condition_kind {
        first.name = name.clone().with_suffix("range");
    }
    first.kind = Kind::Range;
    first.states = leaf::WITHIN.map(ToOwned::to_owned).to_vec();
    first.content = format!("{} {}", first.content, second.content);
    first.threshold = None;
    first.spans.extend(&second.spans);
    first.dependencies = all_dependencies(
        [&*first, second]
            .map(|draft| draft.dependencies.as_deref())
            .into_iter(),
    );
    first.interval = first
        .interval
        .zip(second.interval)
        .map(|(a, b)| a.intersection(b));
    first.values = first.interval.map(Interval::samples).unwrap_or_default();
}
