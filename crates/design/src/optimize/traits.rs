//! Counts the uses of traits in factory calls, not in text (rule F4).

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::calls::{self, Argument};

/// The maximum number of example files.
const EXAMPLES: usize = 3;

/// Adds `trait_usage` to each factory. Specs that cannot be parsed are skipped.
pub(crate) fn count(factories: &mut Map<String, Value>, specs: &[(String, String)]) {
    let mut uses: BTreeMap<(String, String), Vec<&str>> = BTreeMap::new();
    for (file, text) in specs {
        let found = calls::find(text).unwrap_or_default();
        for call in found.calls {
            for argument in call.arguments {
                if let Argument::Trait(name) = argument {
                    let key = (call.factory.clone(), name);
                    uses.entry(key).or_default().push(file);
                }
            }
        }
    }
    for (factory, facts) in factories {
        let traits = facts["traits"].as_array().cloned().unwrap_or_default();
        let usage: Map<String, Value> = traits
            .iter()
            .filter_map(Value::as_str)
            .map(|name| {
                let key = (factory.clone(), name.to_owned());
                let files = uses.get(&key).map_or(&[][..], Vec::as_slice);
                (name.to_owned(), usage_value(files))
            })
            .collect();
        facts["trait_usage"] = Value::Object(usage);
    }
}

/// The usage of one trait. `uses` has one file per use, sorted.
fn usage_value(uses: &[&str]) -> Value {
    let mut files = uses.to_vec();
    files.dedup();
    json!({
        "count": uses.len(),
        "files": files.len(),
        "example_files": files.iter().take(EXAMPLES).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_counted_not_words() {
        let mut factories = Map::new();
        factories.insert(
            "user".to_owned(),
            json!({ "file": "u.rb", "traits": ["admin", "old"] }),
        );
        let specs = [
            (
                "a_spec.rb",
                "create(:user, :admin)\nbuild(:user, :admin, name: 'x')\nfoo(:old)",
            ),
            (
                "b_spec.rb",
                "build_stubbed(:user, :admin)\ncreate(:post, :old)",
            ),
            ("c_spec.rb", "{BROKEN"),
        ]
        .map(|(file, text)| (file.to_owned(), text.to_owned()));
        count(&mut factories, &specs);
        assert_eq!(
            factories["user"]["trait_usage"],
            json!({
                "admin": { "count": 3, "files": 2, "example_files": ["a_spec.rb", "b_spec.rb"] },
                "old": { "count": 0, "files": 0, "example_files": [] },
            })
        );
    }
}
