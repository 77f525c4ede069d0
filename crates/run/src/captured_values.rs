//! [`CapturedValues`]: what the steps of a test have captured so far.

use std::borrow::Cow;

use casebook_record::DeclaredSecret;
use casebook_suite::run_time::substitute;

/// Captured values by name.
#[derive(Debug, Clone, Default)]
pub(crate) struct CapturedValues(Vec<CapturedValue>);

/// A captured value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CapturedValue {
    pub(crate) name: String,
    pub(crate) value: String,
    pub(crate) is_secret: bool,
}

impl CapturedValues {
    /// The value with this name.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let mut values = self.0.iter();
        values
            .find(|known| known.name == name)
            .map(|known| known.value.as_str())
    }

    /// Adds a value. It replaces an earlier one of the same name.
    pub(crate) fn set(&mut self, value: CapturedValue) {
        self.0.retain(|known| known.name != value.name);
        self.0.push(value);
    }

    /// The text with these values.
    pub(crate) fn substitute<'t>(&self, text: &'t str) -> Cow<'t, str> {
        substitute(text, |name| self.get(name))
    }

    /// The values that must not be shown, as secret variables.
    pub(crate) fn secrets(&self) -> impl Iterator<Item = (String, String)> {
        self.0.iter().filter_map(CapturedValue::secret)
    }
}

impl CapturedValue {
    /// The value as a secret variable, if it is a secret that can be redacted.
    pub(crate) fn secret(&self) -> Option<(String, String)> {
        let secret = self.is_secret.then(|| DeclaredSecret::new(&self.value));
        Some(secret?.ok()?.variable())
    }
}
