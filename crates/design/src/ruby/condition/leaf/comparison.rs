//! Comparisons and ranges: rule E12.

use ruby_prism::{CallNode, Node};

use crate::characteristic::Threshold;
use crate::ruby::condition::draft::{CharacteristicDraft, ConditionKind};
use crate::ruby::condition::identity::identity;
use crate::ruby::condition::interval::Interval;
use crate::ruby::condition::leaf::amount::lower_bound;
use crate::ruby::condition::leaf::subject::subject;
use crate::ruby::condition::qualifier;
use crate::ruby::condition::value_name::name_or_words;
use crate::ruby::syntax::node::{argument, arguments, bare, called, constant, is_constant, source};
use crate::ruby::syntax::words::{is_literal, is_number};

/// The states of two bounds.
pub(crate) const WITHIN: [&str; 2] = ["within_range", "outside_range"];
/// The states of a lower bound on an amount.
pub(crate) const SUFFICIENT: [&str; 2] = ["sufficient", "insufficient"];
/// The states of another lower bound.
pub(crate) const ABOVE: [&str; 2] = ["above_threshold", "below_threshold"];
/// The states of an upper bound.
pub(crate) const BELOW: [&str; 2] = ["below_threshold", "above_threshold"];

pub(in crate::ruby::condition::leaf) fn comparison(
    call: &CallNode<'_>,
    operator: &str,
) -> CharacteristicDraft {
    let left = call
        .receiver()
        .map(bare)
        .expect("the caller checked the receiver");
    let Some(right) = argument(call).map(bare) else {
        return CharacteristicDraft::presence(name_or_words(&left));
    };
    if is_fixed(&left) && !is_fixed(&right) || is_literal(&left) && !is_literal(&right) {
        compared(&right, mirrored(operator), &left)
    } else {
        compared(&left, operator, &right)
    }
}

fn compared(subject: &Node<'_>, operator: &str, bound: &Node<'_>) -> CharacteristicDraft {
    let ascending = operator.starts_with('<');
    let name = name_or_words(subject);
    let condition_kind = ConditionKind::Comparison {
        subject: self::subject(subject),
        name: name.clone(),
        ascending,
    };
    let states = if ascending {
        BELOW
    } else {
        lower_bound(&name.full, Some(bound))
    };
    let mut draft = CharacteristicDraft::range(name, states, condition_kind);
    draft.content = format!("{} {operator} {}", identity(subject), source(bound));
    draft
        .qualifiers
        .extend(qualifier::of_bound(operator, bound));
    draft.qualifiers.extend(qualifier::of_value(subject));
    draft.threshold = Some(Threshold {
        operator: operator.to_owned(),
        value: is_number(bound).then(|| source(bound).replace('_', "")),
    });
    draft.bound = constant(bound).map(|_| source(bound));
    draft.interval = Interval::from_comparison(operator, bound);
    draft.set_subject(subject);
    draft
}

fn mirrored(operator: &str) -> &'static str {
    match operator {
        "<" => ">",
        "<=" => ">=",
        ">" => "<",
        _ => "<=",
    }
}

/// Whether an expression is a literal or a constant, or starts with one, so that it is the bound and not the subject.
pub(in crate::ruby::condition::leaf) fn is_fixed(node: &Node<'_>) -> bool {
    if is_literal(node) || is_constant(node) {
        return true;
    }
    node.as_call_node()
        .and_then(|call| call.receiver())
        .is_some_and(|receiver| is_fixed(&bare(receiver)))
}

/// `x.between?(a, b)` and `range.cover?(x)`.
pub(in crate::ruby::condition::leaf) fn bounds(call: &CallNode<'_>) -> CharacteristicDraft {
    let receiver = call.receiver().map(bare);
    let mut draft = match (called(call), &receiver, argument(call)) {
        ("cover?", _, Some(subject)) => within(&bare(subject)),
        (_, Some(subject), _) => within(subject),
        _ => within(&call.as_node()),
    };
    draft.qualifiers.extend(qualifier::of_bounds(call));
    draft.interval = match (receiver, arguments(call).as_slice()) {
        (_, [low, high]) => Interval::between(low, high),
        (Some(range), _) => Interval::of_value(&range),
        _ => None,
    };
    draft.values = draft.interval.map(Interval::samples).unwrap_or_default();
    draft.content = identity(&call.as_node());
    draft
}

pub(in crate::ruby::condition::leaf) fn within(subject: &Node<'_>) -> CharacteristicDraft {
    let name = name_or_words(subject);
    let condition_kind = ConditionKind::Comparison {
        subject: self::subject(subject),
        name: name.clone(),
        ascending: true,
    };
    let mut draft = CharacteristicDraft::range(name, WITHIN, condition_kind);
    draft.qualifiers = qualifier::of_value(subject);
    draft.set_subject(subject);
    draft
}
