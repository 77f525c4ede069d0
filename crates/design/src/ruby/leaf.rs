//! One condition, one characteristic: the tables of E5 and E6, presence (E11) and comparisons (E12).

use ruby_prism::{CallNode, Node};

use super::draft::{Draft, Family};
use super::flags::{Flags, is_condition};
use super::interval::Interval;
use super::name::{joined, last_identifier, name_or_words, value_name};
use super::node::{
    argument, arguments, assignment, bare, called, constant, line, receiver, source, text, variable,
};
use super::sample;
use super::setup;
use super::words::{is_literal, is_number, literal_word, plain};
use crate::characteristic::{Asked, Threshold};

/// The states of two bounds.
pub(crate) const WITHIN: [&str; 2] = ["within_range", "outside_range"];
/// The states of a lower bound.
pub(crate) const SUFFICIENT: [&str; 2] = ["sufficient", "insufficient"];
/// The states of an upper bound.
pub(crate) const BELOW: [&str; 2] = ["below_threshold", "above_threshold"];

/// One condition; `negated` when it is true in the second state.
pub(crate) struct Leaf {
    pub(crate) draft: Draft,
    pub(crate) negated: bool,
}

impl Leaf {
    fn plain(draft: Draft) -> Leaf {
        Leaf {
            draft,
            negated: false,
        }
    }

    fn turned(mut self, turn: bool) -> Leaf {
        self.negated ^= turn;
        self
    }
}

/// What a condition without `&&`, `||` and `!` asks. None where nothing varies, or a conditional inside decides.
pub(crate) fn leaf(node: &Node<'_>, flags: &Flags) -> Option<Leaf> {
    if is_constant_truth(node) || is_decided_inside(node) {
        return None;
    }
    let mut leaf = match node.as_call_node() {
        Some(call) => of_call(&call, flags),
        None => of_value(node, flags),
    };
    leaf.draft.lines = (line(node), line(node));
    leaf.draft.setup = setup::of(node);
    if leaf.draft.tested.is_none() && leaf.draft.asked.is_none() {
        leaf.draft.tested = tested_variable(node);
        leaf.draft.asked = asked(node, &leaf.draft.family);
    }
    Some(leaf)
}

fn is_constant_truth(node: &Node<'_>) -> bool {
    is_literal(node) && node.as_interpolated_regular_expression_node().is_none()
}

/// The truth of an `if` or `case` used as a value is what its own branches make of it.
fn is_decided_inside(node: &Node<'_>) -> bool {
    node.as_if_node().is_some()
        || node.as_unless_node().is_some()
        || node.as_case_node().is_some()
        || node.as_case_match_node().is_some()
        || node.as_begin_node().is_some()
        || node.as_parentheses_node().is_some()
        || node.as_lambda_node().is_some()
}

/// The parameter or variable at the bottom of a test: what a question is put to, or what is tested itself.
fn tested_variable(node: &Node<'_>) -> Option<String> {
    match node.as_call_node() {
        Some(call) if is_question(&call) => variable_under(&bare(call.receiver()?)),
        _ => variable_under(node),
    }
}

fn is_question(call: &CallNode<'_>) -> bool {
    !called(call).starts_with(|first: char| first.is_alphabetic() || first == '_')
        || called(call).ends_with('?')
}

/// The attribute at the bottom of a test: a predicate is one itself, a question about presence has one before it.
fn asked(node: &Node<'_>, family: &Family) -> Option<Asked> {
    let before = node.as_call_node().and_then(|call| call.receiver());
    match (family, before) {
        (Family::Presence, Some(subject)) if node_asks_presence(node) => {
            attribute_of_variable(&bare(subject))
        }
        _ => attribute_of_variable(node),
    }
}

fn node_asks_presence(node: &Node<'_>) -> bool {
    node.as_call_node()
        .is_some_and(|call| presence(&call).is_some())
}

