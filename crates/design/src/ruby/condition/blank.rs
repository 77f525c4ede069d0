//! `list.nil? || list.empty?` is one test of presence, written with two operands (rule E11).

use crate::ruby::condition::draft::{Absence, CharacteristicDraft, ConditionKind};
use crate::ruby::condition::tree::Condition;

/// Makes tests for nil and for an empty value one characteristic if they are operands of the same condition.
pub(in crate::ruby) fn join_presence_tests(condition: &mut Condition<CharacteristicDraft>) {
    if matches!(condition, Condition::Leaf { .. }) {
        return;
    }
    let (mut nil, mut empty) = (Vec::new(), Vec::new());
    condition.for_each(&mut |draft| match draft.condition_kind {
        ConditionKind::Presence(Absence::Nil) => nil.push(draft.content.clone()),
        ConditionKind::Presence(Absence::Empty) => empty.push(draft.content.clone()),
        _ => {}
    });
    nil.retain(|content| empty.contains(content));
    condition.for_each_mut(&mut |draft| {
        let is_presence = matches!(draft.condition_kind, ConditionKind::Presence(_));
        if is_presence && nil.contains(&draft.content) {
            draft.condition_kind = ConditionKind::Presence(Absence::Blank);
        }
    });
}
