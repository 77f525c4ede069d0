//! What `||` is: a characteristic for each operand (E7), or in the plugin layout one for all of them (11.5).

use super::draft::{Draft, Family};
use super::roots::Root;
use super::test::Test;

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
    let mut names: Vec<String> = parts.iter().map(phrase).collect();
    names.dedup();
    let name = names.join("_or_");
    let mut draft = Draft::binary(name.clone(), &name, Family::Other);
    draft.roots = roots(&parts);
    if let Some(first) = parts.into_iter().next().and_then(first_leaf) {
        draft.lines = first.lines;
        draft.setup = first.setup;
    }
    draft
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
fn phrase(part: &Test<Draft>) -> String {
    match part {
        Test::Leaf { leaf, negated } => {
            let name = leaf.name.as_str();
            let subject = name.strip_suffix(leaf.states[0].as_str()).unwrap_or(name);
            let state = &leaf.states[usize::from(*negated)];
            match subject.trim_end_matches('_') {
                "" => state.clone(),
                subject => format!("{subject}_{state}"),
            }
        }
        Test::All { parts, negated } | Test::Any { parts, negated } => {
            let parts: Vec<String> = parts.iter().map(phrase).collect();
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
