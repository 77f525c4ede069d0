//! Conditionals with several branches: `case`, and chains that form one characteristic (rules E8, E9 and E13).

use ruby_prism::{CaseMatchNode, CaseNode, IfNode, Node, StatementsNode};

use crate::characteristic::Kind;
use crate::decision::{Decision, DecisionArm, DecisionKind};
use crate::ruby::branch::case_in::{Guard, GuardedArm};
use crate::ruby::branch::chain::{Arm, Chain};
use crate::ruby::branch::exits::always_exits;
use crate::ruby::branch::outcome::Branch;
use crate::ruby::condition::draft::CharacteristicDraft;
use crate::ruby::condition::tree::{condition_tree, either};
use crate::ruby::syntax::node::{bytes, last_line, line};
use crate::ruby::walk::characteristics::{KnownState, StateRef};
use crate::ruby::walk::mutations::Change;
use crate::ruby::walk::two_way::ElseBranch;
use crate::ruby::walk::{MethodWalk, WalkContext};

/// One branch of a `case` or chain.
pub(in crate::ruby::walk) struct CaseBranch<'pr> {
    pub(in crate::ruby::walk) state: usize,
    pub(in crate::ruby::walk) body: Option<StatementsNode<'pr>>,
    pub(in crate::ruby::walk) guard: Option<Guard<'pr>>,
}

