//! Branches without `if` (rule E2): `x.ok? && return`, `x.valid? or raise E`, and a block that leaves the method if
//! there is no value, `fetch(key) { return }`.

use ruby_prism::{CallNode, Node, StatementsNode, Visit as _};

use crate::name::Name;
use crate::ruby::branch::exits::{ExitOperand, exit_operand, leaves_method};
use crate::ruby::branch::outcome::Branch;
use crate::ruby::condition::draft::{CharacteristicDraft, ConditionKind};
use crate::ruby::condition::tree::{Condition, condition_tree};
use crate::ruby::syntax::node::{bare, called};
use crate::ruby::syntax::traverse::clone_handle;
use crate::ruby::walk::{MethodWalk, branch_state};

impl MethodWalk<'_> {
    /// Visits an operator whose right side leaves. `variable` is what its value is assigned to.
    pub(in crate::ruby::walk) fn exit_operand(
        &mut self,
        operand: &ExitOperand<'_>,
        variable: Option<&str>,
    ) {
        let tree = condition_tree(clone_handle(&operand.condition), self.flags);
        let tree = tree.map(|tree| match variable {
            Some(variable) => named_after(tree, variable),
            None => tree,
        });
        let branch = Branch::of_exit(&operand.exit, self.context.is_certain);
        self.exit_branch(
            tree,
            operand.exits_when,
            branch,
            |walk| walk.visit_condition(&operand.condition),
            |walk| walk.visit(&operand.exit),
        );
    }

    /// Visits the value that is assigned to a variable.
    pub(in crate::ruby::walk) fn assigned_value(&mut self, variable: &str, value: &Node<'_>) {
        let bare_value = bare(clone_handle(value));
        match exit_operand(&bare_value).filter(|_| !self.in_condition) {
            Some(operand) => self.exit_operand(&operand, Some(variable)),
            None => self.visit(value),
        }
    }

    /// Visits a call whose block leaves the method.
    pub(in crate::ruby::walk) fn exit_block(
        &mut self,
        call: &CallNode<'_>,
        body: &StatementsNode<'_>,
    ) {
        let tree = condition_tree(call.as_node(), self.flags);
        let branch = Branch::of(Some(body), false, self.context.is_certain);
        self.exit_branch(
            tree,
            false,
            branch,
            |walk| {
                if let Some(receiver) = call.receiver() {
                    walk.visit_condition(&receiver);
                }
                if let Some(arguments) = call.arguments() {
                    walk.visit_condition(&arguments.as_node());
                }
            },
            |walk| walk.statements(body),
        );
    }

    /// Visits a condition, and the code that leaves if the condition has the value `exits_when`.
    fn exit_branch(
        &mut self,
        tree: Option<Condition<CharacteristicDraft>>,
        exits_when: bool,
        branch: Branch,
        visit_condition: impl FnOnce(&mut Self),
        visit_exit: impl FnOnce(&mut Self),
    ) {
        let since = self.changes.len();
        let parent = self.context.branch;
        let placed = tree
            .map(|tree| self.add_condition(tree, parent))
            .transpose();
        visit_condition(self);
        self.new_gate = None;
        let Ok(placed) = placed else {
            return;
        };
        let exits = self.branch(placed.as_ref(), exits_when, true, since, |walk| {
            if let Some(placed) = &placed {
                walk.record_outcome(placed, exits_when, branch);
            }
            walk.context.is_result = false;
            visit_exit(walk);
        });
        self.rejoin(exits);
        if let Some(placed) = placed {
            let continues = Branch::of(None, false, self.context.is_certain);
            self.record_outcome(&placed, !exits_when, continues);
            self.new_gate = Some(branch_state(&placed, !exits_when));
        }
    }
}

/// A value that is assigned is called like its variable.
fn named_after(
    tree: Condition<CharacteristicDraft>,
    variable: &str,
) -> Condition<CharacteristicDraft> {
    match tree {
        Condition::Leaf { mut leaf, negated }
            if matches!(leaf.condition_kind, ConditionKind::Presence(_)) =>
        {
            leaf.name = Name::value(variable).with_suffix("present");
            Condition::Leaf { leaf, negated }
        }
        tree => tree,
    }
}

/// The body of a block that is run if there is no value and leaves the method.
pub(in crate::ruby::walk) fn exit_block_of<'pr>(
    call: &CallNode<'pr>,
) -> Option<StatementsNode<'pr>> {
    let block = call.block()?.as_block_node()?;
    if !matches!(called(call), "fetch" | "delete") {
        return None;
    }
    let body = block.body()?;
    body.as_statements_node().filter(leaves_method)
}
