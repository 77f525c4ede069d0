//! [`Scope`]: the values that a string can use besides variables and the environment.

use std::collections::HashSet;

use super::pieces::{Piece, pieces};
use crate::typed_value::TypedValue;

/// The values of one combination of a matrix; they override variables of the same name.
pub(crate) type Combination = [(String, TypedValue)];

/// The name of a value that is known only while the test runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RunTimeName {
    pub(crate) name: String,
    /// Why the value cannot be used at this place, if it cannot.
    pub(crate) unavailable: Option<String>,
}

impl RunTimeName {
    /// A value that can be used.
    pub(crate) fn available(name: &str) -> RunTimeName {
        RunTimeName {
            name: name.to_owned(),
            unavailable: None,
        }
    }
}

/// The values that a string can use besides variables and the environment.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'c> {
    pub(super) values: &'c Combination,
    /// The names of values that are known only while the test runs.
    pub(super) run_time: &'c [RunTimeName],
    /// In definitions outside of tests: the names that only a test defines. A string that uses them has no value yet.
    pub(super) deferred: Option<&'c HashSet<String>>,
}

impl<'c> Scope<'c> {
    /// The scope of a test, or of the suite without values.
    pub(crate) fn of(values: &'c Combination) -> Scope<'c> {
        Scope {
            values,
            run_time: &[],
            deferred: None,
        }
    }

    /// The same scope with values that are known only while the test runs.
    pub(crate) fn with_run_time(self, run_time: &'c [RunTimeName]) -> Scope<'c> {
        Scope { run_time, ..self }
    }

    /// The scope of a definition that tests use. `deferred` has the keys of all matrices.
    pub(crate) fn definition(deferred: &'c HashSet<String>) -> Scope<'c> {
        Scope {
            values: &[],
            run_time: &[],
            deferred: Some(deferred),
        }
    }

    /// Whether a matrix or a scenario defines this name.
    pub(crate) fn has_value(&self, name: &str) -> bool {
        self.values.iter().any(|(key, _)| key == name)
    }

    /// The value of a text that is exactly one name of a matrix or a scenario: `{{name}}`.
    pub(crate) fn typed(&self, text: &str) -> Option<&'c TypedValue> {
        let [
            Piece::Text(""),
            Piece::Variable {
                name,
                is_shell_quoted: false,
                ..
            },
            Piece::Text(""),
        ] = pieces(text)[..]
        else {
            return None;
        };
        let mut values = self.values.iter();
        values.find(|(key, _)| key == name).map(|(_, value)| value)
    }

    pub(super) fn defers(&self, name: &str) -> bool {
        let mut deferred = self.deferred.iter();
        deferred.any(|names| names.contains(name) || name.starts_with("scenario."))
    }
}
