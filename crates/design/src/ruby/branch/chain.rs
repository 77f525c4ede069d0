//! `elsif` chains, and `case` without a subject, that form one characteristic: rule E8.

use ruby_prism::{ElseNode, StatementsNode};

use crate::characteristic::Kind;
use crate::decision::ConditionSpan;
use crate::name::Name;
use crate::ruby::condition::dependencies::all_dependencies;
use crate::ruby::condition::draft::{CharacteristicDraft, ConditionKind};
use crate::ruby::condition::interval::{self, Interval, ranks};
use crate::ruby::condition::qualifier;
use crate::ruby::condition::sample_values;
use crate::ruby::condition::tier_words::tiers;
use crate::ruby::condition::tree::Condition;

/// One condition and the branch taken if it is true.
pub(crate) struct Arm<'pr> {
    pub(crate) condition: Option<Condition<CharacteristicDraft>>,
    pub(crate) body: Option<StatementsNode<'pr>>,
}

/// A chain as written.
pub(crate) struct Chain<'pr> {
    pub(crate) arms: Vec<Arm<'pr>>,
    pub(crate) else_clause: Option<ElseNode<'pr>>,
    pub(crate) lines: (usize, usize),
}

impl Chain<'_> {
    /// The characteristic that this chain forms, if all its conditions are of one kind and have one subject. Its states
    /// are in the order of the branches, followed by one for `else` or for no branch.
    pub(crate) fn merged(&self) -> Option<CharacteristicDraft> {
        if self.arms.len() < 2 {
            return None;
        }
        let leaves: Vec<&CharacteristicDraft> =
            self.arms.iter().map(single_leaf).collect::<Option<_>>()?;
        let mut draft = match &leaves[0].condition_kind {
            ConditionKind::Comparison { .. } => self.comparisons(&leaves),
            ConditionKind::Equality { .. } => self.equalities(&leaves),
            ConditionKind::Predicate { .. } => self.predicates(&leaves),
            _ => None,
        }?;
        draft.lines = self.lines;
        draft.setup = leaves[0].setup.clone();
        draft.locals.clone_from(&leaves[0].locals);
        draft.qualifiers = qualifier::of_states(&draft.states).into_iter().collect();
        if draft.content.is_empty() {
            let contents: Vec<_> = leaves.iter().map(|leaf| leaf.content.as_str()).collect();
            draft.content = contents.join(" ");
        }
        draft.spans = arm_spans(&leaves);
        draft.dependencies =
            all_dependencies(leaves.iter().map(|leaf| leaf.dependencies.as_deref()));
        Some(draft)
    }

    fn comparisons(&self, leaves: &[&CharacteristicDraft]) -> Option<CharacteristicDraft> {
        let ConditionKind::Comparison {
            subject,
            name,
            ascending,
        } = &leaves[0].condition_kind
        else {
            return None;
        };
        let same = leaves.iter().all(
            |leaf| matches!(&leaf.condition_kind, ConditionKind::Comparison { subject: other, .. } if other == subject),
        );
        if !same {
            return None;
        }
        let mut branches: Vec<_> = self
            .arms
            .iter()
            .map(|arm| clone_statements(arm.body.as_ref()))
            .collect();
        branches.push(self.else_clause.as_ref().and_then(ElseNode::statements));
        let condition_kind = leaves[0].condition_kind.clone();
        let mut draft = CharacteristicDraft::binary(name.clone(), "", condition_kind);
        draft.kind = Kind::Range;
        draft.states = tiers(&branches, &ranks(&arms(leaves), branches.len(), *ascending));
        draft.tested.clone_from(&leaves[0].tested);
        draft.attribute_call.clone_from(&leaves[0].attribute_call);
        draft.values = tier_samples(leaves);
        Some(draft)
    }

    fn equalities(&self, leaves: &[&CharacteristicDraft]) -> Option<CharacteristicDraft> {
        let ConditionKind::Equality { subject, .. } = &leaves[0].condition_kind else {
            return None;
        };
        let words = leaves.iter().map(|leaf| match &leaf.condition_kind {
            ConditionKind::Equality {
                subject: other,
                word,
            } if other == subject => Some(word.clone()),
            _ => None,
        });
        let states = self.alternatives(words.collect::<Option<_>>()?)?;
        let condition_kind = ConditionKind::Value {
            subject: subject.clone(),
        };
        let mut draft = CharacteristicDraft::binary(leaves[0].name.clone(), "", condition_kind);
        draft.kind = Kind::Enum;
        draft.states = states;
        draft.tested.clone_from(&leaves[0].tested);
        draft.attribute_call.clone_from(&leaves[0].attribute_call);
        draft.values = leaves
            .iter()
            .map(|leaf| leaf.values.first().cloned().flatten())
            .collect();
        let known: Option<Vec<&str>> = draft.values.iter().map(Option::as_deref).collect();
        let other = known.and_then(|known| sample_values::other_than(&known));
        draft.values.resize(draft.states.len(), other);
        Some(draft)
    }

    fn predicates(&self, leaves: &[&CharacteristicDraft]) -> Option<CharacteristicDraft> {
        let ConditionKind::Predicate {
            receiver,
            receiver_name,
            ..
        } = &leaves[0].condition_kind
        else {
            return None;
        };
        let words = leaves.iter().map(|leaf| match &leaf.condition_kind {
            ConditionKind::Predicate {
                receiver: other,
                word,
                ..
            } if other == receiver => Some(word.clone()),
            _ => None,
        });
        let states = self.alternatives(words.collect::<Option<_>>()?)?;
        let name = match receiver_name {
            Some(receiver) => Name::value(receiver).with_part("status"),
            None => Name::plain("status"),
        };
        let condition_kind = ConditionKind::FirstPredicate {
            receiver: receiver.clone(),
        };
        let mut draft = CharacteristicDraft::binary(name, "", condition_kind);
        draft.kind = Kind::Enum;
        draft.states = states;
        Some(draft)
    }

    /// One state per word, and one for an `else`. `None` if a word occurs twice.
    fn alternatives(&self, mut words: Vec<String>) -> Option<Vec<String>> {
        if self.else_clause.is_some() {
            words.push("other".to_owned());
        }
        let distinct = words
            .iter()
            .enumerate()
            .all(|(index, word)| !words[..index].contains(word));
        distinct.then_some(words)
    }
}

