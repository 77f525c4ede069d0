//! `design optimize`: uses cheaper factory calls on unit level (rule W8).

use std::path::PathBuf;

use serde_json::Value;

use super::progress::Step;
use super::skeleton::write;
use super::spec_workspace::SpecWorkspace;
use super::{StepContext, StepError, Target};
use crate::optimize::{factory_calls, optimize as rewrite};
use crate::ruby::TestLevel;

/// The result of `design optimize`.
#[derive(Debug)]
pub struct Optimized {
    /// The spec.
    pub path: PathBuf,
    /// Warnings for the user.
    pub warnings: Vec<String>,
    /// The number of changed calls.
    pub changed: usize,
}

/// Makes the factory calls of a spec as cheap as its level allows. Restores the spec if it then fails.
pub fn optimize(target: &Target, context: &StepContext<'_>) -> Result<Optimized, StepError> {
    let workspace = SpecWorkspace::of(target, Step::Optimizer, context)?;
    let in_spec = |source| StepError::Ruby {
        file: workspace.spec.clone(),
        source,
    };
    if factory_calls(&workspace.text).map_err(in_spec)? == 0 {
        return skip(workspace);
    }
    let plans = &workspace.plans;
    let is_unit = plans
        .iter()
        .all(|plan| plan.test_level.is_none_or(|level| level == TestLevel::Unit));
    let factories = plans.first().map(|plan| plan.factories.as_slice());
    let factories = factories.unwrap_or_default();
    let mut optimized = rewrite(&workspace.text, factories, is_unit).map_err(in_spec)?;
    if optimized.changed > 0 && !keeps_passing(&optimized.text, &workspace, context)? {
        optimized.changed = 0;
        optimized
            .warnings
            .push("the spec fails with cheaper factory calls; all changes were undone".to_owned());
    }
    workspace.finish(Step::Optimizer, &optimized.warnings, |_| {})?;
    Ok(Optimized {
        path: workspace.spec,
        warnings: optimized.warnings,
        changed: optimized.changed,
    })
}

/// Records that there is nothing to do.
fn skip(workspace: SpecWorkspace) -> Result<Optimized, StepError> {
    workspace.finish(Step::Optimizer, &[], |document| {
        let skipped = Value::Bool(true);
        document.set_in("automation", "factory_optimizer_skipped", &skipped);
        let reason = Value::from("the spec calls no factory");
        document.set_in("automation", "factory_optimizer_skip_reason", &reason);
    })?;
    Ok(Optimized {
        path: workspace.spec,
        warnings: Vec::new(),
        changed: 0,
    })
}

/// Writes and runs the spec; restores it if it fails. Without RSpec, it is kept.
fn keeps_passing(
    text: &str,
    workspace: &SpecWorkspace,
    context: &StepContext<'_>,
) -> Result<bool, StepError> {
    write(&workspace.spec, text)?;
    let ran = context.rspec(&workspace.root, &workspace.spec);
    let passes = ran.is_none_or(|ran| ran.is_success);
    if !passes {
        write(&workspace.spec, &workspace.text)?;
    }
    Ok(passes)
}
