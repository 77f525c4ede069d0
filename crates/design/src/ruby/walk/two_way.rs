//! Conditionals with two branches: `if`, `unless`, ternaries, and chains visited one condition at a time (rules E2, E3,
//! E7 and E8).

use std::collections::VecDeque;

use ruby_prism::{ElseNode, IfNode, Node, StatementsNode};

use crate::ruby::branch::chain::Arm;
use crate::ruby::branch::exits::{always_exits, else_always_exits, subsequent_always_exits};
use crate::ruby::branch::outcome::Branch;
use crate::ruby::condition::draft::CharacteristicDraft;
use crate::ruby::condition::tree::{Condition, condition_tree};
use crate::ruby::syntax::traverse::clone_handle;
use crate::ruby::walk::characteristics::{KnownState, StateRef};
use crate::ruby::walk::{BranchChanges, MethodWalk, branch_state};

/// What follows when the condition of an `if` is false.
pub(in crate::ruby::walk) enum ElseBranch<'pr> {
    Nothing,
    Else(Option<StatementsNode<'pr>>),
    Elsif(IfNode<'pr>),
}

impl ElseBranch<'_> {
    fn always_exits(&self) -> bool {
        match self {
            ElseBranch::Nothing => false,
            ElseBranch::Else(statements) => always_exits(statements.as_ref()),
            ElseBranch::Elsif(branch) => subsequent_always_exits(Some(&branch.as_node())),
        }
    }
}

