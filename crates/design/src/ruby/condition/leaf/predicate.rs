//! Conditions that are method calls: predicates, presence, membership, types, patterns, and calls that succeed or fail.

use ruby_prism::{CallNode, Node};

use crate::name::Name;
use crate::ruby::condition::draft::{Absence, CharacteristicDraft, ConditionKind};
use crate::ruby::condition::identity::identity;
use crate::ruby::condition::leaf::Leaf;
use crate::ruby::condition::leaf::comparison::is_fixed;
use crate::ruby::condition::leaf::subject::subject;
use crate::ruby::condition::qualifier;
use crate::ruby::condition::sample_values;
use crate::ruby::condition::value_name::{
    element_name, last_identifier, name_or_words, value_name,
};
use crate::ruby::syntax::node::{argument, arguments, bare, called, receiver, source};
use crate::ruby::syntax::words::literal_word;

pub(in crate::ruby::condition::leaf) fn presence(call: &CallNode<'_>) -> Option<Leaf> {
    let name = called(call);
    let negative = match name {
        "present?" | "exist?" | "exists?" => false,
        "any?" if call.block().is_none() => false,
        "none?" if call.block().is_none() => true,
        "blank?" | "nil?" | "empty?" => true,
        _ => return None,
    };
    let subject = receiver(call);
    let value = subject
        .as_ref()
        .map_or(Name::plain(""), |subject| name_or_words(subject));
    let mut draft = CharacteristicDraft::presence(value).with_values(sample_values::presence(name));
    let absence = match name {
        "nil?" => Absence::Nil,
        "empty?" | "any?" | "none?" => Absence::Empty,
        _ => Absence::Blank,
    };
    draft.condition_kind = ConditionKind::Presence(absence);
    if call.arguments().is_some() {
        draft.content = identity(&call.as_node());
        draft.qualifiers = qualifier::of_call(call);
    } else if let Some(subject) = subject {
        draft.content = identity(&subject);
        draft.qualifiers = qualifier::of_value(&subject);
        draft.qualifiers.extend(qualifier::of_absence(absence));
    }
    Some(Leaf::plain(draft).negate_if(negative))
}

pub(in crate::ruby::condition::leaf) fn persistence(
    call: &CallNode<'_>,
) -> Option<CharacteristicDraft> {
    let word = persistence_word(called(call))?;
    let receiver = receiver(call).and_then(|receiver| last_identifier(&receiver));
    let mut draft = CharacteristicDraft::binary(
        predicate_name(receiver.as_deref(), word),
        word,
        ConditionKind::Other,
    );
    draft.qualifiers = qualifier::of_call(call);
    Some(draft)
}

/// Whether a method of this name stores or deletes a record and returns whether that succeeded.
pub(crate) fn is_persistence(method: &str) -> bool {
    persistence_word(method).is_some()
}

fn persistence_word(method: &str) -> Option<&'static str> {
    Some(match method.trim_end_matches('!') {
        "save" => "saved",
        "update" => "updated",
        "create" => "created",
        "destroy" => "destroyed",
        "delete" => "deleted",
        _ => return None,
    })
}

pub(in crate::ruby::condition::leaf) fn predicate(call: &CallNode<'_>) -> Option<Leaf> {
    let method = called(call).strip_suffix('?')?;
    let receiver = receiver(call);
    let receiver_name = receiver.as_ref().and_then(last_identifier);
    let suffix = argument_word(call).map_or_else(String::new, |word| format!("_{word}"));
    if let Some(thing) = method
        .strip_prefix("has_")
        .filter(|thing| !thing.is_empty())
    {
        let value = predicate_name(receiver_name.as_deref(), &format!("{thing}{suffix}"));
        let mut draft = CharacteristicDraft::presence(value);
        draft.content = identity(&call.as_node());
        draft.qualifiers = qualifier::of_call(call);
        return Some(Leaf::plain(draft));
    }
    let name = |word: &str| predicate_name(receiver_name.as_deref(), &format!("{word}{suffix}"));
    let word = adjective(method);
    // A state is never called true or false (rule E6).
    let word = match word.as_str() {
        "true" | "false" => name(&word).full,
        _ => word,
    };
    let condition_kind = ConditionKind::Predicate {
        receiver: receiver.as_ref().map_or_else(String::new, subject),
        receiver_name: receiver_name.clone(),
        word: format!("{word}{suffix}"),
    };
    let mut draft = CharacteristicDraft::of_word(name, &word, condition_kind);
    draft.qualifiers = qualifier::of_call(call);
    Some(Leaf::plain(draft))
}

