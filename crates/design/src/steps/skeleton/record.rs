//! Records a written skeleton in the metadata.

use std::path::Path;

use serde_json::{Value, json};

use crate::metadata::document::Document;
use crate::metadata::read::Plan;
use crate::metadata::test_config::{is_undecided, with_level};
use crate::ruby::TestLevel;
use crate::steps::method_document::update_method;
use crate::steps::spec_workspace::{methods_of, record_step};
use crate::steps::{Step, StepError, Target};

/// Records the level that the user chose for the methods that have none.
pub(super) fn record_levels(
    target: &Target,
    plans: &[Plan],
    level: Option<TestLevel>,
) -> Result<(), StepError> {
    let Some(level) = level else {
        return Ok(());
    };
    update_method(target, |document| {
        let levels = plans.iter().filter_map(|plan| plan.undecided.as_ref());
        let configs = levels.filter_map(|undecided| {
            let method = document.value()["methods"].get(undecided.index)?;
            Some((undecided.index, with_level(&method["test_config"], level)))
        });
        let configs: Vec<_> = configs.collect();
        document.set_in_items("methods", "test_config", &configs);
        if !configs.is_empty() && are_decided(document) {
            document.set_in("automation", "isolation_decider_completed", &json!(true));
        }
        Ok(())
    })
}

/// Whether every method has a level that was chosen, or needs no choice.
fn are_decided(document: &Document) -> bool {
    let methods = document.value().get("methods").and_then(Value::as_array);
    let mut methods = methods.into_iter().flatten();
    methods.all(|method| !is_undecided(&method["test_config"]))
}

/// Records the spec, and the step as done.
pub(super) fn record_spec(target: &Target, spec: &Path, root: &Path) -> Result<(), StepError> {
    let shown = spec
        .strip_prefix(root)
        .unwrap_or(spec)
        .to_string_lossy()
        .into_owned();
    update_method(target, |document| {
        document.set_in("automation", "skeleton_file", &json!(shown));
        let named = methods_of(target, document);
        record_step(Step::Skeleton, document, &named);
        Ok(())
    })
}
