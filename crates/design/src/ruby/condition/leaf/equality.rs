//! `==`, `!=` and `===`.

use ruby_prism::{CallNode, Node};

use crate::ruby::condition::draft::{CharacteristicDraft, ConditionKind};
use crate::ruby::condition::identity::identity;
use crate::ruby::condition::leaf::Leaf;
use crate::ruby::condition::leaf::comparison::within;
use crate::ruby::condition::leaf::predicate::{matches, typed};
use crate::ruby::condition::leaf::subject::subject;
use crate::ruby::condition::qualifier;
use crate::ruby::condition::sample_values;
use crate::ruby::condition::value_name::name_or_words;
use crate::ruby::syntax::node::{argument, bare, called, constant, is_constant};
use crate::ruby::syntax::words::{is_literal, literal_word, plain};

pub(in crate::ruby::condition::leaf) fn equality(call: &CallNode<'_>) -> Leaf {
    let (Some(left), Some(right)) = (call.receiver().map(bare), argument(call).map(bare)) else {
        return Leaf::plain(CharacteristicDraft::presence(name_or_words(
            &call.as_node(),
        )));
    };
    let (left, right) = if is_reversed(&left, &right) {
        (right, left)
    } else {
        (left, right)
    };
    if right.as_nil_node().is_some() {
        let mut draft = CharacteristicDraft::presence(name_or_words(&left))
            .with_values(sample_values::presence("nil?"));
        draft.content = identity(&left);
        draft.qualifiers = qualifier::of_value(&left);
        return Leaf::plain(draft).negate_if(true);
    }
    if right.as_true_node().is_some() || right.as_false_node().is_some() {
        return Leaf::plain(truth(&left)).negate_if(right.as_false_node().is_some());
    }
    Leaf::plain(equal(&left, &right))
}

/// Whether the operands of an equality are reversed: a literal on the left, or a constant on the left and no literal on
/// the right.
fn is_reversed(left: &Node<'_>, right: &Node<'_>) -> bool {
    is_literal(left) && !is_literal(right)
        || is_constant(left) && literal_word(right).is_none() && !is_literal(right)
}

/// `x == true`: the value is a boolean.
fn truth(node: &Node<'_>) -> CharacteristicDraft {
    let name = name_or_words(node);
    let word = match node.as_call_node() {
        Some(call) if call.receiver().is_some() && called(&call) != "[]" => plain(called(&call)),
        _ => name.full.as_str(),
    };
    let word = word.to_owned();
    let mut draft = CharacteristicDraft::binary(name, &word, ConditionKind::Flag)
        .with_values(sample_values::booleans());
    draft.content = identity(node);
    draft.qualifiers = qualifier::of_value(node);
    draft
}

fn equal(left: &Node<'_>, right: &Node<'_>) -> CharacteristicDraft {
    let literal = literal_word(right);
    let word = literal.clone().unwrap_or_else(|| name_or_words(right).full);
    let content = match &literal {
        Some(_) => identity(left),
        None => format!("{} {}", identity(left), identity(right)),
    };
    let condition_kind = match literal {
        Some(word) => ConditionKind::Equality {
            subject: subject(left),
            word,
        },
        None => ConditionKind::Other,
    };
    let mut draft = CharacteristicDraft::binary(name_or_words(left), &word, condition_kind);
    draft.content = content;
    draft.qualifiers.extend(qualifier::of_equal(right));
    draft.qualifiers.extend(qualifier::of_value(left));
    draft.set_subject(left);
    draft.is_equality = true;
    draft.values = sample_values::pair(right);
    draft
}

/// `String === x` tests a type, `(1..5) === x` a range, anything else equality.
pub(in crate::ruby::condition::leaf) fn case_equality(call: &CallNode<'_>) -> Leaf {
    let (Some(left), Some(right)) = (call.receiver().map(bare), argument(call).map(bare)) else {
        return equality(call);
    };
    if left.as_range_node().is_some() {
        return Leaf::plain(within(&right));
    }
    match constant(&left) {
        Some(_) => Leaf::plain(typed(&right, &left)),
        None if left.as_regular_expression_node().is_some() => Leaf::plain(matches(&right)),
        None => equality(call),
    }
}
