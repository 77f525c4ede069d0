//! What the metadata is told about a skeleton.

use std::path::Path;

use serde_json::{Value, json};

use crate::metadata::read::Plan;
use crate::metadata::store::update;
use crate::ruby::TestLevel;
use crate::steps::open::{finished, methods_of};
use crate::steps::{Step, StepError, Target};

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
        if let Some(level) = level {
            let undecided = plans.iter().filter_map(|plan| plan.undecided.as_ref());
            let chosen = undecided.filter_map(|question| {
                let method = document.value()["methods"].get(question.index)?;
                Some((question.index, chosen(&method["test_config"], level)))
            });
            let chosen: Vec<_> = chosen.collect();
            document.set_in_items("methods", "test_config", &chosen);
        }
        document.set_in("automation", "skeleton_file", &json!(shown));
        let named = methods_of(target, &document);
        finished(Step::Skeleton, &mut document, &named);
        Ok(document)
    })?;
    Ok(())
}

/// Which level somebody chose, and that somebody did.
fn chosen(config: &Value, level: TestLevel) -> Value {
    let mut config = config.clone();
    let mut trace = config["decision_trace"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    trace.push(json!(format!("{}: chosen", level.as_str())));
    config["level"] = json!(level.as_str());
    config["chosen"] = json!(true);
    config["decision_trace"] = Value::Array(trace);
    config
}
