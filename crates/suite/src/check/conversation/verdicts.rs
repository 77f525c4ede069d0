//! Finds scripted verdicts that no check uses.

use std::collections::{HashMap, HashSet};

use casebook_source::{Diagnostic, Span, closest_match};

use super::names::{JudgeQuery, KnownNames};
use super::{Layers, llm};
use crate::codes::UNKNOWN_CRITERION;

/// The criteria used by the tests of a suite, and those with scripted verdicts.
#[derive(Debug, Default)]
pub(crate) struct VerdictUse {
    used: HashSet<String>,
    scripted: HashMap<Span, String>,
    /// Whether any test is a conversation.
    pub(crate) any_conversation: bool,
    /// Whether any of them has a simulated user.
    pub(crate) any_simulation: bool,
}

impl VerdictUse {
    pub(super) fn add_test(
        &mut self,
        layers: &Layers<'_>,
        known: &KnownNames,
        queries: impl Iterator<Item = JudgeQuery>,
    ) {
        self.any_conversation = true;
        self.any_simulation |= layers.test("simulate").is_some();
        self.used
            .extend(known.criteria.iter().map(|(name, _)| name.clone()));
        self.used.extend(queries.flat_map(|query| query.keys()));
        for entry in llm::verdict_entries(&llm::model_nodes(layers)) {
            self.scripted.insert(entry.key_span, entry.key.to_string());
        }
    }

    /// The problems for scripted verdicts that no check uses.
    pub(crate) fn unknown(&self) -> impl Iterator<Item = Diagnostic> {
        let unknown = self
            .scripted
            .iter()
            .filter(|(_, name)| !self.used.contains(*name));
        unknown.map(|(span, name)| {
            let message = format!("`{name}` is not a criterion, and no check uses it");
            let suggestion = closest_match(name, self.used.iter().map(String::as_str));
            Diagnostic::error(UNKNOWN_CRITERION, *span, message)
                .maybe_help(suggestion.map(|name| format!("did you mean `{name}`?")))
        })
    }
}
