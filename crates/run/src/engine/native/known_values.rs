//! [`KnownValues`]: values that are known before a suite or a test starts, such as the ports of services.

use std::borrow::Cow;

use casebook_suite::model::{Hooks, Service, Test};
use casebook_suite::run_time::substitute_known;

/// Values by the name that texts use.
#[derive(Debug, Clone, Default)]
pub(super) struct KnownValues(Vec<(String, String)>);

impl KnownValues {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn add(&mut self, name: String, value: String) {
        self.0.push((name, value));
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &(String, String)> {
        self.0.iter()
    }

    /// The value with this name.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let mut values = self.0.iter();
        values
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    /// The text with these values.
    pub(super) fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        substitute_known(text, |name| self.get(name))
    }

    /// The hooks with these values.
    pub(super) fn hooks<'h>(&self, hooks: &'h Hooks) -> Cow<'h, Hooks> {
        if self.is_empty() {
            return Cow::Borrowed(hooks);
        }
        Cow::Owned(hooks.with_known_values(|name| self.get(name)))
    }

    /// The test with these values.
    pub(super) fn test<'t>(&self, test: &'t Test) -> Cow<'t, Test> {
        if self.is_empty() {
            return Cow::Borrowed(test);
        }
        Cow::Owned(test.with_known_values(|name| self.get(name)))
    }

    /// The service with these values.
    pub(super) fn service(&self, service: &Service) -> Service {
        service.with_known_values(|name| self.get(name))
    }
}
