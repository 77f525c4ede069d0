//! What the metadata is told about a skeleton.

use std::path::Path;

use serde_json::json;

use crate::metadata::read::Plan;
use crate::metadata::store::update;
use crate::metadata::test_config::with_level;
use crate::ruby::TestLevel;
use crate::steps::spec_workspace::{finished, methods_of};
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
            let configs = undecided.filter_map(|question| {
                let method = document.value()["methods"].get(question.index)?;
                Some((question.index, with_level(&method["test_config"], level)))
            });
            let configs: Vec<_> = configs.collect();
            document.set_in_items("methods", "test_config", &configs);
        }
        document.set_in("automation", "skeleton_file", &json!(shown));
        let named = methods_of(target, &document);
        finished(Step::Skeleton, &mut document, &named);
        Ok(document)
    })?;
    Ok(())
}
