//! Walks the body of a method and collects its conditions with their dependencies (rules E1b, E2, E3 and E7 to E10).

pub(in crate::ruby) mod characteristics;
mod exit_operand;
mod lifecycle;
pub(in crate::ruby) mod local_variables;
mod multi_way;
pub(in crate::ruby) mod mutations;
mod rescue_else;
mod statements;
mod two_way;
mod visit;

use ruby_prism::{Node, Visit as _};

use crate::decision::{Decision, DecisionKind};
use crate::ruby::branch::outcome::{Branch, JointBranch, TakenBranch};
use crate::ruby::branch::state_machine::StateMachine;
use crate::ruby::condition::alternatives::join_alternatives;
use crate::ruby::condition::blank::join_presence_tests;
use crate::ruby::condition::boolean_names::Flags;
use crate::ruby::condition::draft::CharacteristicDraft;
use crate::ruby::condition::tree::Condition;
use crate::ruby::options::AnalysisOptions;
use crate::ruby::walk::characteristics::{Characteristics, KnownState, StateRef};
use crate::ruby::walk::local_variables::{Assigned, LocalVariables};
use crate::ruby::walk::mutations::{Change, RepeatedChanges};

pub(crate) use statements::is_harmless;

/// The position in the method.
#[derive(Debug, Clone, Copy)]
struct WalkContext {
    /// The enclosing branch.
    branch: Option<StateRef>,
    /// The closest gate passed so far, in this statement list or an enclosing one. A gate is a state that code after an
    /// early exit requires.
    gate: Option<StateRef>,
    /// False in `rescue` and `ensure`, which may run without passing the gates before them.
    sees_gates: bool,
    /// Whether the value of this statement list is the method's result.
    is_result: bool,
    /// Whether conditions alone decide that this code is reached.
    is_certain: bool,
}

/// What a branch changes.
struct BranchChanges {
    changes: Vec<Change>,
    assigned: Vec<Assigned>,
}

/// Visits one method.
pub(crate) struct MethodWalk<'a> {
    flags: &'a Flags<'a>,
    machines: &'a [StateMachine],
    options: AnalysisOptions,
    context: WalkContext,
    /// States that enclosing branches imply.
    known_states: Vec<KnownState>,
    /// Changes made so far that may invalidate these states.
    changes: Vec<Change>,
    /// The values of local variables.
    locals: LocalVariables,
    /// Whether the current node is part of a condition.
    in_condition: bool,
    /// The gate that the conditional just visited establishes.
    new_gate: Option<StateRef>,
    /// Number of conditions with several operands so far.
    combinations: usize,
    pub(crate) characteristics: Characteristics,
    pub(crate) decisions: Vec<Decision>,
    pub(crate) outcomes: Vec<TakenBranch>,
    pub(crate) joined: Vec<JointBranch>,
}

