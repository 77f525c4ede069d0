//! What `||` is: a characteristic for each operand (E7), or in the plugin layout one for all of them (11.5).

use super::draft::{Draft, Family};
use super::roots::Root;
use super::test::Test;
use crate::name::Name;

/// The same condition with one leaf in place of each `||`.
pub(super) fn joined(test: Test<Draft>) -> Test<Draft> {
    match test {
        Test::Any { parts, negated } => Test::Leaf {
            leaf: one_of(parts.into_iter().map(joined).collect()),
            negated,
        },
        Test::All { parts, negated } => Test::All {
            parts: parts.into_iter().map(joined).collect(),
            negated,
        },
        leaf @ Test::Leaf { .. } => leaf,
    }
}

fn one_of(parts: Vec<Test<Draft>>) -> Draft {
    let name = name(&parts);
    let mut draft = Draft::binary(name.clone(), &name.full, Family::Other);
    draft.roots = roots(&parts);
    if let Some(first) = parts.into_iter().next().and_then(first_leaf) {
        draft.lines = first.lines;
        draft.setup = first.setup;
    }
    draft
}

/// What its operands say. Where all of them are asked of one receiver, it is named once.
fn name(parts: &[Test<Draft>]) -> Name {
    let phrases = |name: &dyn Fn(&Draft) -> String| {
        let mut phrases: Vec<String> = parts.iter().map(|part| phrase(part, name)).collect();
        phrases.dedup();
        phrases.join("_or_")
    };
    let mut leaves = Vec::new();
    parts.iter().for_each(|part| collect(part, &mut leaves));
    let receiver = |leaf: &Draft| {
        leaf.name
            .of
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
            Name::asked(&first, &phrases(&|leaf| leaf.name.short().to_owned()))
        }
        _ => Name::plain(phrases(&|leaf| leaf.name.full.clone())),
    }
}

fn collect<'t>(test: &'t Test<Draft>, leaves: &mut Vec<&'t Draft>) {
    match test {
        Test::Leaf { leaf, .. } => leaves.push(leaf),
        Test::All { parts, .. } | Test::Any { parts, .. } => {
            parts.iter().for_each(|part| collect(part, leaves));
        }
    }
}

/// What all of them reach their answers through.
fn roots(parts: &[Test<Draft>]) -> Option<Vec<Root>> {
    let of_part = |part: &Test<Draft>| match part {
        Test::Leaf { leaf, .. } => leaf.roots.clone(),
        Test::All { parts, .. } | Test::Any { parts, .. } => roots(parts),
    };
    let each: Option<Vec<Vec<Root>>> = parts.iter().map(of_part).collect();
    each.map(|each| each.concat())
}

/// What is asked and what the answer is, in one name: `user_absent`, `age_sufficient`.
fn phrase(part: &Test<Draft>, name: &dyn Fn(&Draft) -> String) -> String {
    match part {
        Test::Leaf { leaf, negated } => {
            let name = name(leaf);
            let subject = name.strip_suffix(leaf.states[0].as_str()).unwrap_or(&name);
            let state = &leaf.states[usize::from(*negated)];
            match subject.trim_end_matches('_') {
                "" => state.clone(),
                subject => format!("{subject}_{state}"),
            }
        }
        Test::All { parts, negated } | Test::Any { parts, negated } => {
            let parts: Vec<String> = parts.iter().map(|part| phrase(part, name)).collect();
            let not = if *negated { "not_" } else { "" };
            format!("{not}{}", parts.join("_and_"))
        }
    }
}

fn first_leaf(test: Test<Draft>) -> Option<Draft> {
    match test {
        Test::Leaf { leaf, .. } => Some(leaf),
        Test::All { parts, .. } | Test::Any { parts, .. } => {
            parts.into_iter().next().and_then(first_leaf)
        }
    }
}
