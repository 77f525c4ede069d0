//! Conditions as trees: rule E7.
//!
//! Every operand of `&&` and `||` is a characteristic of its own; `!` only turns the meaning round.

use ruby_prism::Node;

use super::draft::{Draft, Family};
use super::flags::Flags;
use super::interval::Interval;
use super::leaf::{self, Leaf};
use super::node::{bare, called};
use super::roots::all_roots;
use crate::characteristic::Kind;

/// A condition.
#[derive(Debug, Clone)]
pub(crate) enum Test<T> {
    /// One question.
    Leaf {
        /// What it asks, or where it was put.
        leaf: T,
        /// Whether the condition is true when the leaf is in its second state.
        negated: bool,
    },
    /// All of them.
    All { parts: Vec<Test<T>>, negated: bool },
    /// One of them is enough.
    Any { parts: Vec<Test<T>>, negated: bool },
}

impl<T> Test<T> {
    pub(crate) fn negate(self) -> Test<T> {
        match self {
            Test::Leaf { leaf, negated } => Test::Leaf {
                leaf,
                negated: !negated,
            },
            Test::All { parts, negated } => Test::All {
                parts,
                negated: !negated,
            },
            Test::Any { parts, negated } => Test::Any {
                parts,
                negated: !negated,
            },
        }
    }

    /// The same tree with something else in its leaves, left to right.
    pub(crate) fn map<U>(self, f: &mut impl FnMut(T) -> U) -> Test<U> {
        let mut all = |parts: Vec<Test<T>>| parts.into_iter().map(|part| part.map(f)).collect();
        match self {
            Test::All { parts, negated } => Test::All {
                parts: all(parts),
                negated,
            },
            Test::Any { parts, negated } => Test::Any {
                parts: all(parts),
                negated,
            },
            Test::Leaf { leaf, negated } => Test::Leaf {
                leaf: f(leaf),
                negated,
            },
        }
    }

    /// What is left open of it, where some leaves are known to be true or false; `Err` where the whole is.
    pub(crate) fn given(self, known: &impl Fn(&T) -> Option<bool>) -> Result<Test<T>, bool> {
        match self {
            Test::Leaf { leaf, negated } => match known(&leaf) {
                Some(truth) => Err(truth != negated),
                None => Ok(Test::Leaf { leaf, negated }),
            },
            Test::All { parts, negated } => open(parts, known, false, negated, |parts| Test::All {
                parts,
                negated,
            }),
            Test::Any { parts, negated } => open(parts, known, true, negated, |parts| Test::Any {
                parts,
                negated,
            }),
        }
    }

    /// The one leaf that stands for the branch taken when the condition is this: the last operand of a conjunction,
    /// the first of a disjunction, each in the state it then has.
    pub(crate) fn stands_for(&self, truth: bool) -> (&T, bool) {
        match self {
            Test::Leaf { leaf, negated } => (leaf, truth != *negated),
            Test::All { parts, negated } => chosen(parts, truth != *negated, truth != *negated),
            Test::Any { parts, negated } => chosen(parts, truth == *negated, truth != *negated),
        }
    }

    /// The leaves whose state is certain when the condition is this.
    pub(crate) fn decided(&self, truth: bool) -> Vec<(&T, bool)> {
        match self {
            Test::Leaf { leaf, negated } => vec![(leaf, truth != *negated)],
            Test::All { parts, negated } => certain(parts, truth != *negated, true),
            Test::Any { parts, negated } => certain(parts, truth != *negated, false),
        }
    }

    /// Whether this is so of all leaves.
    pub(crate) fn all(&self, is_so: &impl Fn(&T) -> bool) -> bool {
        match self {
            Test::Leaf { leaf, .. } => is_so(leaf),
            Test::All { parts, .. } | Test::Any { parts, .. } => {
                parts.iter().all(|part| part.all(is_so))
            }
        }
    }

    /// How many leaves there are.
    pub(crate) fn size(&self) -> usize {
        match self {
            Test::Leaf { .. } => 1,
            Test::All { parts, .. } | Test::Any { parts, .. } => parts.iter().map(Test::size).sum(),
        }
    }

    /// The leaves of which each alone makes the condition this.
    pub(crate) fn decisive(&self, truth: bool) -> Vec<(&T, bool)> {
        let (parts, truth, each) = match self {
            Test::Leaf { leaf, negated } => return vec![(leaf, truth != *negated)],
            Test::All { parts, negated } => (parts, truth != *negated, false),
            Test::Any { parts, negated } => (parts, truth != *negated, true),
        };
        if truth != each {
            return Vec::new();
        }
        parts.iter().flat_map(|part| part.decisive(truth)).collect()
    }
}

