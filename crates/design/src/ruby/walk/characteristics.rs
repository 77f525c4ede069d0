//! The characteristics found so far: repetition and collisions (rule E14), defaults (rule E15), levels (rule E16).

mod free_name;

use std::collections::HashMap;

use crate::characteristic::{Characteristic, Kind};
use crate::name::Name;
use crate::ruby::condition::boolean_names::Flags;
use crate::ruby::condition::draft::CharacteristicDraft;
use crate::ruby::condition::implication::implied_truth;
use crate::ruby::walk::mutations::Change;

use free_name::to_identifiers;

/// A characteristic in one of its states, to which other characteristics may be subordinate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StateRef {
    pub(crate) index: usize,
    pub(crate) state: usize,
}

impl StateRef {
    /// The first state of a characteristic with two states, or the second.
    pub(crate) fn of_leaf(index: usize, is_first: bool) -> StateRef {
        StateRef {
            index,
            state: usize::from(!is_first),
        }
    }
}

/// A state that an enclosing branch implies.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KnownState {
    pub(crate) state_ref: StateRef,
    /// Number of changes recorded when its condition was evaluated.
    pub(crate) since: usize,
}

/// Characteristics in source order.
#[derive(Debug, Default)]
pub(crate) struct Characteristics {
    entries: Vec<Entry>,
    /// Indexes by name: that of the draft, and the one it has instead.
    by_name: HashMap<String, Vec<usize>>,
    pub(crate) warnings: Vec<String>,
}

