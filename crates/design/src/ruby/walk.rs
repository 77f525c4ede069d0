//! Walks the body of a method and collects its conditions with their dependencies (rules E1b, E2, E3 and E7 to E10).

pub(in crate::ruby) mod characteristics;
mod multi_way;
pub(in crate::ruby) mod mutations;
mod statements;
mod two_way;
mod visit;

use ruby_prism::{Node, Visit as _};

use crate::ruby::branch::outcome::{Branch, JointBranch, TakenBranch};
use crate::ruby::branch::state_machine::StateMachine;
use crate::ruby::condition::alternatives::joined;
use crate::ruby::condition::boolean_names::Flags;
use crate::ruby::condition::draft::CharacteristicDraft;
use crate::ruby::condition::tree::Condition;
use crate::ruby::options::AnalysisOptions;
use crate::ruby::walk::characteristics::{Characteristics, KnownState, StateRef};
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

/// Visits one method.
pub(crate) struct MethodWalk<'a> {
    flags: &'a Flags,
    machines: &'a [StateMachine],
    reading: AnalysisOptions,
    around: WalkContext,
    /// States that enclosing branches imply.
    decided: Vec<KnownState>,
    /// Changes made so far that may invalidate these states.
    changes: Vec<Change>,
    /// Whether the current node is part of a condition.
    is_asked: bool,
    /// The gate that the conditional just visited establishes.
    made: Option<StateRef>,
    /// Number of conditions with several operands so far.
    combinations: usize,
    pub(crate) found: Characteristics,
    pub(crate) outcomes: Vec<TakenBranch>,
    pub(crate) joined: Vec<JointBranch>,
}

impl<'a> MethodWalk<'a> {
    pub(crate) fn new(
        flags: &'a Flags,
        machines: &'a [StateMachine],
        reading: AnalysisOptions,
    ) -> MethodWalk<'a> {
        MethodWalk {
            flags,
            machines,
            reading,
            around: WalkContext {
                branch: None,
                gate: None,
                sees_gates: true,
                is_result: true,
                is_certain: true,
            },
            decided: Vec::new(),
            changes: Vec::new(),
            is_asked: false,
            made: None,
            combinations: 0,
            found: Characteristics::default(),
            outcomes: Vec::new(),
            joined: Vec::new(),
        }
    }

    /// The parent of a conditional that is not a guard.
    fn parent(&self) -> Option<StateRef> {
        self.around.gate.or(self.around.branch)
    }

    /// Adds the leaves of a condition below `parent`. `Err` with its truth if enclosing branches already decide it
    /// (rule E14).
    fn add_condition(
        &mut self,
        test: Condition<CharacteristicDraft>,
        parent: Option<StateRef>,
    ) -> Result<Condition<usize>, bool> {
        let test = if self.reading.joins_alternatives {
            joined(test)
        } else {
            test
        };
        let test = test.simplify(&|draft| {
            let known = self.found.truth(draft, &self.decided, &self.changes);
            known.filter(|_| !draft.is_assigned(self.flags))
        })?;
        let is_alone = matches!(test, Condition::Leaf { .. });
        self.combinations += usize::from(!is_alone);
        Ok(test.map(&mut |draft| {
            let index = self.found.insert(draft, parent, &self.decided);
            if !is_alone {
                self.found.combine(index, self.combinations);
            }
            index
        }))
    }

    /// Records the branch that is taken when a condition has this truth value: for every leaf that decides it alone, or
    /// for all leaves jointly.
    fn taken_when(&mut self, placed: &Condition<usize>, truth: bool, branch: Branch) {
        if let Condition::Leaf { .. } = placed {
            return self.record_branch(place_of(placed, truth), branch);
        }
        for (index, is_first) in placed.sufficient_leaves(truth) {
            self.record_branch(state_ref(*index, is_first), branch.clone());
        }
        let decided = placed.implied_leaves(truth);
        if decided.len() > 1 && decided.len() == placed.size() {
            let at = |(index, is_first): (&usize, bool)| state_ref(*index, is_first);
            self.joined.push(JointBranch {
                places: decided.into_iter().map(at).collect(),
                branch,
            });
        }
    }

    /// Records a branch.
    fn record_branch(&mut self, place: StateRef, branch: Branch) {
        let under = self.found.parent_of(place.index);
        self.outcomes.push(TakenBranch {
            place,
            under,
            branch,
        });
    }

    /// Visits a branch in which these states are known. Returns the changes it makes, because they do not affect the
    /// other branches.
    fn visit_branch(
        &mut self,
        place: Option<StateRef>,
        known: impl Iterator<Item = KnownState>,
        visit: impl FnOnce(&mut Self),
    ) -> Vec<Change> {
        let (outside, changes, decided) = (self.around, self.changes.len(), self.decided.len());
        if place.is_some() {
            self.around.branch = place;
            self.around.gate = None;
        }
        self.decided.extend(known);
        visit(self);
        self.around = outside;
        self.decided.truncate(decided);
        self.changes.split_off(changes)
    }

    /// Records what this node changes, if known states or a condition could be affected.
    fn note_change(&mut self, node: &Node<'_>) {
        if self.is_asked || !self.decided.is_empty() {
            Change::note(node, self.is_asked, &mut self.changes);
        }
    }

    /// Records all changes inside code that may run repeatedly, before visiting it: later code in it may already have
    /// run.
    fn note_later_changes(&mut self, node: &Node<'_>) {
        if !self.decided.is_empty() {
            let changes = &mut self.changes;
            let is_asked = false;
            RepeatedChanges { changes, is_asked }.visit(node);
        }
    }
}

fn state_ref(index: usize, is_first: bool) -> StateRef {
    StateRef {
        index,
        state: usize::from(!is_first),
    }
}

fn place_of(placed: &Condition<usize>, truth: bool) -> StateRef {
    let (index, is_first) = placed.representative_leaf(truth);
    state_ref(*index, is_first)
}
