//! Through a method's body: which condition stands where, and what it depends on (rules E1b, E2, E3 and E7 to E10).

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

/// Where in the method we are.
#[derive(Debug, Clone, Copy)]
struct WalkContext {
    /// The branch that encloses this.
    branch: Option<StateRef>,
    /// The nearest gate that was passed on the way, in this list of statements or in one around it.
    gate: Option<StateRef>,
    /// Bodies of `rescue` and `ensure` may run without the gates before them having been passed.
    sees_gates: bool,
    /// Whether the value of this list is the method's result.
    is_result: bool,
    /// Whether nothing but conditions decides that, and with what effect, this is reached.
    is_certain: bool,
}

/// Goes through one method.
pub(crate) struct MethodWalk<'a> {
    flags: &'a Flags,
    machines: &'a [StateMachine],
    reading: AnalysisOptions,
    around: WalkContext,
    /// The states that enclosing branches have made certain.
    decided: Vec<KnownState>,
    /// What was done on the way here that may change them.
    changes: Vec<Change>,
    /// Whether this is part of a condition.
    is_asked: bool,
    /// The gate that the conditional just visited is.
    made: Option<StateRef>,
    /// How many combinations of several conditions there were.
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

    /// Where a conditional that is no guard hangs.
    fn parent(&self) -> Option<StateRef> {
        self.around.gate.or(self.around.branch)
    }

    /// Puts a condition where it belongs. `Err` where the branches around it have decided it (rule E14).
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

    /// Puts down what the branch does that is taken when a condition is this: for every leaf that alone decides it, or
    /// for all leaves together.
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

    /// Puts down what a branch does.
    fn record_branch(&mut self, place: StateRef, branch: Branch) {
        let under = self.found.parent_of(place.index);
        self.outcomes.push(TakenBranch {
            place,
            under,
            branch,
        });
    }

    /// Visits a branch, in which this is known. Gives back the changes it makes: they concern no other branch.
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

    /// Keeps in mind what is done here, as far as it matters.
    fn note_change(&mut self, node: &Node<'_>) {
        if self.is_asked || !self.decided.is_empty() {
            Change::note(node, self.is_asked, &mut self.changes);
        }
    }

    /// Before what may run more than once: what comes later in it may have been done already.
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
