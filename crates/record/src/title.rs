//! What a test is called, from the outermost group inwards.

use std::borrow::Cow;

use crate::model::{ExampleData, RunData};

/// What names a test.
#[derive(Debug, Clone, Copy)]
pub struct TestNames<'e> {
    /// The descriptions from the outermost group to the example, joined by `::`.
    pub canonical_path: Option<&'e str>,
    /// Where there is no path.
    pub full_description: Option<&'e str>,
    /// Its own name.
    pub description: &'e str,
    /// The scenario that drives it.
    pub scenario_id: Option<&'e str>,
    /// What the scenario is called, where the run knows it.
    pub scenario_name: Option<&'e str>,
}

impl TestNames<'_> {
    /// `group › group › example`, with the scenario's name behind it where it has none of it.
    pub fn title(self) -> String {
        let Some(path) = self.canonical_path else {
            return self.full_description.unwrap_or(self.description).to_owned();
        };
        let without_scenario = self
            .scenario_id
            .and_then(|id| path.strip_suffix(id)?.strip_suffix('@'));
        let parts = self.parts(without_scenario.unwrap_or(path));
        // A test that is named after its scenario says so itself.
        let unsaid = |name: &&str| !parts.contains(*name);
        match self.scenario_name.filter(unsaid) {
            Some(name) => format!("{parts} [{name}]"),
            None => parts,
        }
    }

    /// An example without a name of its own is called by what it came to be called when it ran.
    fn parts(self, path: &str) -> String {
        let named: Cow<str> = match path.strip_suffix("(anonymous)") {
            Some(groups) if !self.description.is_empty() => {
                format!("{groups}{}", self.description).into()
            }
            _ => path.into(),
        };
        named.replace("::", " › ")
    }
}

impl RunData {
    /// What names one of its examples.
    pub fn named<'e>(&'e self, example: &'e ExampleData) -> TestNames<'e> {
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
    fn the_most_telling_name_there_is() {
        let named = TestNames {
            canonical_path: None,
            full_description: None,
            description: "adds",
            scenario_id: None,
            scenario_name: None,
        };
        let at = |path| TestNames {
            canonical_path: Some(path),
            ..named
        };
        let driven = |name| TestNames {
            scenario_id: Some("s1"),
            scenario_name: name,
            ..at("Sum::adds@s1")
        };
        for (named, title) in [
            (named, "adds"),
            (
                TestNames {
                    full_description: Some("Sum adds"),
                    ..named
                },
                "Sum adds",
            ),
            (at("Sum::adds"), "Sum › adds"),
            (at("Sum::(anonymous)"), "Sum › adds"),
            (driven(Some("big")), "Sum › adds [big]"),
            (driven(None), "Sum › adds"),
            (driven(Some("adds")), "Sum › adds"),
        ] {
            assert_eq!(named.title(), title);
        }
    }
}
