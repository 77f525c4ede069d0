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
use crate::ruby::walk::characteristics::KnownState;
use crate::ruby::walk::mutations::Change;
use crate::ruby::walk::{MethodWalk, place_of, state_ref};

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
        otherwise: &ElseBranch<'pr>,
    ) {
        let then_leaves = always_exits(then);
        let else_leaves = otherwise.always_exits();
        let is_guard = then_leaves && matches!(otherwise, ElseBranch::Nothing);
        let parent = if is_guard {
            self.around.branch
        } else {
            self.parent()
        };
        let since = self.changes.len();
        let test = condition_tree(clone_handle(condition), self.flags);
        let placed = test
            .map(|test| self.add_condition(test, parent))
            .transpose();
        self.outside_of_lists(condition);
        let placed = match placed {
            Ok(placed) => placed,
            Err(truth) if truth == then_when => return self.decided(then),
            Err(_) => return self.decided_otherwise(otherwise),
        };
        let then_changes = self.branch(placed.as_ref(), then_when, then_leaves, since, |walk| {
            walk.outcomes_of(placed.as_ref(), then_when, then);
            walk.list(then);
        });
        let else_changes =
            self.branch(
                placed.as_ref(),
                !then_when,
                else_leaves,
                since,
                |walk| match otherwise {
                    ElseBranch::Nothing => walk.outcomes_of(placed.as_ref(), !then_when, None),
                    ElseBranch::Else(statements) => {
                        walk.outcomes_of(placed.as_ref(), !then_when, statements.as_ref());
                        walk.list(statements.as_ref());
                    }
                    ElseBranch::Elsif(branch) => walk.nested(branch),
                },
            );
        self.changes.extend(then_changes);
        self.changes.extend(else_changes);
        self.made = match placed {
            Some(placed) if then_leaves != else_leaves => {
                Some(place_of(&placed, then_when != then_leaves))
            }
            _ => None,
        };
    }

    /// Visits the only branch that can be taken.
    fn decided(&mut self, statements: Option<&StatementsNode<'_>>) {
        self.list(statements);
        self.made = None;
    }

    fn decided_otherwise(&mut self, otherwise: &ElseBranch<'_>) {
        match otherwise {
            ElseBranch::Nothing => self.made = None,
            ElseBranch::Else(statements) => self.decided(statements.as_ref()),
            ElseBranch::Elsif(branch) => self.nested(branch),
        }
    }

    pub(in crate::ruby::walk) fn branch(
        &mut self,
        placed: Option<&Condition<usize>>,
        truth: bool,
        leaves: bool,
        since: usize,
        visit: impl FnOnce(&mut Self),
    ) -> Vec<Change> {
        let Some(placed) = placed else {
            return self.visit_branch(None, std::iter::empty(), visit);
        };
        if leaves {
            for (index, is_first) in placed.sufficient_leaves(truth) {
                self.found.mark_exit(state_ref(*index, is_first));
            }
        }
        let decided = placed
            .implied_leaves(truth)
            .into_iter()
            .map(|(index, is_first)| KnownState {
                place: state_ref(*index, is_first),
                since,
            });
        self.visit_branch(Some(place_of(placed, truth)), decided, visit)
    }

    pub(in crate::ruby::walk) fn outcomes_of(
        &mut self,
        placed: Option<&Condition<usize>>,
        truth: bool,
        statements: Option<&StatementsNode<'_>>,
    ) {
        let branch = Branch::of(statements, self.around.is_result, self.around.is_certain);
        if let Some(placed) = placed {
            self.taken_when(placed, truth, branch);
        }
    }

    /// Visits an `if` with its `elsif`s one at a time.
    pub(in crate::ruby::walk) fn nested(&mut self, node: &IfNode<'_>) {
        let otherwise = match node.subsequent() {
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
            &otherwise,
        );
    }

    pub(in crate::ruby::walk) fn unmerged(
        &mut self,
        mut arms: VecDeque<Arm<'_>>,
        otherwise: Option<&ElseNode<'_>>,
    ) {
        let Some(arm) = arms.pop_front() else {
            return self.list(otherwise.and_then(ElseNode::statements).as_ref());
        };
        let then_leaves = always_exits(arm.body.as_ref());
        let rest_leaves = arms_leave(&arms, otherwise);
        let is_guard = then_leaves && arms.is_empty() && otherwise.is_none();
        let parent = if is_guard {
            self.around.branch
        } else {
            self.parent()
        };
        let since = self.changes.len();
        let reads =
            |test: &Condition<CharacteristicDraft>| test.all(&|draft| draft.roots.is_some());
        self.asked(arm.test.as_ref().is_none_or(reads));
        let placed = match arm
            .test
            .map(|test| self.add_condition(test, parent))
            .transpose()
        {
            Ok(placed) => placed,
            Err(true) => return self.decided(arm.body.as_ref()),
            Err(false) => return self.unmerged(arms, otherwise),
        };
        let then_changes = self.branch(placed.as_ref(), true, then_leaves, since, |walk| {
            walk.outcomes_of(placed.as_ref(), true, arm.body.as_ref());
            walk.list(arm.body.as_ref());
        });
        let else_changes = self.branch(placed.as_ref(), false, rest_leaves, since, |walk| {
            if arms.is_empty() {
                let statements = otherwise.and_then(ElseNode::statements);
                walk.outcomes_of(placed.as_ref(), false, statements.as_ref());
                walk.list(statements.as_ref());
            } else {
                walk.unmerged(arms, otherwise);
            }
        });
        self.changes.extend(then_changes);
        self.changes.extend(else_changes);
        self.made = match placed {
            Some(placed) if then_leaves != rest_leaves => Some(place_of(&placed, !then_leaves)),
            _ => None,
        };
    }
}

fn arms_leave(arms: &VecDeque<Arm<'_>>, otherwise: Option<&ElseNode<'_>>) -> bool {
    else_always_exits(otherwise) && arms.iter().all(|arm| always_exits(arm.body.as_ref()))
}
