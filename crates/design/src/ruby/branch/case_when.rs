//! The states of `case … when`: rule E9.

use ruby_prism::{CaseNode, ElseNode, Node, StatementsNode, WhenNode};

use crate::characteristic::Kind;
use crate::ruby::condition::draft::{CharacteristicDraft, ConditionKind};
use crate::ruby::condition::identity::identity;
use crate::ruby::condition::interval::{Interval, ranks};
use crate::ruby::condition::leaf::{BELOW, WITHIN, lower_bound, subject};
use crate::ruby::condition::qualifier;
use crate::ruby::condition::sample_values;
use crate::ruby::condition::state_setup;
use crate::ruby::condition::tier_words::tiers;
use crate::ruby::condition::value_name::{name_or_words, value_name};
use crate::ruby::syntax::node::{bare, constant, is_constant, last_line, line, source};
use crate::ruby::syntax::words::{is_number, is_word, literal_word};

/// The characteristic of a `case` with a subject. States are in the order of the branches.
pub(crate) fn of_case(case: &CaseNode<'_>, subject: &Node<'_>) -> CharacteristicDraft {
    let name = name_or_words(subject);
    let whens: Vec<WhenNode<'_>> = case
        .conditions()
        .iter()
        .filter_map(|when| when.as_when_node())
        .collect();
    let else_clause = case.else_clause();
    let numeric = is_numeric(&whens);
    let node = case.as_node();
    let mut draft = CharacteristicDraft::binary(name, "", ConditionKind::Other);
    draft.kind = if numeric { Kind::Range } else { Kind::Enum };
    draft.states = if numeric {
        groups(&whens, else_clause.as_ref(), &draft.name.full)
    } else {
        words(&whens, else_clause.is_some(), &draft.name.full)
    };
    draft.content = identity(subject);
    for value in whens.iter().flat_map(values) {
        draft.content.push(' ');
        draft.content.push_str(&source(&value));
    }
    draft.qualifiers = qualifier::of_states(&draft.states).into_iter().collect();
    draft.qualifiers.extend(qualifier::of_value(subject));
    draft.lines = (line(&node), last_line(&node));
    if whens.iter().flat_map(values).all(|value| is_value(&value)) {
        draft.condition_kind = ConditionKind::Value {
            subject: self::subject(subject),
        };
    }
    draft.set_subject(subject);
    draft.setup = state_setup::of(subject);
    draft.values = samples(&whens, draft.states.len());
    draft
}

/// The first value of each branch; for the `else`, a value that is none of them.
fn samples(whens: &[WhenNode<'_>], states: usize) -> Vec<Option<String>> {
    let of_when = |when: &WhenNode<'_>| values(when).first().and_then(sample_of);
    let mut samples: Vec<Option<String>> = whens.iter().map(of_when).collect();
    if samples.len() < states {
        let all: Vec<String> = whens
            .iter()
            .flat_map(values)
            .filter_map(|value| upper_sample(&value))
            .collect();
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let is_complete = whens.iter().flat_map(values).count() == all.len();
        samples.push(if is_complete {
            sample_values::other_than(&all)
        } else {
            None
        });
    }
    samples
}

fn sample_of(value: &Node<'_>) -> Option<String> {
    let Some(range) = value.as_range_node() else {
        return sample_values::of_value(value);
    };
    let bound = match (range.left(), range.right()) {
        (Some(left), _) => left,
        (None, Some(right)) if !range.is_exclude_end() => right,
        _ => return None,
    };
    bound.as_integer_node().map(|_| source(&bound))
}

/// The value itself, or the end of a range.
fn upper_sample(value: &Node<'_>) -> Option<String> {
    match value.as_range_node() {
        Some(range) => range
            .right()
            .filter(|end| end.as_integer_node().is_some())
            .map(|end| source(&end)),
        None => sample_values::of_value(value),
    }
}

fn values<'pr>(when: &WhenNode<'pr>) -> Vec<Node<'pr>> {
    when.conditions().iter().map(bare).collect()
}

/// Whether it only matches an equal value: a literal, or a constant in capitals. A class also matches its instances.
fn is_value(node: &Node<'_>) -> bool {
    let is_uppercase = |name: &str| !name.chars().any(char::is_lowercase);
    let is_truth = node.as_true_node().is_some() || node.as_false_node().is_some();
    is_word(node) && !is_truth || constant(node).is_some_and(is_uppercase)
}