impl MethodWalk<'_> {
    pub(in crate::ruby::walk) fn chain_of<'pr>(&self, node: &IfNode<'pr>) -> Chain<'pr> {
        let head = node.as_node();
        let mut chain = Chain {
            arms: Vec::new(),
            else_clause: None,
            lines: (line(&head), last_line(&head)),
        };
        let mut next = head.as_if_node();
        while let Some(branch) = next {
            let predicate = branch.predicate();
            chain.arms.push(Arm {
                condition: condition_tree(predicate, self.flags),
                body: branch.statements(),
            });
            let subsequent = branch.subsequent();
            if let Some(clause) = subsequent.as_ref().and_then(Node::as_else_node) {
                chain.else_clause = Some(clause);
            }
            next = subsequent.and_then(|subsequent| subsequent.as_if_node());
        }
        chain
    }

    /// `case` without a subject, which is a chain.
    pub(in crate::ruby::walk) fn without_subject(&mut self, case: &CaseNode<'_>) {
        let node = case.as_node();
        let mut chain = Chain {
            arms: Vec::new(),
            else_clause: case.else_clause(),
            lines: (line(&node), last_line(&node)),
        };
        for when in case
            .conditions()
            .iter()
            .filter_map(|when| when.as_when_node())
        {
            let alternatives = when
                .conditions()
                .iter()
                .filter_map(|value| condition_tree(value, self.flags));
            chain.arms.push(Arm {
                condition: either(alternatives.collect()),
                body: when.statements(),
            });
        }
        self.visit_chain(chain);
    }

    /// `case … in` whose patterns decide nothing, which is a chain of its guards.
    pub(in crate::ruby::walk) fn guards_only(
        &mut self,
        case: &CaseMatchNode<'_>,
        conditions: Vec<GuardedArm<'_>>,
    ) {
        let node = case.as_node();
        let arms = conditions.into_iter().map(|(guard, arm)| Arm {
            condition: guard.and_then(|(condition, is_if)| {
                let condition = condition_tree(condition, self.flags)?;
                Some(if is_if { condition } else { condition.negate() })
            }),
            body: arm.statements(),
        });
        let chain = Chain {
            arms: arms.collect(),
            else_clause: case.else_clause(),
            lines: (line(&node), last_line(&node)),
        };
        self.visit_chain(chain);
    }

    fn visit_chain(&mut self, chain: Chain<'_>) {
        match chain.merged() {
            Some(draft) => self.merged(chain, draft),
            None => self.unmerged(chain.arms.into(), chain.else_clause.as_ref()),
        }
    }

    /// Visits a chain that forms one characteristic.
    pub(in crate::ruby::walk) fn merged(&mut self, chain: Chain<'_>, draft: CharacteristicDraft) {
        let implicit = draft.kind == Kind::Range && chain.else_clause.is_none();
        let mut branches: Vec<CaseBranch<'_>> = chain
            .arms
            .into_iter()
            .enumerate()
            .map(|(state, arm)| CaseBranch {
                state,
                body: arm.body,
                guard: None,
            })
            .collect();
        let has_else = chain.else_clause.is_some() || implicit;
        if let Some(clause) = chain.else_clause {
            branches.push(CaseBranch {
                state: branches.len(),
                body: clause.statements(),
                guard: None,
            });
        }
        self.note_unvisited_condition(draft.dependencies.is_some());
        // No attribute: only a `case` makes a characteristic sequential (rule E4).
        self.visit_branches(draft, None, branches, has_else);
    }

    /// Conditions of chains are not visited. If one may change something, what it changes is unknown.
    pub(in crate::ruby::walk) fn note_unvisited_condition(&mut self, is_read_only: bool) {
        if !is_read_only {
            self.changes.push(Change::Anything);
        }
    }

    /// Visits the branches of one characteristic. `is_complete` when a value that matches no branch has a state as
    /// well.
    pub(in crate::ruby::walk) fn visit_branches(
        &mut self,
        mut draft: CharacteristicDraft,
        attribute: Option<&str>,
        branches: Vec<CaseBranch<'_>>,
        is_complete: bool,
    ) {
        let (order, default) = self.lifecycle(&mut draft, attribute);
        let count = draft.states.len();
        let parent = self.parent();
        self.locals.resolve(&mut draft);
        let conditions = std::mem::take(&mut draft.spans);
        let index = self
            .characteristics
            .insert(draft, parent, &self.known_states);
        let since = self.changes.len();
        let mut changes = Vec::new();
        if default.is_some() {
            self.characteristics.set_default(index, default);
        }
        let position = |state: usize| order.iter().position(|at| *at == state).unwrap_or(state);
        let arms = branches.iter().map(|branch| DecisionArm {
            state: position(branch.state),
            body: branch.body.as_ref().map(|body| bytes(&body.as_node())),
        });
        self.decisions.push(Decision {
            characteristic: index,
            // A `case` has one subject, `rescue` with `else` none, and a chain two conditions or more.
            kind: match conditions.len() {
                0 | 1 => DecisionKind::Case,
                _ => DecisionKind::Chain,
            },
            conditions,
            arms: arms.collect(),
        });
        let mut survives = vec![false; count];
        let mut taken = vec![false; count];
        for branch in branches {
            let state_ref = StateRef {
                index,
                state: position(branch.state),
            };
            taken[state_ref.state] = true;
            survives[state_ref.state] |=
                !always_exits(branch.body.as_ref()) || branch.guard.is_some();
            let known = std::iter::once(KnownState { state_ref, since });
            changes.push(self.visit_branch(Some(state_ref), known, |walk| {
                walk.case_branch(state_ref, &branch);
            }));
        }
        for branch in changes {
            self.rejoin(branch);
        }
        for state in 0..count {
            survives[state] |= !taken[state];
            if !survives[state] {
                self.characteristics.mark_exit(StateRef { index, state });
            }
        }
        let mut surviving = (0..count).filter(|state| survives[*state]);
        self.new_gate = match (surviving.next(), surviving.next()) {
            (Some(state), None) if is_complete => Some(StateRef { index, state }),
            _ => None,
        };
    }

    pub(in crate::ruby::walk) fn case_branch(
        &mut self,
        state_ref: StateRef,
        branch: &CaseBranch<'_>,
    ) {
        let Some((condition, then_when)) = &branch.guard else {
            let WalkContext {
                is_result,
                is_certain,
                ..
            } = self.context;
            let effects = Branch::of(branch.body.as_ref(), is_result, is_certain);
            self.record_branch(state_ref, effects);
            return self.list(branch.body.as_ref());
        };
        self.two_way(
            condition,
            *then_when,
            branch.body.as_ref(),
            &ElseBranch::Else(None),
        );
    }
}