#[derive(Debug)]
struct Entry {
    draft: CharacteristicDraft,
    /// The draft's name, or another one if that was already in use.
    name: Name,
    parent: Option<usize>,
    when_parent: Vec<usize>,
    default: Option<String>,
    exit_states: Vec<usize>,
    combination: Option<usize>,
    /// The parent of the latest occurrence.
    last_parent: Option<StateRef>,
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
        known_states: &[KnownState],
    ) -> usize {
        draft.name = to_identifiers(draft.name);
        let existing = self.same_name(&draft).find(|index| {
            let entry = &self.entries[*index];
            entry.draft.same(&draft) && !entry.is_other_local(&draft, parent)
        });
        match existing {
            Some(index) => {
                let is_known = known_states
                    .iter()
                    .map(|known| known.state_ref)
                    .chain(parent)
                    .any(|state_ref| state_ref.index == index);
                let entry = &mut self.entries[index];
                entry.occurrences += 1;
                entry.is_scattered |= is_known || !entry.is_new_under(parent);
                entry.last_parent = parent;
                if !is_known {
                    self.add_occurrence(index, parent);
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
        known_states: &[KnownState],
        changes: &[Change],
    ) -> Option<bool> {
        known_states
            .iter()
            .find_map(|KnownState { state_ref, since }| {
                let known = &self.entries[state_ref.index].draft;
                let truth = implied_truth(draft, known, state_ref.state)?;
                let is_unchanged =
                    draft.depends_only_on_names_of(known) && known.survives(&changes[*since..]);
                is_unchanged.then_some(truth)
            })
    }

    fn add_occurrence(&mut self, index: usize, parent: Option<StateRef>) {
        let entry = &mut self.entries[index];
        match (entry.parent, parent) {
            (Some(known), Some(state_ref)) if known == state_ref.index => {
                if !entry.when_parent.contains(&state_ref.state) {
                    entry.when_parent.push(state_ref.state);
                    entry.when_parent.sort_unstable();
                }
            }
            (None, None) => {}
            (_, state_ref) => {
                let again = self.place(state_ref.map(|state_ref| state_ref.index));
                let first = self.place(self.entries[index].parent);
                let name = &self.entries[index].name.full;
                self.warnings.push(format!(
                    "`{name}` is tested again {again}; only its first place, {first}, is listed"
                ));
            }
        }
    }

    /// Where a condition is, in words.
    fn place(&self, parent: Option<usize>) -> String {
        parent.map_or_else(
            || "outside any branch".to_owned(),
            |parent| format!("under `{}`", self.entries[parent].name.full),
        )
    }

    fn add(&mut self, draft: CharacteristicDraft, parent: Option<StateRef>) -> usize {
        let name = self.free_name(&draft, parent);
        self.add_name(&draft.name.full);
        if name.full != draft.name.full {
            self.add_name(&name.full);
        }
        self.entries.push(Entry {
            name,
            draft,
            parent: parent.map(|state_ref| state_ref.index),
            when_parent: parent
                .map(|state_ref| state_ref.state)
                .into_iter()
                .collect(),
            default: None,
            exit_states: Vec::new(),
            combination: None,
            last_parent: parent,
            occurrences: 1,
            is_scattered: false,
        });
        self.entries.len() - 1
    }

    /// Registers a name of the entry that is added next.
    fn add_name(&mut self, name: &str) {
        let indexes = self.by_name.entry(name.to_owned()).or_default();
        indexes.push(self.entries.len());
    }

    /// The conditions whose drafts have the same name.
    fn same_name(&self, draft: &CharacteristicDraft) -> impl Iterator<Item = usize> {
        let name = &draft.name.full;
        let indexes = self.by_name.get(name).into_iter().flatten().copied();
        indexes.filter(move |index| self.entries[*index].draft.name.full == *name)
    }

    fn is_free(&self, name: &Name) -> bool {
        !self.by_name.contains_key(&name.full)
    }

    /// Marks a state in which the method, or the enclosing block, is left early.
    pub(crate) fn mark_exit(&mut self, state_ref: StateRef) {
        let exit_states = &mut self.entries[state_ref.index].exit_states;
        if !exit_states.contains(&state_ref.state) {
            exit_states.push(state_ref.state);
        }
    }

    /// The parent of the condition inserted last at this index.
    pub(crate) fn parent_of(&self, index: usize) -> Option<StateRef> {
        self.entries[index].last_parent
    }

    /// Marks it as an operand of `&&` or `||`.
    pub(crate) fn combine(&mut self, index: usize, combination: usize) {
        self.entries[index].combination = Some(combination);
    }

    /// Sets the initial state.
    pub(crate) fn set_default(&mut self, index: usize, default: Option<String>) {
        self.entries[index].default = default;
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The characteristics with levels and defaults, and the warnings.
    pub(crate) fn finish(self, flags: &Flags<'_>) -> (Vec<Characteristic>, Vec<String>) {
        let mut relations: Vec<Relation> = Vec::with_capacity(self.entries.len());
        for index in 0..self.entries.len() {
            // A parent is always added before its children.
            let parent = self.entries[index].parent;
            let level = parent.map_or(1, |parent| relations[parent].level + 1);
            relations.push(self.relation(index, level));
        }
        let entries = self.entries.into_iter().zip(relations);
        let characteristics = entries.map(|(entry, relation)| entry.finish(relation, flags));
        (characteristics.collect(), self.warnings)
    }

    fn relation(&self, index: usize, level: usize) -> Relation {
        let entry = &self.entries[index];
        let parent = entry.parent.map(|parent| &self.entries[parent]);
        let has_children = |state: &usize| {
            self.entries
                .iter()
                .any(|other| other.parent == Some(index) && other.when_parent.contains(state))
        };
        let mut terminal = entry.exit_states.clone();
        terminal.retain(|state| !has_children(state));
        terminal.sort_unstable();
        Relation {
            level,
            depends_on: parent.map(|parent| parent.name.full.clone()),
            when_parent: parent.map_or_else(Vec::new, |parent| {
                parent.draft.state_names(&entry.when_parent)
            }),
            terminal_states: entry.draft.state_names(&terminal),
        }
    }
}

/// How a characteristic relates to the others.
struct Relation {
    level: usize,
    depends_on: Option<String>,
    when_parent: Vec<String>,
    terminal_states: Vec<String>,
}

impl Entry {
    fn finish(self, relation: Relation, flags: &Flags<'_>) -> Characteristic {
        let Entry { draft, name, .. } = self;
        Characteristic {
            name: name.full.clone(),
            parts: name,
            kind: draft.kind,
            default: self.default.or_else(|| default(&draft, flags)),
            depends_on: relation.depends_on,
            when_parent: relation.when_parent,
            level: relation.level,
            lines: draft.lines,
            terminal_states: relation.terminal_states,
            threshold: draft.threshold.filter(|_| draft.kind == Kind::Range),
            bound: draft.bound,
            setup: draft.setup,
            presence: draft.states == ["present", "absent"],
            states: draft.states,
            is_equality: draft.is_equality,
            tested: draft.tested,
            values: draft.values,
            attribute_call: draft.attribute_call,
            combination: self.combination,
            is_repeated: self.is_scattered || self.occurrences > 1 && self.combination.is_some(),
        }
    }

    /// Whether this is a condition on a local variable that was assigned elsewhere, below another characteristic.
    fn is_other_local(&self, draft: &CharacteristicDraft, parent: Option<StateRef>) -> bool {
        self.parent != parent.map(|parent| parent.index) && draft.reads_from_elsewhere(&self.draft)
    }

    /// Whether this is a further state of the same parent.
    fn is_new_under(&self, state_ref: Option<StateRef>) -> bool {
        state_ref.is_some_and(|state_ref| {
            self.parent == Some(state_ref.index) && !self.when_parent.contains(&state_ref.state)
        })
    }
}

/// The state that equals the literal default of the parameter.
fn default(draft: &CharacteristicDraft, flags: &Flags<'_>) -> Option<String> {
    let word = flags.default_of(draft.tested.as_deref()?)?;
    let state = match word {
        "true" | "false"
            if draft.condition_kind == crate::ruby::condition::draft::ConditionKind::Flag =>
        {
            draft.states.get(usize::from(word == "false"))
        }
        word => draft.states.iter().find(|state| *state == word),
    };
    state.cloned()
}
