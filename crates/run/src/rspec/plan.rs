//! [`Plan`]: the examples, as a worker sends them after loading the specs.

use std::collections::{BTreeMap, HashSet};

use casebook_record::Metadata;
use casebook_record::event::{ExampleStarted, PlannedExample};
use serde_json::{Number, Value, json};

use super::ListedExample;

/// All examples, in the order to run them.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) examples: Vec<Planned>,
    pub(super) seed: Option<Number>,
    pub(super) load_time: Option<f64>,
    /// The number of failures that stops the run.
    pub(super) fail_fast: Option<u64>,
    pub(super) versions: Metadata,
}

/// One planned example.
#[derive(Debug, Clone)]
pub(super) struct Planned {
    /// Its start event.
    pub(super) example: ExampleStarted,
    pub(super) file: String,
    /// Examples of one unit are run by one worker.
    pub(super) unit: Option<String>,
    pub(super) is_skipped: bool,
}

impl Plan {
    pub(super) fn read(request: &Value) -> Plan {
        let examples = request["examples"]
            .as_array()
            .map_or(&[][..], Vec::as_slice);
        let number = |field: &str| match &request[field] {
            Value::Number(number) => Some(number.clone()),
            _ => None,
        };
        Plan {
            examples: examples.iter().filter_map(Planned::read).collect(),
            seed: number("seed"),
            load_time: request["load_time"].as_f64(),
            fail_fast: request["fail_fast"].as_u64(),
            versions: Metadata::from_iter([("versions", request["versions"].clone())]),
        }
    }

    /// Removes the examples with these stable ids.
    pub(super) fn remove(&mut self, finished: &HashSet<String>) {
        self.examples.retain(|planned| {
            let id = planned.example.stable_id.as_ref();
            !id.is_some_and(|id| finished.contains(id))
        });
    }

    /// All examples, in order.
    pub(super) fn list(self) -> Vec<ListedExample> {
        let examples = self.examples.into_iter();
        examples
            .map(|planned| ListedExample {
                example: planned.example,
                file: planned.file,
                unit: planned.unit,
                is_skipped: planned.is_skipped,
            })
            .collect()
    }

    /// All examples, for the start event.
    pub(super) fn planned_examples(&self) -> Value {
        let examples = self.examples.iter().map(|planned| &planned.example);
        examples
            .map(|example| {
                json!(PlannedExample {
                    id: &example.example_id,
                    stable_id: example.stable_id.as_deref(),
                    canonical_path: example.canonical_path.as_deref(),
                    description: &example.description,
                    location: &example.location,
                })
            })
            .collect()
    }

    /// The number of examples per file.
    pub(super) fn by_file(&self) -> BTreeMap<String, usize> {
        let mut files = BTreeMap::new();
        for example in &self.examples {
            *files.entry(example.file.clone()).or_default() += 1;
        }
        files
    }
}

impl Planned {
    fn read(example: &Value) -> Option<Planned> {
        let text = |field: &str| example[field].as_str().map(str::to_owned);
        Some(Planned {
            example: serde_json::from_value(example["example"].clone()).ok()?,
            file: text("file").unwrap_or_default(),
            unit: text("unit"),
            is_skipped: example["skipped"] == true,
        })
    }
}
