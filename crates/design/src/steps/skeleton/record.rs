//! What the metadata is told about a skeleton.

use std::path::Path;

use serde_json::{Value, json};

use crate::metadata::document::Document;
use crate::metadata::read::Plan;
use crate::metadata::store::update;
use crate::ruby::TestLevel;
use crate::steps::{StepError, Target};

pub(super) fn record(
    target: &Target,
    plans: &[Plan],
    spec: &Path,
    root: &Path,
    level: Option<TestLevel>,
) -> Result<(), StepError> {
    let shown = spec
        .strip_prefix(root)
        .unwrap_or(spec)
        .to_string_lossy()
        .into_owned();
    update(&target.metadata, |document| {
        let mut document = document?;
        for question in plans.iter().filter_map(|plan| plan.undecided.as_ref()) {
            if let Some(level) = level {
                choose(&mut document, question.index, level);
            }
        }
        document.set_in("automation", "skeleton_generated", &Value::Bool(true));
        document.set_in("automation", "skeleton_file", &json!(shown));
        Ok(document)
    })?;
    Ok(())
}

/// Puts down which level somebody chose, and that somebody did.
fn choose(document: &mut Document, index: usize, level: TestLevel) {
    let Some(method) = document.value()["methods"].get(index) else {
        return;
    };
    let mut config = method["test_config"].clone();
    let mut trace = config["decision_trace"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    trace.push(json!(format!("{}: chosen", level.as_str())));
    config["level"] = json!(level.as_str());
    config["chosen"] = json!(true);
    config["decision_trace"] = Value::Array(trace);
    document.set_in_item("methods", index, "test_config", &config);
}
