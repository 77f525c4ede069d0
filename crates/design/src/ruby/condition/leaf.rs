//! Turns one condition without operators into a characteristic: the tables of rules E5 and E6, presence (rule E11) and
//! comparisons (rule E12).

mod amount;
mod comparison;
mod equality;
mod members;
mod predicate;
mod subject;

use ruby_prism::{CallNode, Node};

use crate::decision::ConditionSpan;
use crate::name::Name;
use crate::ruby::condition::boolean_names::{Flags, is_condition};
use crate::ruby::condition::dependencies::{Dependencies, dependencies};
use crate::ruby::condition::draft::{CharacteristicDraft, ConditionKind};
use crate::ruby::condition::identity::identity;
use crate::ruby::condition::qualifier;
use crate::ruby::condition::sample_values;
use crate::ruby::condition::state_setup;
use crate::ruby::condition::value_name::name_or_words;
use crate::ruby::syntax::node::{argument, assignment, bare, called, line, span, variable};
use crate::ruby::syntax::words::{is_literal, is_number};

pub(crate) use amount::lower_bound;
pub(crate) use comparison::{BELOW, WITHIN};
pub(crate) use predicate::is_persistence;
pub(crate) use subject::{attribute_of_variable, subject, variable_under};

use comparison::{bounds, comparison};
use equality::{case_equality, equality};
use members::note_members;
use predicate::{fetched, matches, membership, pattern, persistence, predicate, presence, type_of};
use subject::{attribute_call, hash_key, tested_variable};

/// One condition; `negated` when it is true in the second state.
pub(crate) struct Leaf {
    pub(crate) draft: CharacteristicDraft,
    pub(crate) negated: bool,
}

impl Leaf {
    fn plain(draft: CharacteristicDraft) -> Leaf {
        Leaf {
            draft,
            negated: false,
        }
    }

    fn negate_if(mut self, negate: bool) -> Leaf {
        self.negated ^= negate;
        self
    }
}

/// The leaf for a condition without `&&`, `||` and `!`. `None` if nothing varies, or if a conditional inside decides.
pub(crate) fn leaf(node: &Node<'_>, flags: &Flags<'_>) -> Option<Leaf> {
    if is_constant_truth(node) || is_decided_inside(node) {
        return None;
    }
    let mut leaf = match node.as_call_node() {
        Some(call) => of_call(&call, flags),
        None => of_value(node, flags),
    };
    if let Some(call) = node.as_call_node() {
        note_members(&call, &mut leaf.draft);
    }
    let line = line(node);
    leaf.draft.lines = (line, line);
    leaf.draft.spans = spans(node, leaf.negated);
    leaf.draft.setup = state_setup::of(node);
    let Dependencies { names, locals } = dependencies(node, flags);
    leaf.draft.dependencies = names;
    leaf.draft.locals = locals;
    if leaf.draft.content.is_empty() {
        leaf.draft.content = identity(node);
    }
    if leaf.draft.tested.is_none() && leaf.draft.attribute_call.is_none() {
        leaf.draft.tested = tested_variable(node);
        leaf.draft.attribute_call = attribute_call(node, &leaf.draft.condition_kind);
    }
    if let Some((hash, key)) = hash_key(node) {
        let values = ["{ KEY 'value' }".replace("KEY", &key), "{}".to_owned()];
        leaf.draft.tested = Some(hash);
        leaf.draft.values = values.map(Some).into();
    }
    Some(leaf)
}

/// The bytes of a condition whose truth shows the state. A call whose block leaves the method has no value then.
fn spans(node: &Node<'_>, negated: bool) -> Vec<ConditionSpan> {
    let call = node.as_call_node();
    let may_leave = call
        .is_some_and(|call| matches!(called(&call), "fetch" | "delete") && call.block().is_some());
    if may_leave {
        return Vec::new();
    }
    vec![span(node, negated)]
}

fn is_constant_truth(node: &Node<'_>) -> bool {
    is_literal(node) && node.as_interpolated_regular_expression_node().is_none()
}

/// Whether the value comes from the branches of a nested conditional.
fn is_decided_inside(node: &Node<'_>) -> bool {
    node.as_if_node().is_some()
        || node.as_unless_node().is_some()
        || node.as_case_node().is_some()
        || node.as_case_match_node().is_some()
        || node.as_begin_node().is_some()
        || node.as_parentheses_node().is_some()
        || node.as_lambda_node().is_some()
}

/// The truth of a value: a flag if it is known to be boolean, otherwise its presence.
fn of_value(node: &Node<'_>, flags: &Flags<'_>) -> Leaf {
    if let Some(matched) = node.as_match_predicate_node() {
        return Leaf::plain(matches(&matched.value()));
    }
    if let Some(matched) = node.as_match_write_node() {
        return of_call(&matched.call(), flags);
    }
    if let Some(defined) = node.as_defined_node() {
        let name = name_or_words(&defined.value()).with_suffix("defined");
        let mut draft = CharacteristicDraft::binary(name, "defined", ConditionKind::Other);
        draft
            .qualifiers
            .extend(qualifier::of_constant(&defined.value()));
        return Leaf::plain(draft);
    }
    let name = name_or_words(node);
    let mut draft = if is_flag(node, flags) {
        CharacteristicDraft::of_word(|word| Name::value(word), &name.full, ConditionKind::Flag)
            .with_values(sample_values::booleans())
    } else {
        CharacteristicDraft::presence(name).with_values(sample_values::presence("nil?"))
    };
    draft.qualifiers = qualifier::of_value(node);
    Leaf::plain(draft)
}

fn is_flag(node: &Node<'_>, flags: &Flags<'_>) -> bool {
    if let Some(name) = variable(node) {
        return flags.is_flag(name);
    }
    assignment(node).is_some_and(|(_, value)| is_condition(&bare(value)))
}

fn of_call(call: &CallNode<'_>, flags: &Flags<'_>) -> Leaf {
    let name = called(call);
    match name {
        "==" | "!=" => equality(call).negate_if(name == "!="),
        "===" => case_equality(call),
        "<" | "<=" | ">" | ">=" if call.receiver().is_some() => Leaf::plain(comparison(call, name)),
        "=~" | "!~" | "match?" => Leaf::plain(pattern(call)).negate_if(name == "!~"),
        "include?" if argument(call).is_some() => {
            let member = argument(call).expect("the guard checked the argument");
            let collection = call.receiver().map(bare);
            // A number has no name, so the collection is named instead.
            let named = collection.as_ref().filter(|_| is_number(&member));
            let mut draft = membership(named.unwrap_or(&member), collection.as_ref());
            if named.is_some() {
                draft.content = identity(&call.as_node());
                draft.qualifiers.extend(qualifier::of_operand(&member));
            }
            Leaf::plain(draft)
        }
        "in?" if call.receiver().is_some() => {
            let member = call.receiver().expect("the guard checked the receiver");
            Leaf::plain(membership(&member, argument(call).as_ref()))
        }
        "is_a?" | "kind_of?" | "instance_of?" => Leaf::plain(type_of(call)),
        "fetch" | "delete" if call.block().is_some() => Leaf::plain(fetched(call)),
        "between?" | "cover?" => Leaf::plain(bounds(call)),
        _ => {
            let mut leaf = presence(call)
                .or_else(|| persistence(call).map(Leaf::plain))
                .or_else(|| predicate(call))
                .unwrap_or_else(|| of_value(&call.as_node(), flags));
            leaf.draft.has_arguments = call.arguments().is_some();
            leaf
        }
    }
}
