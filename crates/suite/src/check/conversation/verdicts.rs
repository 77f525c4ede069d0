//! Verdicts that a scripted model gives and nobody asks for.

use std::collections::{HashMap, HashSet};

use casebook_source::{Diagnostic, Span, closest_match};

use super::names::{JudgeQuery, KnownNames};
use super::{Layers, llm};
use crate::codes::UNKNOWN_CRITERION;

/// What the tests of a suite ask, and what their scripts answer.
#[derive(Debug, Default)]
pub(crate) struct VerdictUse {
    asked: HashSet<String>,
    given: HashMap<Span, String>,
    /// Whether any test talks to an agent.
    pub(crate) any_talk: bool,
    /// Whether any of them has a simulated user.
    pub(crate) any_simulation: bool,
}

impl VerdictUse {
    pub(super) fn add_test(
        &mut self,
        layers: &Layers<'_>,
        known: &KnownNames,
        asked: impl Iterator<Item = JudgeQuery>,
    ) {
        self.any_talk = true;
        self.any_simulation |= layers.test("simulate").is_some();
        self.asked.extend(known.criteria.iter().cloned());
        for JudgeQuery { check, text, .. } in asked {
            self.asked.insert(format!("{check} {text}"));
            self.asked.insert(text);
        }
        for entry in llm::verdict_entries(&layers.nodes("llm")) {
            self.given.insert(entry.key_span, entry.key.to_string());
        }
    }

    /// The verdicts that no check of the suite can ask for.
    pub(crate) fn unknown(&self) -> impl Iterator<Item = Diagnostic> {
        let unknown = self
            .given
            .iter()
            .filter(|(_, name)| !self.asked.contains(*name));
        unknown.map(|(span, name)| {
            let message = format!("`{name}` is no criterion, and no check asks for it");
            let near = closest_match(name, self.asked.iter().map(String::as_str));
            Diagnostic::error(UNKNOWN_CRITERION, *span, message)
                .maybe_help(near.map(|near| format!("did you mean `{near}`?")))
        })
    }
}
