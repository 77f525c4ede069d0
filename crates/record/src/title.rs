//! The display title of a test, from the outermost group inwards.

use std::borrow::Cow;

use crate::model::{ExampleData, RunData};

/// The names of a test.
#[derive(Debug, Clone, Copy)]
pub struct TestNames<'e> {
    /// The descriptions from the outermost group to the example, joined by `::`.
    pub canonical_path: Option<&'e str>,
    /// Used when there is no canonical path.
    pub full_description: Option<&'e str>,
    /// The example's own description.
    pub description: &'e str,
    /// The scenario that drives it.
    pub scenario_id: Option<&'e str>,
    /// The scenario's name, if the run contains the scenario.
    pub scenario_name: Option<&'e str>,
}

impl TestNames<'_> {
    /// `group › group › example`, followed by the scenario's name unless the title already contains it.
    pub fn title(self) -> String {
        let Some(path) = self.canonical_path else {
            return self.full_description.unwrap_or(self.description).to_owned();
        };
        let without_scenario = self
            .scenario_id
            .and_then(|id| path.strip_suffix(id)?.strip_suffix('@'));
        let parts = self.parts(without_scenario.unwrap_or(path));
        let is_new = |name: &&str| !parts.contains(*name);
        match self.scenario_name.filter(is_new) {
            Some(name) => format!("{parts} [{name}]"),
            None => parts,
        }
    }

    /// Joins the parts of the path. RSpec names some examples only when they run; their description replaces
    /// `(anonymous)`.
    fn parts(self, path: &str) -> String {
        let path: Cow<str> = match path.strip_suffix("(anonymous)") {
            Some(groups) if !self.description.is_empty() => {
                format!("{groups}{}", self.description).into()
            }
            _ => path.into(),
        };
        path.replace("::", " › ")
    }
}

impl<E: ?Sized> RunData<E> {
    /// The names of one of its examples.
    pub fn test_names<'e>(&'e self, example: &'e ExampleData) -> TestNames<'e> {
        let scenario_id = example.scenario_id.as_deref();
        TestNames {
            canonical_path: example.canonical_path.as_deref(),
            full_description: example.full_description.as_deref(),
            description: &example.description,
            scenario_id,
            scenario_name: scenario_id.and_then(|id| {
                let scenario = self.scenarios.get(id)?;
                Some(scenario.name.as_deref().unwrap_or(id))
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_title_uses_the_most_specific_name() {
        let names = TestNames {
            canonical_path: None,
            full_description: None,
            description: "adds",
            scenario_id: None,
            scenario_name: None,
        };
        let at = |path| TestNames {
            canonical_path: Some(path),
            ..names
        };
        let driven = |name| TestNames {
            scenario_id: Some("s1"),
            scenario_name: name,
            ..at("Sum::adds@s1")
        };
        for (names, title) in [
            (names, "adds"),
            (
                TestNames {
                    full_description: Some("Sum adds"),
                    ..names
                },
                "Sum adds",
            ),
            (at("Sum::adds"), "Sum › adds"),
            (at("Sum::(anonymous)"), "Sum › adds"),
            (driven(Some("big")), "Sum › adds [big]"),
            (driven(None), "Sum › adds"),
            (driven(Some("adds")), "Sum › adds"),
        ] {
            assert_eq!(names.title(), title);
        }
    }
}
