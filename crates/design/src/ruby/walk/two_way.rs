//! Two ways: `if`, `unless`, ternaries, and chains taken one by one (E2, E3, E7, E8).

use std::collections::VecDeque;

use ruby_prism::{ElseNode, IfNode, Node, StatementsNode};

use super::super::chain::Arm;
use super::super::changes::Change;
use super::super::children::again;
use super::super::collect::Known;
use super::super::draft::Draft;
use super::super::exits::{else_leaves, leaves, subsequent_leaves};
use super::super::outcome::Branch;
use super::super::test::{Test, test};
use super::{Walk, place, place_of};

/// What happens where the condition of an `if` does not hold.
pub(super) enum Otherwise<'pr> {
    Nothing,
    Else(Option<StatementsNode<'pr>>),
    Elsif(IfNode<'pr>),
}

impl Otherwise<'_> {
    fn leaves(&self) -> bool {
        match self {
            Otherwise::Nothing => false,
            Otherwise::Else(statements) => leaves(statements.as_ref()),
            Otherwise::Elsif(branch) => subsequent_leaves(Some(&branch.as_node())),
        }
    }
}

impl Walk<'_> {
    pub(super) fn two_way<'pr>(
        &mut self,
        condition: &Node<'pr>,
        then_when: bool,
        then: Option<&StatementsNode<'pr>>,
        otherwise: &Otherwise<'pr>,
    ) {
        let then_leaves = leaves(then);
        let else_leaves = otherwise.leaves();
        let is_guard = then_leaves && matches!(otherwise, Otherwise::Nothing);
        let parent = if is_guard {
            self.around.branch
        } else {
            self.parent()
        };
        let since = self.changes.len();
        let test = test(again(condition), self.flags);
        let placed = test.map(|test| self.place(test, parent)).transpose();
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
                    Otherwise::Nothing => walk.outcomes_of(placed.as_ref(), !then_when, None),
                    Otherwise::Else(statements) => {
                        walk.outcomes_of(placed.as_ref(), !then_when, statements.as_ref());
                        walk.list(statements.as_ref());
                    }
                    Otherwise::Elsif(branch) => walk.nested(branch),
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

    /// The one branch that can be taken.
    fn decided(&mut self, statements: Option<&StatementsNode<'_>>) {
        self.list(statements);
        self.made = None;
    }

    fn decided_otherwise(&mut self, otherwise: &Otherwise<'_>) {
        match otherwise {
            Otherwise::Nothing => self.made = None,
            Otherwise::Else(statements) => self.decided(statements.as_ref()),
            Otherwise::Elsif(branch) => self.nested(branch),
        }
    }

    pub(super) fn branch(
        &mut self,
        placed: Option<&Test<usize>>,
        truth: bool,
        leaves: bool,
        since: usize,
        visit: impl FnOnce(&mut Self),
    ) -> Vec<Change> {
        let Some(placed) = placed else {
            return self.within(None, std::iter::empty(), visit);
        };
        if leaves {
            for (index, is_first) in placed.decisive(truth) {
                self.found.leaves(place(*index, is_first));
            }
        }
        let decided = placed
            .decided(truth)
            .into_iter()
            .map(|(index, is_first)| Known {
                place: place(*index, is_first),
                since,
            });
        self.within(Some(place_of(placed, truth)), decided, visit)
    }

    pub(super) fn outcomes_of(
        &mut self,
        placed: Option<&Test<usize>>,
        truth: bool,
        statements: Option<&StatementsNode<'_>>,
    ) {
        let branch = Branch::of(statements, self.around.is_result, self.around.is_certain);
        if let Some(placed) = placed {
            self.taken_when(placed, truth, branch);
        }
    }

    /// An `if` with its `elsif`s taken one by one.
    pub(super) fn nested(&mut self, node: &IfNode<'_>) {
        let otherwise = match node.subsequent() {
            None => Otherwise::Nothing,
            Some(subsequent) => match subsequent.as_if_node() {
                Some(branch) => Otherwise::Elsif(branch),
                None => Otherwise::Else(
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

    pub(super) fn unmerged(
        &mut self,
        mut arms: VecDeque<Arm<'_>>,
        otherwise: Option<&ElseNode<'_>>,
    ) {
        let Some(arm) = arms.pop_front() else {
            return self.list(otherwise.and_then(ElseNode::statements).as_ref());
        };
        let then_leaves = leaves(arm.body.as_ref());
        let rest_leaves = arms_leave(&arms, otherwise);
        let is_guard = then_leaves && arms.is_empty() && otherwise.is_none();
        let parent = if is_guard {
            self.around.branch
        } else {
            self.parent()
        };
        let since = self.changes.len();
        let reads = |test: &Test<Draft>| test.all(&|draft| draft.roots.is_some());
        self.asked(arm.test.as_ref().is_none_or(reads));
        let placed = match arm.test.map(|test| self.place(test, parent)).transpose() {
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
    else_leaves(otherwise) && arms.iter().all(|arm| leaves(arm.body.as_ref()))
}
