//! What a worker tells when it has loaded the specs.

use std::collections::BTreeMap;

use casebook_record::Metadata;
use casebook_record::event::ExampleStarted;
use serde_json::{Number, Value};

use super::ListedExample;

/// Which examples there are, in the order they are to be run.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) examples: Vec<Planned>,
    pub(super) seed: Option<Number>,
    pub(super) load_time: Option<f64>,
    /// So many failures end the run.
    pub(super) fail_fast: Option<u64>,
    pub(super) versions: Metadata,
}

/// One example.
#[derive(Debug, Clone)]
pub(super) struct Planned {
    /// As it would be told when it begins.
    pub(super) example: ExampleStarted,
    pub(super) file: String,
    /// Examples of one unit are run by one worker.
    pub(super) unit: Option<String>,
    pub(super) is_skipped: bool,
}

impl Plan {
    pub(super) fn read(told: &Value) -> Plan {
        let examples = told["examples"].as_array().map_or(&[][..], Vec::as_slice);
        let number = |field: &str| match &told[field] {
            Value::Number(number) => Some(number.clone()),
            _ => None,
        };
        Plan {
            examples: examples.iter().filter_map(Planned::read).collect(),
            seed: number("seed"),
            load_time: told["load_time"].as_f64(),
            fail_fast: told["fail_fast"].as_u64(),
            versions: Metadata::from_iter([("versions", told["versions"].clone())]),
        }
    }

    /// All there is, in order.
    pub(super) fn list(self) -> Vec<ListedExample> {
        let examples = self.examples.into_iter();
        examples
            .map(|planned| ListedExample {
                example: planned.example,
                is_skipped: planned.is_skipped,
            })
            .collect()
    }

    /// How many examples each file has.
    pub(super) fn by_file(&self) -> BTreeMap<String, usize> {
        let mut files = BTreeMap::new();
        for example in &self.examples {
            *files.entry(example.file.clone()).or_default() += 1;
        }
        files
    }
}

impl Planned {
    fn read(told: &Value) -> Option<Planned> {
        let text = |field: &str| told[field].as_str().map(str::to_owned);
        Some(Planned {
            example: serde_json::from_value(told["example"].clone()).ok()?,
            file: text("file").unwrap_or_default(),
            unit: text("unit"),
            is_skipped: told["skipped"] == true,
        })
    }
}
