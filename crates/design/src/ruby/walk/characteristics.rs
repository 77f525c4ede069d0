//! The characteristics found so far: repetition and collisions (rule E14), defaults (rule E15), levels (rule E16).

use std::collections::{HashMap, HashSet};

use crate::characteristic::{Characteristic, Kind};
use crate::name::Name;
use crate::ruby::condition::boolean_names::Flags;
use crate::ruby::condition::draft::CharacteristicDraft;
use crate::ruby::condition::implication::implied_truth;
use crate::ruby::syntax::words::{identifier, number_word};
use crate::ruby::walk::mutations::Change;

/// A characteristic in one of its states, to which other characteristics may be subordinate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StateRef {
    pub(crate) index: usize,
    pub(crate) state: usize,
}

/// A state that an enclosing branch implies.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KnownState {
    pub(crate) place: StateRef,
    /// Number of changes recorded when its condition was evaluated.
    pub(crate) since: usize,
}

/// Characteristics in source order.
#[derive(Debug, Default)]
pub(crate) struct Characteristics {
    found: Vec<Found>,
    /// Indexes by the name of the draft.
    by_name: HashMap<String, Vec<usize>>,
    /// Names in use.
    names: HashSet<String>,
    pub(crate) warnings: Vec<String>,
}

#[derive(Debug)]
struct Found {
    draft: CharacteristicDraft,
    /// The draft's name, or another one if that was already in use.
    name: Name,
    parent: Option<usize>,
    when_parent: Vec<usize>,
    default: Option<String>,
    leaving: Vec<usize>,
    combination: Option<usize>,
    /// The parent of the latest occurrence.
    hangs_on: Option<StateRef>,
    /// Number of occurrences.
    occurrences: usize,
    /// Whether it occurs elsewhere than once each under different states of one parent.
    is_scattered: bool,
}

impl Characteristics {
    /// Adds a condition below `parent`, or finds the equal one. Returns its index. It may be one that an enclosing
    /// branch implies.
    pub(crate) fn insert(
        &mut self,
        mut draft: CharacteristicDraft,
        parent: Option<StateRef>,
        decided: &[KnownState],
    ) -> usize {
        draft.name = named(draft.name);
        let same_name = self.by_name.get(&draft.name.full).into_iter().flatten();
        let known = same_name
            .copied()
            .find(|index| self.found[*index].draft.same(&draft));
        match known {
            Some(index) => {
                let is_decided = decided
                    .iter()
                    .map(|known| known.place)
                    .chain(parent)
                    .any(|place| place.index == index);
                let found = &mut self.found[index];
                found.occurrences += 1;
                found.is_scattered |= is_decided || !found.is_new_under(parent);
                found.hangs_on = parent;
                if !is_decided {
                    self.recur(index, parent);
                }
                index
            }
            None => self.add(draft, parent),
        }
    }

    /// The truth of a condition if a known state implies it and no later change affects it.
    pub(crate) fn truth(
        &self,
        draft: &CharacteristicDraft,
        decided: &[KnownState],
        changes: &[Change],
    ) -> Option<bool> {
        decided.iter().find_map(|KnownState { place, since }| {
            let known = &self.found[place.index].draft;
            let truth = implied_truth(draft, known, place.state)?;
            let is_still = draft.is_reached_like(known) && known.survives(&changes[*since..]);
            is_still.then_some(truth)
        })
    }

    fn recur(&mut self, index: usize, parent: Option<StateRef>) {
        let found = &mut self.found[index];
        match (found.parent, parent) {
            (Some(known), Some(place)) if known == place.index => {
                if !found.when_parent.contains(&place.state) {
                    found.when_parent.push(place.state);
                    found.when_parent.sort_unstable();
                }
            }
            (None, None) => {}
            (_, place) => {
                let here = place.map_or("no other".to_owned(), |place| {
                    format!("`{}`", self.found[place.index].name.full)
                });
                let name = &self.found[index].name.full;
                self.warnings.push(format!(
                    "`{name}` occurs again under {here}; its first occurrence is kept"
                ));
            }
        }
    }

    fn add(&mut self, draft: CharacteristicDraft, parent: Option<StateRef>) -> usize {
        let name = self.free_name(&draft);
        self.names.insert(name.full.clone());
        let same_name = self.by_name.entry(draft.name.full.clone()).or_default();
        same_name.push(self.found.len());
        self.found.push(Found {
            name,
            draft,
            parent: parent.map(|place| place.index),
            when_parent: parent.map(|place| place.state).into_iter().collect(),
            default: None,
            leaving: Vec::new(),
            combination: None,
            hangs_on: parent,
            occurrences: 1,
            is_scattered: false,
        });
        self.found.len() - 1
    }

