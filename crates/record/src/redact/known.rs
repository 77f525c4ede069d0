//! [`KnownSecrets`]: the secrets of a run so far.

use std::collections::BTreeSet;

use super::{InvalidPattern, Redactor, SecretNames};

/// The secrets of a run so far, and which variables are secret.
#[derive(Debug, Clone)]
pub struct KnownSecrets {
    names: SecretNames,
    values: BTreeSet<String>,
}

impl KnownSecrets {
    /// No secrets yet. Secret are the variables that match a default pattern or one of these.
    pub fn new<'a>(
        patterns: impl IntoIterator<Item = &'a str>,
    ) -> Result<KnownSecrets, InvalidPattern> {
        Ok(KnownSecrets {
            names: SecretNames::new(patterns)?,
            values: BTreeSet::new(),
        })
    }

    /// Replaces them.
    pub fn redactor(&self) -> Redactor {
        Redactor::of(self.values.iter().map(String::as_str))
    }

    /// Adds the secrets among these variables; returns whether there was a new one.
    pub fn add<'a>(&mut self, variables: impl IntoIterator<Item = (&'a str, &'a str)>) -> bool {
        let before = self.values.len();
        self.values.extend(self.names.secrets(variables));
        self.values.len() > before
    }
}