/// `user.name`, and nothing more.
pub(crate) fn attribute_of_variable(node: &Node<'_>) -> Option<Asked> {
    let call = node.as_call_node()?;
    let receiver = bare(call.receiver()?);
    let is_plain = call.arguments().is_none() && call.block().is_none();
    let of = receiver
        .as_local_variable_read_node()
        .filter(|_| is_plain)?;
    Some(Asked {
        of: text(of.name().as_slice()).to_owned(),
        method: called(&call).to_owned(),
    })
}

/// The variable that an expression is, if nothing but a change of dress lies between.
pub(crate) fn variable_under(node: &Node<'_>) -> Option<String> {
    if let Some(name) = variable(node) {
        return Some(name.to_owned());
    }
    let call = node.as_call_node()?;
    if receiver(&call).is_none() && call.arguments().is_none() && call.block().is_none() {
        return Some(called(&call).to_owned());
    }
    let dresses = matches!(
        called(&call),
        "strip" | "to_s" | "to_sym" | "downcase" | "upcase"
    );
    if dresses {
        variable_under(&bare(call.receiver()?))
    } else {
        None
    }
}

/// The truth of a value: a flag if it is known to be boolean, its presence otherwise.
fn of_value(node: &Node<'_>, flags: &Flags) -> Leaf {
    if let Some(matched) = node.as_match_predicate_node() {
        return Leaf::plain(matches(&matched.value()));
    }
    if let Some(matched) = node.as_match_write_node() {
        return of_call(&matched.call(), flags);
    }
    if let Some(defined) = node.as_defined_node() {
        let name = format!("{}_defined", name_or_words(&defined.value()));
        return Leaf::plain(Draft::binary(name, "defined", Family::Other));
    }
    let name = name_or_words(node);
    let draft = if is_flag(node, flags) {
        Draft::binary(name.clone(), &name, Family::Flag).with_values(sample::booleans())
    } else {
        Draft::presence(&name).with_values(sample::presence("nil?"))
    };
    Leaf::plain(draft)
}

fn is_flag(node: &Node<'_>, flags: &Flags) -> bool {
    if let Some(name) = variable(node) {
        return flags.is_flag(name);
    }
    assignment(node).is_some_and(|(_, value)| is_condition(&bare(value)))
}

fn of_call(call: &CallNode<'_>, flags: &Flags) -> Leaf {
    let name = called(call);
    match name {
        "==" | "!=" => equality(call).turned(name == "!="),
        "===" => case_equality(call),
        "<" | "<=" | ">" | ">=" if call.receiver().is_some() => Leaf::plain(comparison(call, name)),
        "=~" | "!~" | "match?" => Leaf::plain(pattern(call)).turned(name == "!~"),
        "include?" if argument(call).is_some() => {
            Leaf::plain(membership(&argument(call).expect("just asked")))
        }
        "in?" if call.receiver().is_some() => {
            Leaf::plain(membership(&call.receiver().expect("just asked")))
        }
        "is_a?" | "kind_of?" | "instance_of?" => Leaf::plain(type_of(call)),
        "between?" | "cover?" => Leaf::plain(bounds(call)),
        _ => presence(call)
            .or_else(|| persistence(call).map(Leaf::plain))
            .or_else(|| predicate(call))
            .unwrap_or_else(|| of_value(&call.as_node(), flags)),
    }
}

/// What is asked about, to recognise it by: `&.` reads like `.`, and `self` goes without saying (E11s).
fn subject(node: &Node<'_>) -> String {
    let text = source(node).replace("&.", ".");
    text.strip_prefix("self.")
        .map(ToOwned::to_owned)
        .unwrap_or(text)
}

// ---- equality ----------------------------------------------------------------------------------------------------

fn equality(call: &CallNode<'_>) -> Leaf {
    let (Some(left), Some(right)) = (call.receiver().map(bare), argument(call).map(bare)) else {
        return Leaf::plain(Draft::presence(&name_or_words(&call.as_node())));
    };
    let (left, right) = if literal_word(&left).is_some() && literal_word(&right).is_none() {
        (right, left)
    } else {
        (left, right)
    };
    if right.as_nil_node().is_some() {
        let draft = Draft::presence(&name_or_words(&left)).with_values(sample::presence("nil?"));
        return Leaf::plain(draft).turned(true);
    }
    if right.as_true_node().is_some() || right.as_false_node().is_some() {
        return Leaf::plain(truth(&left)).turned(right.as_false_node().is_some());
    }
    Leaf::plain(equal(&left, &right))
}

