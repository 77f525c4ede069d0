//! Membership of a variable in a list, if the file shows what is in the list.

use ruby_prism::CallNode;

use crate::ruby::condition::draft::CharacteristicDraft;
use crate::ruby::condition::sample_values;
use crate::ruby::syntax::node::{arguments, bare, called, is_constant, source, variable};

/// Records the variable, and the list or constant that is searched.
pub(in crate::ruby::condition::leaf) fn note_members(
    call: &CallNode<'_>,
    draft: &mut CharacteristicDraft,
) {
    let Some(receiver) = call.receiver().map(bare) else {
        return;
    };
    let mut arguments = arguments(call).into_iter();
    let (Some(argument), None) = (arguments.next().map(bare), arguments.next()) else {
        return;
    };
    let (list, member) = match called(call) {
        "include?" | "key?" | "member?" => (receiver, argument),
        "in?" => (argument, receiver),
        _ => return,
    };
    let Some(member) = variable(&member) else {
        return;
    };
    if let Some(members) = sample_values::list(&list) {
        draft.values = sample_values::members(&members);
    } else if is_constant(&list) {
        draft.bound = Some(source(&list));
    } else {
        return;
    }
    draft.tested = Some(member.to_owned());
}
