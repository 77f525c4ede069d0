//! Through a method's body: which condition stands where, and what it depends on (E1b, E2, E3, E7 to E10).

mod lists;
mod several;
mod two_way;
mod visit;

use ruby_prism::{Node, Visit as _};

use super::changes::{Ahead, Change};
use super::collect::{Collection, Known, Place};
use super::draft::Draft;
use super::either::joined;
use super::flags::Flags;
use super::lifecycle::Machine;
use super::outcome::{Branch, Taken, TakenTogether};
use super::reading::Reading;
use super::test::Test;

pub(crate) use lists::is_harmless;

/// Where in the method we are.
#[derive(Debug, Clone, Copy)]
struct Around {
    /// The branch that encloses this.
    branch: Option<Place>,
    /// The nearest gate that was passed on the way, in this list of statements or in one around it.
    gate: Option<Place>,
    /// Bodies of `rescue` and `ensure` may run without the gates before them having been passed.
    sees_gates: bool,
    /// Whether the value of this list is the method's result.
    is_result: bool,
    /// Whether nothing but conditions decides that, and with what effect, this is reached.
    is_certain: bool,
}

/// Goes through one method.
pub(crate) struct Walk<'a> {
    flags: &'a Flags,
    machines: &'a [Machine],
    reading: Reading,
    around: Around,
    /// The states that enclosing branches have made certain.
    decided: Vec<Known>,
    /// What was done on the way here that may change them.
    changes: Vec<Change>,
    /// Whether this is part of a condition.
    is_asked: bool,
    /// The gate that the conditional just visited is.
    made: Option<Place>,
    /// How many combinations of several conditions there were.
    combinations: usize,
    pub(crate) found: Collection,
    pub(crate) outcomes: Vec<Taken>,
    pub(crate) joined: Vec<TakenTogether>,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(flags: &'a Flags, machines: &'a [Machine], reading: Reading) -> Walk<'a> {
        Walk {
            flags,
            machines,
            reading,
            around: Around {
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
            found: Collection::default(),
            outcomes: Vec::new(),
            joined: Vec::new(),
        }
    }

    /// Where a conditional that is no guard hangs.
    fn parent(&self) -> Option<Place> {
        self.around.gate.or(self.around.branch)
    }

    /// Puts a condition where it belongs. `Err` where the branches around it have decided it (E14).
    fn place(&mut self, test: Test<Draft>, parent: Option<Place>) -> Result<Test<usize>, bool> {
        let test = if self.reading.joins_alternatives {
            joined(test)
        } else {
            test
        };
        let test = test.given(&|draft| {
            let known = self.found.truth(draft, &self.decided, &self.changes);
            known.filter(|_| !draft.is_assigned(self.flags))
        })?;
        let is_alone = matches!(test, Test::Leaf { .. });
        self.combinations += usize::from(!is_alone);
        Ok(test.map(&mut |draft| {
            let index = self.found.occur(draft, parent, &self.decided);
            if !is_alone {
                self.found.combine(index, self.combinations);
            }
            index
        }))
    }

    /// Puts down what the branch does that is taken when a condition is this: for every leaf that alone decides it, or
    /// for all leaves together.
    fn taken_when(&mut self, placed: &Test<usize>, truth: bool, branch: Branch) {
        if let Test::Leaf { .. } = placed {
            return self.taken(place_of(placed, truth), branch);
        }
        for (index, is_first) in placed.decisive(truth) {
            self.taken(place(*index, is_first), branch.clone());
        }
        let decided = placed.decided(truth);
        if decided.len() > 1 && decided.len() == placed.size() {
            let at = |(index, is_first): (&usize, bool)| place(*index, is_first);
            self.joined.push(TakenTogether {
                places: decided.into_iter().map(at).collect(),
                branch,
            });
        }
    }

    /// Puts down what a branch does.
    fn taken(&mut self, place: Place, branch: Branch) {
        let under = self.found.hangs_on(place.index);
        self.outcomes.push(Taken {
            place,
            under,
            branch,
        });
    }

    /// Visits a branch, in which this is known. Gives back the changes it makes: they concern no other branch.
    fn within(
        &mut self,
        place: Option<Place>,
        known: impl Iterator<Item = Known>,
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
    fn notice(&mut self, node: &Node<'_>) {
        if self.is_asked || !self.decided.is_empty() {
            Change::note(node, self.is_asked, &mut self.changes);
        }
    }

    /// Before what may run more than once: what comes later in it may have been done already.
    fn foresee(&mut self, node: &Node<'_>) {
        if !self.decided.is_empty() {
            let changes = &mut self.changes;
            let is_asked = false;
            Ahead { changes, is_asked }.visit(node);
        }
    }
}

fn place(index: usize, is_first: bool) -> Place {
    Place {
        index,
        state: usize::from(!is_first),
    }
}

fn place_of(placed: &Test<usize>, truth: bool) -> Place {
    let (index, is_first) = placed.stands_for(truth);
    place(*index, is_first)
}