impl<'a> MethodWalk<'a> {
    pub(crate) fn new(
        flags: &'a Flags<'a>,
        machines: &'a [StateMachine],
        options: AnalysisOptions,
    ) -> MethodWalk<'a> {
        MethodWalk {
            flags,
            machines,
            options,
            context: WalkContext {
                branch: None,
                gate: None,
                sees_gates: true,
                is_result: true,
                is_certain: true,
            },
            known_states: Vec::new(),
            changes: Vec::new(),
            locals: LocalVariables::default(),
            in_condition: false,
            new_gate: None,
            combinations: 0,
            characteristics: Characteristics::default(),
            decisions: Vec::new(),
            outcomes: Vec::new(),
            joined: Vec::new(),
        }
    }

    /// The parent of a conditional that is not a guard.
    fn parent(&self) -> Option<StateRef> {
        self.context.gate.or(self.context.branch)
    }

    /// Adds the leaves of a condition below `parent`. `Err` with its truth if enclosing branches already decide it
    /// (rule E14).
    fn add_condition(
        &mut self,
        mut condition: Condition<CharacteristicDraft>,
        parent: Option<StateRef>,
    ) -> Result<Condition<usize>, bool> {
        join_presence_tests(&mut condition);
        let mut condition = if self.options.joins_alternatives {
            join_alternatives(condition)
        } else {
            condition
        };
        condition.for_each_mut(&mut |draft| self.locals.resolve(draft));
        let condition = condition.simplify(&|draft| {
            let known = self
                .characteristics
                .truth(draft, &self.known_states, &self.changes);
            known.filter(|_| !draft.is_assigned(self.flags))
        })?;
        let is_alone = matches!(condition, Condition::Leaf { .. });
        self.combinations += usize::from(!is_alone);
        Ok(condition.map(&mut |mut draft| {
            let conditions = std::mem::take(&mut draft.spans);
            let index = self
                .characteristics
                .insert(draft, parent, &self.known_states);
            self.decisions.push(Decision {
                characteristic: index,
                kind: DecisionKind::Condition,
                conditions,
                arms: Vec::new(),
            });
            if !is_alone {
                self.characteristics.combine(index, self.combinations);
            }
            index
        }))
    }

    /// Records the branch that is taken when a condition has this truth value: for every leaf that decides it alone, or
    /// for all leaves jointly.
    fn record_outcome(&mut self, placed: &Condition<usize>, truth: bool, branch: Branch) {
        if let Condition::Leaf { .. } = placed {
            return self.record_branch(branch_state(placed, truth), branch);
        }
        for (index, is_first) in placed.sufficient_leaves(truth) {
            self.record_branch(StateRef::of_leaf(*index, is_first), branch.clone());
        }
        let implied = placed.implied_leaves(truth);
        if implied.len() > 1 && implied.len() == placed.size() {
            let at = |(index, is_first): (&usize, bool)| StateRef::of_leaf(*index, is_first);
            self.joined.push(JointBranch {
                state_refs: implied.into_iter().map(at).collect(),
                branch,
            });
        }
    }

    /// Records a branch.
    fn record_branch(&mut self, state_ref: StateRef, branch: Branch) {
        let under = self.characteristics.parent_of(state_ref.index);
        self.outcomes.push(TakenBranch {
            state_ref,
            under,
            branch,
        });
    }

    /// Visits a branch in which these states are known. Returns the changes it makes, because they do not affect the
    /// other branches: `rejoin` adds them after all branches.
    fn visit_branch(
        &mut self,
        state_ref: Option<StateRef>,
        known: impl Iterator<Item = KnownState>,
        visit: impl FnOnce(&mut Self),
    ) -> BranchChanges {
        let (context, changes, known_count) =
            (self.context, self.changes.len(), self.known_states.len());
        let assigned = self.locals.len();
        if state_ref.is_some() {
            self.context.branch = state_ref;
            self.context.gate = None;
        }
        self.known_states.extend(known);
        visit(self);
        self.context = context;
        self.known_states.truncate(known_count);
        BranchChanges {
            changes: self.changes.split_off(changes),
            assigned: self.locals.leave_branch(assigned),
        }
    }

    /// Applies the changes that a branch may have made.
    fn rejoin(&mut self, branch: BranchChanges) {
        self.changes.extend(branch.changes);
        self.locals.rejoin(branch.assigned);
    }

    /// Records what this node changes, if known states or a condition could be affected.
    fn note_change(&mut self, node: &Node<'_>) {
        if self.in_condition || !self.known_states.is_empty() {
            Change::note(node, self.in_condition, &mut self.changes);
        }
    }

    /// Records all changes inside code that may run repeatedly, before visiting it: later code in it may already have
    /// run.
    fn note_later_changes(&mut self, node: &Node<'_>) {
        if !self.known_states.is_empty() {
            let changes = &mut self.changes;
            let in_condition = false;
            RepeatedChanges {
                changes,
                in_condition,
            }
            .visit(node);
        }
    }
}

fn branch_state(placed: &Condition<usize>, truth: bool) -> StateRef {
    let (index, is_first) = placed.representative_leaf(truth);
    StateRef::of_leaf(*index, is_first)
}