impl MethodWalk<'_> {
    pub(in crate::ruby::walk) fn two_way<'pr>(
        &mut self,
        condition: &Node<'pr>,
        then_when: bool,
        then: Option<&StatementsNode<'pr>>,
        else_branch: &ElseBranch<'pr>,
    ) {
        let then_exits = always_exits(then);
        let else_exits = else_branch.always_exits();
        let is_guard = then_exits && matches!(else_branch, ElseBranch::Nothing);
        let parent = if is_guard {
            self.context.branch
        } else {
            self.parent()
        };
        let since = self.changes.len();
        let tree = condition_tree(clone_handle(condition), self.flags);
        let placed = tree
            .map(|condition| self.add_condition(condition, parent))
            .transpose();
        self.visit_condition(condition);
        let placed = match placed {
            Ok(placed) => placed,
            Err(truth) if truth == then_when => return self.visit_decided(then),
            Err(_) => return self.visit_decided_else(else_branch),
        };
        let then_changes = self.branch(placed.as_ref(), then_when, then_exits, since, |walk| {
            walk.outcomes_of(placed.as_ref(), then_when, then);
            walk.list(then);
        });
        let else_changes =
            self.branch(
                placed.as_ref(),
                !then_when,
                else_exits,
                since,
                |walk| match else_branch {
                    ElseBranch::Nothing => walk.outcomes_of(placed.as_ref(), !then_when, None),
                    ElseBranch::Else(statements) => {
                        walk.outcomes_of(placed.as_ref(), !then_when, statements.as_ref());
                        walk.list(statements.as_ref());
                    }
                    ElseBranch::Elsif(branch) => walk.if_else(branch),
                },
            );
        self.rejoin(then_changes);
        self.rejoin(else_changes);
        self.new_gate = match placed {
            Some(placed) if then_exits != else_exits => {
                Some(branch_state(&placed, then_when != then_exits))
            }
            _ => None,
        };
    }

    /// Visits the only branch that can be taken.
    fn visit_decided(&mut self, statements: Option<&StatementsNode<'_>>) {
        self.list(statements);
        self.new_gate = None;
    }

    fn visit_decided_else(&mut self, else_branch: &ElseBranch<'_>) {
        match else_branch {
            ElseBranch::Nothing => self.new_gate = None,
            ElseBranch::Else(statements) => self.visit_decided(statements.as_ref()),
            ElseBranch::Elsif(branch) => self.if_else(branch),
        }
    }

    pub(in crate::ruby::walk) fn branch(
        &mut self,
        placed: Option<&Condition<usize>>,
        truth: bool,
        exits: bool,
        since: usize,
        visit: impl FnOnce(&mut Self),
    ) -> BranchChanges {
        let Some(placed) = placed else {
            return self.visit_branch(None, std::iter::empty(), visit);
        };
        if exits {
            for (index, is_first) in placed.sufficient_leaves(truth) {
                self.characteristics
                    .mark_exit(StateRef::of_leaf(*index, is_first));
            }
        }
        let implied = placed
            .implied_leaves(truth)
            .into_iter()
            .map(|(index, is_first)| KnownState {
                state_ref: StateRef::of_leaf(*index, is_first),
                since,
            });
        self.visit_branch(Some(branch_state(placed, truth)), implied, visit)
    }

    pub(in crate::ruby::walk) fn outcomes_of(
        &mut self,
        placed: Option<&Condition<usize>>,
        truth: bool,
        statements: Option<&StatementsNode<'_>>,
    ) {
        let branch = Branch::of(statements, self.context.is_result, self.context.is_certain);
        if let Some(placed) = placed {
            self.record_outcome(placed, truth, branch);
        }
    }

    /// Visits an `if` with its `elsif`s one at a time.
    pub(in crate::ruby::walk) fn if_else(&mut self, node: &IfNode<'_>) {
        let else_branch = match node.subsequent() {
            None => ElseBranch::Nothing,
            Some(subsequent) => match subsequent.as_if_node() {
                Some(branch) => ElseBranch::Elsif(branch),
                None => ElseBranch::Else(
                    subsequent
                        .as_else_node()
                        .and_then(|clause| clause.statements()),
                ),
            },
        };
        self.two_way(
            &node.predicate(),
            true,
            node.statements().as_ref(),
            &else_branch,
        );
    }

    pub(in crate::ruby::walk) fn unmerged(
        &mut self,
        mut arms: VecDeque<Arm<'_>>,
        else_clause: Option<&ElseNode<'_>>,
    ) {
        let Some(arm) = arms.pop_front() else {
            return self.list(else_clause.and_then(ElseNode::statements).as_ref());
        };
        let then_exits = always_exits(arm.body.as_ref());
        let rest_exits = arms_always_exit(&arms, else_clause);
        let is_guard = then_exits && arms.is_empty() && else_clause.is_none();
        let parent = if is_guard {
            self.context.branch
        } else {
            self.parent()
        };
        let since = self.changes.len();
        let reads = |condition: &Condition<CharacteristicDraft>| {
            condition.all(&|draft| draft.dependencies.is_some())
        };
        self.note_unvisited_condition(arm.condition.as_ref().is_none_or(reads));
        let placed = match arm
            .condition
            .map(|condition| self.add_condition(condition, parent))
            .transpose()
        {
            Ok(placed) => placed,
            Err(true) => return self.visit_decided(arm.body.as_ref()),
            Err(false) => return self.unmerged(arms, else_clause),
        };
        let then_changes = self.branch(placed.as_ref(), true, then_exits, since, |walk| {
            walk.outcomes_of(placed.as_ref(), true, arm.body.as_ref());
            walk.list(arm.body.as_ref());
        });
        let else_changes = self.branch(placed.as_ref(), false, rest_exits, since, |walk| {
            if arms.is_empty() {
                let statements = else_clause.and_then(ElseNode::statements);
                walk.outcomes_of(placed.as_ref(), false, statements.as_ref());
                walk.list(statements.as_ref());
            } else {
                walk.unmerged(arms, else_clause);
            }
        });
        self.rejoin(then_changes);
        self.rejoin(else_changes);
        self.new_gate = match placed {
            Some(placed) if then_exits != rest_exits => Some(branch_state(&placed, !then_exits)),
            _ => None,
        };
    }
}

fn arms_always_exit(arms: &VecDeque<Arm<'_>>, else_clause: Option<&ElseNode<'_>>) -> bool {
    else_always_exits(else_clause) && arms.iter().all(|arm| always_exits(arm.body.as_ref()))
}
