//! Operands of `||`: a characteristic each (rule E7), or in the plugin layout one for all (rule L8).

use crate::name::Name;
use crate::ruby::condition::dependencies::Dependency;
use crate::ruby::condition::draft::{CharacteristicDraft, ConditionKind};
use crate::ruby::condition::tree::Condition;

/// Replaces each `||` in a condition by one leaf.
pub(in crate::ruby) fn join_alternatives(
    condition: Condition<CharacteristicDraft>,
) -> Condition<CharacteristicDraft> {
    match condition {
        Condition::Any { parts, negated } => Condition::Leaf {
            leaf: joined_leaf(parts.into_iter().map(join_alternatives).collect()),
            negated,
        },
        Condition::All { parts, negated } => Condition::All {
            parts: parts.into_iter().map(join_alternatives).collect(),
            negated,
        },
        leaf @ Condition::Leaf { .. } => leaf,
    }
}

fn joined_leaf(parts: Vec<Condition<CharacteristicDraft>>) -> CharacteristicDraft {
    let name = name(&parts);
    let mut draft = CharacteristicDraft::binary(name.clone(), &name.full, ConditionKind::Other);
    draft.dependencies = joint_dependencies(&parts);
    let mut leaves = Vec::new();
    parts.iter().for_each(|part| collect(part, &mut leaves));
    let contents: Vec<&str> = leaves.iter().map(|leaf| leaf.content.as_str()).collect();
    draft.content = contents.join(" ");
    draft.locals = leaves
        .iter()
        .flat_map(|leaf| &leaf.locals)
        .copied()
        .collect();
    draft.spans = leaves.iter().flat_map(|leaf| leaf.spans.clone()).collect();
    if let Some(first) = parts.into_iter().next().and_then(first_leaf) {
        draft.lines = first.lines;
        draft.setup = first.setup;
    }
    draft
}

/// A name made of all operands. A receiver that all of them have in common is named once.
fn name(parts: &[Condition<CharacteristicDraft>]) -> Name {
    let phrases = |name: &dyn Fn(&CharacteristicDraft) -> String| {
        let mut phrases: Vec<String> = parts.iter().map(|part| phrase(part, name)).collect();
        phrases.dedup();
        phrases.join("_or_")
    };
    let mut leaves = Vec::new();
    parts.iter().for_each(|part| collect(part, &mut leaves));
    let receiver = |leaf: &CharacteristicDraft| {
        leaf.name
            .subject
            .clone()
            .filter(|_| leaf.name.attribute.is_some())
    };
    let first = leaves.first().and_then(|leaf| receiver(leaf));
    match first {
        Some(first)
            if leaves
                .iter()
                .all(|leaf| receiver(leaf).as_ref() == Some(&first)) =>
        {
            Name::with_receiver(&first, &phrases(&|leaf| leaf.name.short().to_owned()))
        }
        _ => Name::plain(phrases(&|leaf| leaf.name.full.clone())),
    }
}

fn collect<'t>(
    condition: &'t Condition<CharacteristicDraft>,
    leaves: &mut Vec<&'t CharacteristicDraft>,
) {
    match condition {
        Condition::Leaf { leaf, .. } => leaves.push(leaf),
        Condition::All { parts, .. } | Condition::Any { parts, .. } => {
            parts.iter().for_each(|part| collect(part, leaves));
        }
    }
}

/// The dependencies of all operands; `None` if those of one are unknown.
fn joint_dependencies(parts: &[Condition<CharacteristicDraft>]) -> Option<Vec<Dependency>> {
    let of_part = |part: &Condition<CharacteristicDraft>| match part {
        Condition::Leaf { leaf, .. } => leaf.dependencies.clone(),
        Condition::All { parts, .. } | Condition::Any { parts, .. } => joint_dependencies(parts),
    };
    let dependencies: Option<Vec<Vec<Dependency>>> = parts.iter().map(of_part).collect();
    dependencies.map(|dependencies| dependencies.concat())
}

/// Subject and state in one name: `user_absent`, `age_sufficient`.
fn phrase(
    part: &Condition<CharacteristicDraft>,
    name: &dyn Fn(&CharacteristicDraft) -> String,
) -> String {
    match part {
        Condition::Leaf { leaf, negated } => {
            let name = name(leaf);
            let subject = name.strip_suffix(leaf.states[0].as_str()).unwrap_or(&name);
            let state = &leaf.states[usize::from(*negated)];
            match subject.trim_end_matches('_') {
                "" => state.clone(),
                subject => format!("{subject}_{state}"),
            }
        }
        Condition::All { parts, negated } | Condition::Any { parts, negated } => {
            let parts: Vec<String> = parts.iter().map(|part| phrase(part, name)).collect();
            let not = if *negated { "not_" } else { "" };
            format!("{not}{}", parts.join("_and_"))
        }
    }
}

fn first_leaf(condition: Condition<CharacteristicDraft>) -> Option<CharacteristicDraft> {
    match condition {
        Condition::Leaf { leaf, .. } => Some(leaf),
        Condition::All { parts, .. } | Condition::Any { parts, .. } => {
            parts.into_iter().next().and_then(first_leaf)
        }
    }
}