/// The name of a predicate; without a receiver, the word alone.
fn predicate_name(receiver: Option<&str>, word: &str) -> Name {
    receiver.map_or_else(
        || Name::plain(word),
        |receiver| Name::with_receiver(receiver, word),
    )
}

/// The adjective for a predicate: `can_edit` becomes `editable`, `is_open` becomes `open`.
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

/// The word for the only symbol or string among the arguments.
fn argument_word(call: &CallNode<'_>) -> Option<String> {
    let mut words = arguments(call)
        .into_iter()
        .filter(|node| node.as_symbol_node().is_some() || node.as_string_node().is_some());
    let word = words.next()?;
    if words.next().is_some() {
        return None;
    }
    literal_word(&word)
}

pub(in crate::ruby::condition::leaf) fn membership(
    member: &Node<'_>,
    collection: Option<&Node<'_>>,
) -> CharacteristicDraft {
    let name = name_or_words(member).with_suffix("included");
    let mut draft = CharacteristicDraft::binary(name, "included", ConditionKind::Other);
    draft.content = identity(member);
    if let Some(collection) = collection {
        draft.content.push_str(" in ");
        draft.content.push_str(&identity(collection));
        draft
            .qualifiers
            .extend(qualifier::of_collection(collection));
    }
    draft.qualifiers.extend(qualifier::of_value(member));
    draft
}

pub(in crate::ruby::condition::leaf) fn type_of(call: &CallNode<'_>) -> CharacteristicDraft {
    match (receiver(call), argument(call)) {
        (Some(value), Some(class)) => typed(&value, &class),
        (None, Some(class)) => {
            let word = name_or_words(&class).full;
            let draft =
                CharacteristicDraft::binary(Name::plain("type"), &word, ConditionKind::Other);
            with_class(draft, &class)
        }
        _ => CharacteristicDraft::binary(Name::plain("type"), "type", ConditionKind::Other),
    }
}

pub(in crate::ruby::condition::leaf) fn typed(
    value: &Node<'_>,
    class: &Node<'_>,
) -> CharacteristicDraft {
    let name = name_or_words(value).with_suffix("type");
    let word = name_or_words(class).full;
    let mut draft = CharacteristicDraft::binary(name, &word, ConditionKind::Other);
    draft.content = identity(value);
    draft.values = sample_values::instances(class);
    with_class(draft, class)
}

/// Adds the class that is tested for.
fn with_class(mut draft: CharacteristicDraft, class: &Node<'_>) -> CharacteristicDraft {
    draft.content.push_str(" is ");
    draft.content.push_str(&source(class));
    draft.qualifiers = qualifier::of_class(class);
    draft
}

/// `hash.fetch(key) { … }`: whether there is a value for the key.
pub(in crate::ruby::condition::leaf) fn fetched(call: &CallNode<'_>) -> CharacteristicDraft {
    let mut draft = CharacteristicDraft::presence(element_name(call));
    draft.content = arguments(call).iter().fold(
        receiver(call).as_ref().map(identity).unwrap_or_default(),
        |content, key| format!("{content}[{}]", identity(key)),
    );
    draft.qualifiers = qualifier::of_call(call);
    draft
}

pub(in crate::ruby::condition::leaf) fn pattern(call: &CallNode<'_>) -> CharacteristicDraft {
    let (receiver, argument) = (call.receiver().map(bare), argument(call).map(bare));
    match (receiver, argument) {
        (Some(value), Some(other)) if is_fixed(&value) && !is_fixed(&other) => {
            matched(&other, &value)
        }
        (Some(value), Some(other)) => matched(&value, &other),
        (Some(value), None) => matches(&value),
        (None, Some(_) | None) => {
            CharacteristicDraft::binary(Name::plain("match"), "match", ConditionKind::Other)
        }
    }
}

fn matched(value: &Node<'_>, pattern: &Node<'_>) -> CharacteristicDraft {
    let mut draft = matches(value);
    draft.content = format!("{} {}", identity(value), source(pattern));
    draft.qualifiers.extend(qualifier::of_operand(pattern));
    draft.qualifiers.extend(qualifier::of_value(value));
    draft
}

pub(in crate::ruby::condition::leaf) fn matches(value: &Node<'_>) -> CharacteristicDraft {
    let name = value_name(value).unwrap_or_else(|| name_or_words(value));
    CharacteristicDraft::binary(name.with_suffix("match"), "match", ConditionKind::Other)
}
