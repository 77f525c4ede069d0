//! [`KnownSecrets`]: the secrets of a run so far.

use std::collections::BTreeSet;

use super::forms::forms;
use super::{InvalidPattern, Redactor, SecretNames, declared};

/// The secrets of a run so far, and which variables are secret.
#[derive(Debug, Clone)]
pub struct KnownSecrets {
    names: SecretNames,
    values: BTreeSet<String>,
    /// Those that are declared and short.
    short: BTreeSet<String>,
}

impl KnownSecrets {
    /// No secrets yet. Secret are the variables that match a default pattern or one of these.
    pub fn new<'a>(
        patterns: impl IntoIterator<Item = &'a str>,
    ) -> Result<KnownSecrets, InvalidPattern> {
        Ok(KnownSecrets {
            names: SecretNames::new(patterns)?,
            values: BTreeSet::new(),
            short: BTreeSet::new(),
        })
    }

    /// Replaces them.
    pub fn redactor(&self) -> Redactor {
        let long = self.values.iter().flat_map(|secret| forms(secret));
        Redactor::of_forms(long.chain(self.short.iter().cloned()).collect())
    }

    /// Adds the secrets among these variables; returns whether there was a new one.
    pub fn add<'a>(&mut self, variables: impl IntoIterator<Item = (&'a str, &'a str)>) -> bool {
        let before = self.count();
        for (name, value) in variables {
            self.values.extend(self.names.secrets([(name, value)]));
            self.short.extend(declared::form(name, value));
        }
        self.count() > before
    }

    fn count(&self) -> usize {
        self.values.len() + self.short.len()
    }
}
