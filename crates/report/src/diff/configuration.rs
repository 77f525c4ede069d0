//! Settings that differ between two runs.

use std::collections::BTreeMap;

use casebook_record::{NOT_RUN, RunData};
use serde::Serialize;
use serde_json::Value;

/// One setting with different values.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Setting {
    /// The path of its key, such as `configuration.engine`.
    pub path: String,
    /// The value in the earlier run.
    pub base: Option<Value>,
    /// The value in the later run.
    pub new: Option<Value>,
}

/// Recorded values that are results and not settings.
const NOT_SETTINGS: [&str; 3] = ["example_count", "load_time", NOT_RUN];
/// The tests that `run --failed` selected, which are the tests of the run.
const TESTS: &str = "configuration.tests";

/// Compares the settings leaf by leaf, sorted by path.
pub(super) fn compare(base: &RunData, new: &RunData) -> Vec<Setting> {
    let (mut base, mut new) = (leaves_of(base), leaves_of(new));
    let mut paths: Vec<String> = base.keys().chain(new.keys()).cloned().collect();
    paths.sort();
    paths.dedup();
    paths
        .into_iter()
        .map(|path| Setting {
            base: base.remove(&path),
            new: new.remove(&path),
            path,
        })
        .filter(|setting| setting.base != setting.new)
        .collect()
}

fn leaves_of(run: &RunData) -> BTreeMap<String, Value> {
    let mut leaves = BTreeMap::new();
    let own = [
        ("git_commit", run.git_commit.clone().map(Value::from)),
        ("seed", run.seed.clone().map(Value::from)),
        ("schema_version", run.schema_version.clone()),
    ];
    for (name, value) in own {
        leaves.extend(value.map(|value| (name.to_owned(), value)));
    }
    for (key, value) in run
        .metadata
        .iter()
        .filter(|(key, _)| !NOT_SETTINGS.contains(&key.as_str()))
    {
        collect(key.clone(), value, &mut leaves);
    }
    leaves.remove(TESTS);
    leaves
}

/// Collects the leaves below `value`. A list of scalars is one leaf; lists of maps are descended into.
fn collect(path: String, value: &Value, leaves: &mut BTreeMap<String, Value>) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (key, value) in map {
                collect(format!("{path}.{key}"), value, leaves);
            }
        }
        Value::Array(list) if list.iter().any(Value::is_object) => {
            for (index, value) in list.iter().enumerate() {
                collect(format!("{path}.{index}"), value, leaves);
            }
        }
        Value::Null => {}
        leaf => {
            leaves.insert(path, leaf.clone());
        }
    }
}

impl Setting {
    /// The earlier and the later value as text.
    pub fn texts(&self) -> [String; 2] {
        [&self.base, &self.new].map(|value| match value {
            None => "–".into(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn settings_are_compared_leaf_by_leaf() {
        let run = |seed: Option<u64>, metadata: Value| -> RunData {
            serde_json::from_value(json!({
                "run_id": "r", "started_at": "2026-11-15T08:40:51Z", "finished_at": null, "seed": seed,
                "git_commit": null, "metadata": metadata,
            }))
            .expect("a run")
        };
        let base = run(
            Some(7),
            json!({"example_count": 3, "configuration": {"jobs": 2, "engine": "native", "paths": ["a"], "tests": ["example:1"]}, "gone": {}}),
        );
        let new = run(
            None,
            json!({"example_count": 4, "configuration": {"jobs": 4, "engine": "native", "paths": ["a", "b"]},
                "models": [{"name": "small"}], "nothing": null}),
        );
        let texts: Vec<_> = compare(&base, &new)
            .iter()
            .map(|setting| format!("{}: {}", setting.path, setting.texts().join(" → ")))
            .collect();
        assert_eq!(
            texts,
            [
                "configuration.jobs: 2 → 4",
                r#"configuration.paths: ["a"] → ["a","b"]"#,
                "gone: {} → –",
                "models.0.name: – → small",
                "seed: 7 → –",
            ]
        );
    }
}
