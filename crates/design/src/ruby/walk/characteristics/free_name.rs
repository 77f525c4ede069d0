//! The name of a condition whose own name is in use: with a word from the code, or else with a number (rule E14).

use super::{Characteristics, StateRef};
use crate::name::Name;
use crate::ruby::condition::draft::CharacteristicDraft;
use crate::ruby::condition::qualifier::Qualifier;
use crate::ruby::syntax::words::{identifier, is_identifier};

impl Characteristics {
    /// The draft's name; if that is in use, with a word that distinguishes it from the others, or else with a number.
    pub(super) fn free_name(&self, draft: &CharacteristicDraft, parent: Option<StateRef>) -> Name {
        if self.is_free(&draft.name) {
            return draft.name.clone();
        }
        let branch = parent.and_then(|parent| self.branch_word(draft, parent));
        let qualifiers = draft.qualifiers.iter().chain(&branch);
        let candidates = qualifiers.flat_map(|qualifier| {
            let words = qualifier.words().into_iter();
            let own = words.filter(|word| !self.is_shared(draft, word));
            own.filter_map(|word| qualifier.apply(&draft.name, &word))
        });
        candidates
            .map(to_identifiers)
            .find(|name| self.is_free(name))
            .unwrap_or_else(|| self.numbered(&draft.name))
    }

    /// The word for a local variable in this branch.
    fn branch_word(&self, draft: &CharacteristicDraft, parent: StateRef) -> Option<Qualifier> {
        let parent = &self.entries[parent.index];
        if draft.locals.is_empty() || parent.draft.name == draft.name {
            return None;
        }
        let name = &parent.name.full;
        let name = name.strip_suffix("_present").unwrap_or(name);
        Some(Qualifier::Related("under", name.to_owned()))
    }

    /// Whether another condition with the same name has this word as well.
    fn is_shared(&self, draft: &CharacteristicDraft, word: &str) -> bool {
        let same_name = self.same_name(draft);
        let mut qualifiers = same_name.flat_map(|index| &self.entries[index].draft.qualifiers);
        qualifiers.any(|qualifier| qualifier.has_word(word))
    }

    fn numbered(&self, name: &Name) -> Name {
        (2..=self.entries.len() + 2)
            .map(|number| name.clone().with_suffix(&number.to_string()))
            .find(|name| self.is_free(name))
            .expect("one of n + 1 numbers is not used by n names")
    }
}

/// Makes the name a valid identifier. The short form is dropped if it would not be one.
pub(super) fn to_identifiers(name: Name) -> Name {
    let attribute = name.attribute.filter(|short| is_identifier(short));
    Name {
        full: identifier(name.full),
        attribute,
        ..name
    }
}