/// `x == true` says of a name that it holds a boolean.
fn truth(node: &Node<'_>) -> Draft {
    let name = name_or_words(node);
    let word = match node.as_call_node() {
        Some(call) if call.receiver().is_some() && called(&call) != "[]" => plain(called(&call)),
        _ => name.as_str(),
    };
    let word = word.to_owned();
    Draft::binary(name, &word, Family::Flag).with_values(sample::booleans())
}

fn equal(left: &Node<'_>, right: &Node<'_>) -> Draft {
    let literal = literal_word(right);
    let word = literal.clone().unwrap_or_else(|| name_or_words(right));
    let family = match literal {
        Some(word) => Family::Equality {
            subject: subject(left),
            word,
        },
        None => Family::Other,
    };
    let mut draft = Draft::binary(name_or_words(left), &word, family);
    draft.is_about(left);
    draft.values = sample::pair(right);
    draft
}

/// `String === x` asks for a type, `(1..5) === x` for bounds, anything else for equality.
fn case_equality(call: &CallNode<'_>) -> Leaf {
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

// ---- comparison --------------------------------------------------------------------------------------------------

fn comparison(call: &CallNode<'_>, operator: &str) -> Draft {
    let left = call.receiver().map(bare).expect("asked by the caller");
    let Some(right) = argument(call).map(bare) else {
        return Draft::presence(&name_or_words(&left));
    };
    if is_fixed(&left) && !is_fixed(&right) {
        compared(&right, mirrored(operator), &left)
    } else {
        compared(&left, operator, &right)
    }
}

fn compared(subject: &Node<'_>, operator: &str, bound: &Node<'_>) -> Draft {
    let ascending = operator.starts_with('<');
    let name = name_or_words(subject);
    let family = Family::Comparison {
        subject: self::subject(subject),
        name: name.clone(),
        ascending,
    };
    let states = if ascending { BELOW } else { SUFFICIENT };
    let mut draft = Draft::range(name, states, family);
    draft.content = format!("{operator} {}", source(bound));
    draft.threshold = Some(Threshold {
        operator: operator.to_owned(),
        value: is_number(bound).then(|| source(bound).replace('_', "")),
    });
    draft.bound = constant(bound).map(|_| source(bound));
    draft.interval = Interval::compared(operator, bound);
    draft.is_about(subject);
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

/// Whether an expression is a literal or rooted in one or in a constant: what something is compared with.
fn is_fixed(node: &Node<'_>) -> bool {
    if is_literal(node) || constant(node).is_some() {
        return true;
    }
    node.as_call_node()
        .and_then(|call| call.receiver())
        .is_some_and(|receiver| is_fixed(&bare(receiver)))
}

/// `x.between?(a, b)` and `range.cover?(x)`.
fn bounds(call: &CallNode<'_>) -> Draft {
    let receiver = call.receiver().map(bare);
    let mut draft = match (called(call), &receiver, argument(call)) {
        ("cover?", _, Some(subject)) => within(&bare(subject)),
        (_, Some(subject), _) => within(subject),
        _ => within(&call.as_node()),
    };
    draft.interval = match (receiver, arguments(call).as_slice()) {
        (_, [low, high]) => Interval::between(low, high),
        (Some(range), _) => Interval::of_value(&range),
        _ => None,
    };
    draft.values = draft.interval.map(Interval::samples).unwrap_or_default();
    draft.content = source(&call.as_node());
    draft
}

fn within(subject: &Node<'_>) -> Draft {
    let name = name_or_words(subject);
    let family = Family::Comparison {
        subject: self::subject(subject),
        name: name.clone(),
        ascending: true,
    };
    let mut draft = Draft::range(name, WITHIN, family);
    draft.is_about(subject);
    draft
}

// ---- predicates --------------------------------------------------------------------------------------------------

fn presence(call: &CallNode<'_>) -> Option<Leaf> {
    let name = called(call);
    let negative = match name {
        "present?" | "exist?" | "exists?" => false,
        "any?" if call.block().is_none() => false,
        "none?" if call.block().is_none() => true,
        "blank?" | "nil?" | "empty?" => true,
        _ => return None,
    };
    let value = receiver(call).map_or_else(String::new, |receiver| name_or_words(&receiver));
    let draft = Draft::presence(&value).with_values(sample::presence(name));
    Some(Leaf::plain(draft).turned(negative))
}

fn persistence(call: &CallNode<'_>) -> Option<Draft> {
    let word = match called(call).trim_end_matches('!') {
        "save" => "saved",
        "update" => "updated",
        "create" => "created",
        "destroy" => "destroyed",
        "delete" => "deleted",
        _ => return None,
    };
    let receiver = receiver(call).and_then(|receiver| last_identifier(&receiver));
    Some(Draft::binary(
        joined(receiver.as_deref(), word),
        word,
        Family::Other,
    ))
}

fn predicate(call: &CallNode<'_>) -> Option<Leaf> {
    let method = called(call).strip_suffix('?')?;
    let receiver = receiver(call);
    let receiver_name = receiver.as_ref().and_then(last_identifier);
    let suffix = appended(call).map_or_else(String::new, |word| format!("_{word}"));
    if let Some(thing) = method
        .strip_prefix("has_")
        .filter(|thing| !thing.is_empty())
    {
        let value = joined(receiver_name.as_deref(), &format!("{thing}{suffix}"));
        return Some(Leaf::plain(Draft::presence(&value)));
    }
    let word = adjective(method);
    let name = format!("{}{suffix}", joined(receiver_name.as_deref(), &word));
    let family = Family::Predicate {
        receiver: receiver.as_ref().map_or_else(String::new, subject),
        receiver_name,
        word: format!("{word}{suffix}"),
    };
    Some(Leaf::plain(Draft::binary(name, &word, family)))
}

/// `can_edit` asks for `editable`, `is_open` for `open`.
fn adjective(method: &str) -> String {
    if let Some(verb) = method.strip_prefix("can_")
        && !verb.is_empty()
        && !verb.contains('_')
    {
        return format!("{verb}able");
    }
    match method.strip_prefix("is_") {
        Some(rest) if !rest.is_empty() => rest.to_owned(),
        _ => method.to_owned(),
    }
}

/// The one symbol or string among the arguments.
fn appended(call: &CallNode<'_>) -> Option<String> {
    let mut words = arguments(call)
        .into_iter()
        .filter(|node| node.as_symbol_node().is_some() || node.as_string_node().is_some());
    let word = words.next()?;
    if words.next().is_some() {
        return None;
    }
    literal_word(&word)
}

fn membership(member: &Node<'_>) -> Draft {
    let name = format!("{}_included", name_or_words(member));
    Draft::binary(name, "included", Family::Other)
}

fn type_of(call: &CallNode<'_>) -> Draft {
    match (receiver(call), argument(call)) {
        (Some(value), Some(class)) => typed(&value, &class),
        (None, Some(class)) => {
            Draft::binary("type".to_owned(), &name_or_words(&class), Family::Other)
        }
        _ => Draft::binary("type".to_owned(), "type", Family::Other),
    }
}

fn typed(value: &Node<'_>, class: &Node<'_>) -> Draft {
    let name = format!("{}_type", name_or_words(value));
    Draft::binary(name, &name_or_words(class), Family::Other)
}

fn pattern(call: &CallNode<'_>) -> Draft {
    let (receiver, argument) = (call.receiver().map(bare), argument(call).map(bare));
    match (receiver, argument) {
        (Some(value), Some(other)) if is_fixed(&value) && !is_fixed(&other) => matches(&other),
        (Some(value), _) => matches(&value),
        (None, Some(_) | None) => Draft::binary("match".to_owned(), "match", Family::Other),
    }
}

fn matches(value: &Node<'_>) -> Draft {
    let name = value_name(value).unwrap_or_else(|| name_or_words(value));
    Draft::binary(format!("{name}_match"), "match", Family::Other)
}