    /// The draft's name; if that is in use, with its threshold or a number appended.
    fn free_name(&self, draft: &CharacteristicDraft) -> Name {
        let is_free = |name: &Name| !self.names.contains(&name.full);
        if is_free(&draft.name) {
            return draft.name.clone();
        }
        let threshold = draft
            .threshold
            .as_ref()
            .and_then(|threshold| threshold.value.as_deref());
        let with_threshold = threshold.map(|value| draft.name.clone().and(&number_word(value)));
        if let Some(name) = with_threshold.filter(is_free) {
            return name;
        }
        (2..=self.found.len() + 2)
            .map(|number| draft.name.clone().and(&number.to_string()))
            .find(is_free)
            .expect("one of n + 1 numbers is not used by n names")
    }

    /// Marks a state in which the method, or the enclosing block, is left early.
    pub(crate) fn mark_exit(&mut self, place: StateRef) {
        let leaving = &mut self.found[place.index].leaving;
        if !leaving.contains(&place.state) {
            leaving.push(place.state);
        }
    }

    /// The parent of the condition inserted last at this index.
    pub(crate) fn parent_of(&self, index: usize) -> Option<StateRef> {
        self.found[index].hangs_on
    }

    /// Marks it as an operand of `&&` or `||`.
    pub(crate) fn combine(&mut self, index: usize, combination: usize) {
        self.found[index].combination = Some(combination);
    }

    /// Sets the initial state.
    pub(crate) fn set_default(&mut self, index: usize, default: Option<String>) {
        self.found[index].default = default;
    }

    pub(crate) fn len(&self) -> usize {
        self.found.len()
    }

    /// The characteristics with levels and defaults, and the warnings.
    pub(crate) fn finish(self, flags: &Flags) -> (Vec<Characteristic>, Vec<String>) {
        let mut levels = Vec::with_capacity(self.found.len());
        for found in &self.found {
            // A parent is always added before its children.
            let level: usize = found.parent.map_or(1, |parent| {
                let above: usize = levels[parent];
                above + 1
            });
            levels.push(level);
        }
        let characteristics = (0..self.found.len())
            .map(|index| self.characteristic(index, levels[index], flags))
            .collect();
        (characteristics, self.warnings)
    }

    fn characteristic(&self, index: usize, level: usize, flags: &Flags) -> Characteristic {
        let Found { draft, name, .. } = &self.found[index];
        let found = &self.found[index];
        let parent = found.parent.map(|parent| &self.found[parent]);
        let state_names = |states: &[usize], of: &CharacteristicDraft| -> Vec<String> {
            states
                .iter()
                .map(|state| of.states[*state].clone())
                .collect()
        };
        let hanging = |state: &usize| {
            self.found
                .iter()
                .any(|other| other.parent == Some(index) && other.when_parent.contains(state))
        };
        let mut terminal = found.leaving.clone();
        terminal.retain(|state| !hanging(state));
        terminal.sort_unstable();
        Characteristic {
            name: name.full.clone(),
            parts: name.clone(),
            kind: draft.kind,
            states: draft.states.clone(),
            default: found.default.clone().or_else(|| default(draft, flags)),
            depends_on: parent.map(|parent| parent.name.full.clone()),
            when_parent: parent.map_or_else(Vec::new, |parent| {
                state_names(&found.when_parent, &parent.draft)
            }),
            level,
            lines: draft.lines,
            terminal_states: state_names(&terminal, draft),
            threshold: draft
                .threshold
                .clone()
                .filter(|_| draft.kind == Kind::Range),
            bound: draft.bound.clone(),
            setup: draft.setup.clone(),
            presence: draft.states == ["present", "absent"],
            is_equality: draft.is_equality,
            tested: draft.tested.clone(),
            values: draft.values.clone(),
            asked: draft.attribute_call.clone(),
            combination: found.combination,
            is_asked_again: found.is_scattered
                || found.occurrences > 1 && found.combination.is_some(),
        }
    }
}

impl Found {
    /// Whether this is a further state of the same parent.
    fn is_new_under(&self, place: Option<StateRef>) -> bool {
        place.is_some_and(|place| {
            self.parent == Some(place.index) && !self.when_parent.contains(&place.state)
        })
    }
}

/// Makes the name a valid identifier. The short form is dropped if it would not be one.
fn named(name: Name) -> Name {
    let attribute = name.attribute.filter(|short| identifier(short) == *short);
    Name {
        full: identifier(&name.full),
        attribute,
        ..name
    }
}

/// The state that equals the literal default of the parameter.
fn default(draft: &CharacteristicDraft, flags: &Flags) -> Option<String> {
    let word = flags.default_of(draft.tested.as_deref()?)?;
    let state = match word {
        "true" | "false" if draft.family == crate::ruby::condition::draft::ConditionKind::Flag => {
            draft.states.get(usize::from(word == "false"))
        }
        word => draft.states.iter().find(|state| *state == word),
    };
    state.cloned()
}
