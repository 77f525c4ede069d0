//! What a test is called, from the outermost group inwards.

use std::borrow::Cow;

use crate::model::{ExampleData, RunData};

/// What names a test.
#[derive(Debug, Clone, Copy)]
pub struct Named<'e> {
    /// The descriptions from the outermost group to the example, joined by `::`.
    pub canonical_path: Option<&'e str>,
    /// Where there is no path.
    pub full_description: Option<&'e str>,
    /// Its own name.
    pub description: &'e str,
    /// The id and the name of the scenario that drives it.
    pub scenario: Option<(&'e str, Option<&'e str>)>,
}

impl Named<'_> {
    /// `group › group › example`, with the scenario's name behind it for a scenario-driven one.
    pub fn title(self) -> String {
        let Some(path) = self.canonical_path else {
            return self.full_description.unwrap_or(self.description).to_owned();
        };
        let Some((id, name)) = self.scenario else {
            return self.parts(path);
        };
        let without_scenario = path
            .strip_suffix(id)
            .and_then(|path| path.strip_suffix('@'));
        let parts = self.parts(without_scenario.unwrap_or(path));
        format!("{parts} [{}]", name.unwrap_or(id))
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
    pub fn named<'e>(&'e self, example: &'e ExampleData) -> Named<'e> {
        let scenario = example.scenario_id.as_deref().and_then(|id| {
            let scenario = self.scenarios.get(id)?;
            Some((id, scenario.name.as_deref()))
        });
        Named {
            canonical_path: example.canonical_path.as_deref(),
            full_description: example.full_description.as_deref(),
            description: &example.description,
            scenario,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_telling_name_there_is() {
        let named = Named {
            canonical_path: None,
            full_description: None,
            description: "adds",
            scenario: None,
        };
        for (named, title) in [
            (named, "adds"),
            (
                Named {
                    full_description: Some("Sum adds"),
                    ..named
                },
                "Sum adds",
            ),
            (
                Named {
                    canonical_path: Some("Sum::adds"),
                    ..named
                },
                "Sum › adds",
            ),
            (
                Named {
                    canonical_path: Some("Sum::(anonymous)"),
                    ..named
                },
                "Sum › adds",
            ),
            (
                Named {
                    canonical_path: Some("Sum::adds@s1"),
                    scenario: Some(("s1", Some("big"))),
                    ..named
                },
                "Sum › adds [big]",
            ),
            (
                Named {
                    canonical_path: Some("Sum::adds@s1"),
                    scenario: Some(("s1", None)),
                    ..named
                },
                "Sum › adds [s1]",
            ),
        ] {
            assert_eq!(named.title(), title);
        }
    }
}