/// Whether all values are numbers or ranges of numbers, and at least one is a range.
fn is_numeric(whens: &[WhenNode<'_>]) -> bool {
    let values: Vec<_> = whens.iter().flat_map(values).collect();
    values.iter().any(is_numeric_range)
        && values
            .iter()
            .all(|value| is_number(value) || is_numeric_range(value))
}

/// Whether a range is bounded by numbers.
pub(crate) fn is_numeric_range(node: &Node<'_>) -> bool {
    let Some(range) = node.as_range_node() else {
        return false;
    };
    let bounds = [range.left(), range.right()];
    bounds.iter().flatten().count() > 0 && bounds.iter().flatten().all(is_bound)
}

/// Whether this is a number, or a constant that may be one.
fn is_bound(node: &Node<'_>) -> bool {
    is_number(node) || is_constant(node)
}

/// The states of numeric branches.
fn groups(whens: &[WhenNode<'_>], else_clause: Option<&ElseNode<'_>>, name: &str) -> Vec<String> {
    let mut branches: Vec<_> = whens.iter().map(WhenNode::statements).collect();
    branches.extend(else_clause.map(ElseNode::statements));
    let arms: Vec<Vec<Node<'_>>> = whens.iter().map(values).collect();
    ranges(&arms, &branches, name)
}

/// The states of branches with these numbers and ranges: two by rule E6, more by rule E12.
pub(crate) fn ranges(
    arms: &[Vec<Node<'_>>],
    branches: &[Option<StatementsNode<'_>>],
    name: &str,
) -> Vec<String> {
    if branches.len() <= 2 {
        let states = match arms.first().map(Vec::as_slice) {
            Some([only]) => one_range(only, name),
            _ => WITHIN,
        };
        return states.map(ToOwned::to_owned).to_vec();
    }
    let intervals: Vec<_> = arms
        .iter()
        .map(|values| values.iter().map(Interval::of_value).collect())
        .collect();
    tiers(branches, &ranks(&intervals, branches.len(), true))
}

/// The states inside and outside one range.
fn one_range(node: &Node<'_>, name: &str) -> [&'static str; 2] {
    match node
        .as_range_node()
        .map(|range| (range.left(), range.right()))
    {
        Some((Some(_), None)) => lower_bound(name, None),
        Some((None, Some(_))) => BELOW,
        _ => WITHIN,
    }
}

/// One state per branch.
fn words(whens: &[WhenNode<'_>], has_else: bool, name: &str) -> Vec<String> {
    let mut patterns = 0;
    let mut states: Vec<String> = whens
        .iter()
        .map(|when| {
            let words: Vec<_> = values(when)
                .iter()
                .map(|value| when_word(value, name, &mut patterns))
                .collect();
            words.join("_or_")
        })
        .collect();
    // A single state would mean that nothing varies, so "no match" becomes the second.
    if has_else || states.len() < 2 {
        states.push("other".to_owned());
    }
    distinct(states)
}

/// The word for one value; expressions without a name are numbered.
pub(crate) fn when_word(value: &Node<'_>, name: &str, patterns: &mut usize) -> String {
    if value.as_true_node().is_some() {
        return name.to_owned();
    }
    if value.as_false_node().is_some() {
        return format!("not_{name}");
    }
    let word = literal_word(value)
        .or_else(|| range_word(value))
        .or_else(|| splat_word(value))
        .or_else(|| computed_word(value));
    word.unwrap_or_else(|| {
        *patterns += 1;
        format!("pattern_{patterns}")
    })
}

fn range_word(node: &Node<'_>) -> Option<String> {
    let range = node.as_range_node()?;
    let word = |bound: Option<Node<'_>>| bound.and_then(|bound| literal_word(&bound));
    match (word(range.left()), word(range.right())) {
        (Some(left), Some(right)) => Some(format!("{left}_to_{right}")),
        (Some(left), None) => Some(format!("from_{left}")),
        (None, Some(right)) => Some(format!("up_to_{right}")),
        (None, None) => None,
    }
}

fn splat_word(node: &Node<'_>) -> Option<String> {
    Some(value_name(&bare(node.as_splat_node()?.expression()?))?.full)
}

fn computed_word(node: &Node<'_>) -> Option<String> {
    let named =
        node.as_call_node().is_some() || crate::ruby::syntax::node::variable(node).is_some();
    let name = named.then(|| value_name(node)).flatten()?;
    Some(name.full)
}

/// Makes the states distinct by appending a number to later duplicates.
pub(crate) fn distinct(states: Vec<String>) -> Vec<String> {
    let mut seen: Vec<String> = Vec::with_capacity(states.len());
    for state in states {
        let mut candidate = state.clone();
        let mut number = 2;
        while seen.contains(&candidate) {
            candidate = format!("{state}_{number}");
            number += 1;
        }
        seen.push(candidate);
    }
    seen
}