/// The conditions of all arms.
fn arm_spans(leaves: &[&CharacteristicDraft]) -> Vec<ConditionSpan> {
    let arms = leaves.iter().enumerate();
    arms.flat_map(|(arm, leaf)| {
        leaf.spans
            .iter()
            .map(move |span| ConditionSpan { arm, ..*span })
    })
    .collect()
}

/// The interval of each condition. For two comparisons in opposite directions it is known even without numbers.
fn arms(leaves: &[&CharacteristicDraft]) -> Vec<interval::Arm> {
    let is_below = |leaf: &CharacteristicDraft| matches!(leaf.condition_kind, ConditionKind::Comparison { ascending, .. } if ascending);
    match leaves {
        [first, second] if is_below(first) != is_below(second) => leaves
            .iter()
            .map(|leaf| {
                Some(vec![
                    leaf.interval.unwrap_or(Interval::on_side(is_below(leaf))),
                ])
            })
            .collect(),
        _ => leaves
            .iter()
            .map(|leaf| leaf.interval.map(|one| vec![one]))
            .collect(),
    }
}

/// A sample number for each branch of a chain of bounds in the same direction.
fn tier_samples(leaves: &[&CharacteristicDraft]) -> Vec<Option<String>> {
    let bounds: Option<Vec<(&str, i64)>> = leaves
        .iter()
        .map(|leaf| {
            let threshold = leaf.threshold.as_ref()?;
            Some((
                threshold.operator.as_str(),
                threshold.value.as_ref()?.parse().ok()?,
            ))
        })
        .collect();
    let Some(bounds) = bounds else {
        return Vec::new();
    };
    let same = bounds
        .iter()
        .all(|(operator, _)| operator.starts_with(&bounds[0].0[..1]));
    let numbers: Vec<i64> = bounds.iter().map(|(_, number)| *number).collect();
    let rises = numbers.windows(2).all(|pair| pair[0] + 1 < pair[1]);
    let falls = numbers.windows(2).all(|pair| pair[0] > pair[1] + 1);
    let ascending = bounds[0].0.starts_with('<');
    if !same || ascending && !rises || !ascending && !falls {
        return Vec::new();
    }
    let inside = |(operator, bound): &(&str, i64)| match *operator {
        "<" => bound - 1,
        ">" => bound + 1,
        _ => *bound,
    };
    let outside = |(operator, bound): &(&str, i64)| match *operator {
        "<=" => bound + 1,
        ">=" => bound - 1,
        _ => *bound,
    };
    let last = bounds.last().map(outside);
    bounds
        .iter()
        .map(inside)
        .chain(last)
        .map(|number| Some(number.to_string()))
        .collect()
}

/// The leaf of a condition without operators and without negation.
fn single_leaf<'a>(arm: &'a Arm<'_>) -> Option<&'a CharacteristicDraft> {
    match arm.condition.as_ref()? {
        Condition::Leaf {
            leaf,
            negated: false,
        } => Some(leaf),
        _ => None,
    }
}

/// Another handle of the same node, because Prism's nodes do not implement `Clone`.
fn clone_statements<'pr>(statements: Option<&StatementsNode<'pr>>) -> Option<StatementsNode<'pr>> {
    statements.and_then(|statements| statements.as_node().as_statements_node())
}