/// The parts that are open. One that is `decisive` decides the others.
fn open<T>(
    parts: Vec<Test<T>>,
    known: &impl Fn(&T) -> Option<bool>,
    decisive: bool,
    negated: bool,
    join: impl FnOnce(Vec<Test<T>>) -> Test<T>,
) -> Result<Test<T>, bool> {
    let mut left = Vec::with_capacity(parts.len());
    for part in parts {
        match part.given(known) {
            Ok(part) => left.push(part),
            Err(truth) if truth == decisive => return Err(decisive != negated),
            Err(_) => {}
        }
    }
    match left.pop() {
        None => Err(decisive == negated),
        Some(only) if left.is_empty() && negated => Ok(only.negate()),
        Some(only) if left.is_empty() => Ok(only),
        Some(last) => {
            left.push(last);
            Ok(join(left))
        }
    }
}

fn chosen<T>(parts: &[Test<T>], last: bool, truth: bool) -> (&T, bool) {
    let part = if last { parts.last() } else { parts.first() };
    part.expect("a combination has two parts or more")
        .stands_for(truth)
}

fn certain<T>(parts: &[Test<T>], truth: bool, when: bool) -> Vec<(&T, bool)> {
    if truth != when {
        return Vec::new();
    }
    parts.iter().flat_map(|part| part.decided(truth)).collect()
}

/// The condition as a tree; none where it varies with nothing or is itself decided by conditionals.
pub(crate) fn test(node: Node<'_>, flags: &Flags) -> Option<Test<Draft>> {
    let node = bare(node);
    if let Some(and) = node.as_and_node() {
        let parts = [test(and.left(), flags), test(and.right(), flags)];
        return all(parts.into_iter().flatten().collect());
    }
    if let Some(or) = node.as_or_node() {
        let parts = [test(or.left(), flags), test(or.right(), flags)];
        return any(parts.into_iter().flatten().collect());
    }
    if let Some(operand) = negated_operand(&node) {
        return test(operand, flags).map(Test::negate);
    }
    let Leaf { draft, negated } = leaf::leaf(&node, flags)?;
    Some(Test::Leaf {
        leaf: draft,
        negated,
    })
}

fn negated_operand<'pr>(node: &Node<'pr>) -> Option<Node<'pr>> {
    let call = node.as_call_node()?;
    (called(&call) == "!").then(|| call.receiver()).flatten()
}

fn all(parts: Vec<Test<Draft>>) -> Option<Test<Draft>> {
    let mut parts = bounded(flat(parts, true));
    if parts.len() < 2 {
        return parts.pop();
    }
    Some(Test::All {
        parts,
        negated: false,
    })
}

/// One of them is enough, as for the values of a `when`.
pub(crate) fn either(parts: Vec<Test<Draft>>) -> Option<Test<Draft>> {
    any(parts)
}

fn any(parts: Vec<Test<Draft>>) -> Option<Test<Draft>> {
    let mut parts = flat(parts, false);
    if parts.len() < 2 {
        return parts.pop();
    }
    Some(Test::Any {
        parts,
        negated: false,
    })
}

/// `(a && b) && c` is one conjunction of three.
fn flat(parts: Vec<Test<Draft>>, conjunction: bool) -> Vec<Test<Draft>> {
    let open = |part| match part {
        Test::All {
            parts,
            negated: false,
        } if conjunction => parts,
        Test::Any {
            parts,
            negated: false,
        } if !conjunction => parts,
        part => vec![part],
    };
    parts.into_iter().flat_map(open).collect()
}

/// Two comparisons of one subject are two bounds of one range.
fn bounded(parts: Vec<Test<Draft>>) -> Vec<Test<Draft>> {
    let mut merged: Vec<Test<Draft>> = Vec::with_capacity(parts.len());
    for part in parts {
        let bound = compared(&part).map(ToOwned::to_owned);
        let other = merged
            .iter_mut()
            .find(|other| bound.is_some() && compared(other) == bound.as_deref());
        match (other, part) {
            (Some(Test::Leaf { leaf, negated }), Test::Leaf { leaf: second, .. }) => {
                join_bounds(leaf, &second);
                *negated = false;
            }
            (_, part) => merged.push(part),
        }
    }
    merged
}

/// The subject of a comparison.
fn compared(test: &Test<Draft>) -> Option<&str> {
    match test {
        Test::Leaf { leaf, .. } => match &leaf.family {
            Family::Comparison { subject, .. } => Some(subject),
            _ => None,
        },
        _ => None,
    }
}

fn join_bounds(first: &mut Draft, second: &Draft) {
    if let Family::Comparison { name, .. } = &first.family {
        first.name = name.clone().and("range");
    }
    first.kind = Kind::Range;
    first.states = leaf::WITHIN.map(ToOwned::to_owned).to_vec();
    first.content = format!("{} {}", first.content, second.content);
    first.threshold = None;
    first.roots = all_roots(
        [&*first, second]
            .map(|draft| draft.roots.as_deref())
            .into_iter(),
    );
    first.interval = first.interval.zip(second.interval).map(|(a, b)| a.and(b));
    first.values = first.interval.map(Interval::samples).unwrap_or_default();
}
