//! `design optimize`: cheap factories at unit level (rule W8).

use std::path::PathBuf;

use serde_json::Value;

use super::progress::Step;
use super::skeleton::write;
use super::spec_workspace::SpecWorkspace;
use super::{StepContext, StepError, Target};
use crate::optimize::{factory_calls, optimize as rewrite};
use crate::ruby::TestLevel;

/// What came of it.
#[derive(Debug)]
pub struct Optimized {
    /// The spec.
    pub path: PathBuf,
    /// What is worth knowing.
    pub warnings: Vec<String>,
    /// How many calls were changed.
    pub changed: usize,
}

/// Makes the factory calls of a spec as cheap as its level allows; undoes it where the spec then fails.
pub fn optimize(target: &Target, world: &StepContext<'_>) -> Result<Optimized, StepError> {
    let opened = SpecWorkspace::of(target, Step::Optimizer, world)?;
    let in_spec = |source| StepError::Ruby {
        file: opened.spec.clone(),
        source,
    };
    if factory_calls(&opened.text).map_err(in_spec)? == 0 {
        opened.finish(Step::Optimizer, &[], |document| {
            document.set_in(
                "automation",
                "factory_optimizer_skipped",
                &Value::Bool(true),
            );
            let reason = Value::from("the spec calls no factory");
            document.set_in("automation", "factory_optimizer_skip_reason", &reason);
        })?;
        return Ok(Optimized {
            path: opened.spec,
            warnings: Vec::new(),
            changed: 0,
        });
    }
    let is_unit = opened
        .plans
        .iter()
        .all(|plan| plan.test_level.is_none_or(|level| level == TestLevel::Unit));
    let factories = opened.plans.first().map(|plan| plan.factories.as_slice());
    let factories = factories.unwrap_or_default();
    let mut made = rewrite(&opened.text, factories, is_unit).map_err(in_spec)?;
    if made.changed > 0 {
        write(&opened.spec, &made.text)?;
        let failed = world
            .rspec(&opened.root, &opened.spec)
            .is_some_and(|ran| !ran.is_success);
        if failed {
            write(&opened.spec, &opened.text)?;
            made.changed = 0;
            made.warnings
                .push("the spec fails with cheaper factories: everything was put back".to_owned());
        }
    }
    opened.finish(Step::Optimizer, &made.warnings, |_| {})?;
    Ok(Optimized {
        path: opened.spec,
        warnings: made.warnings,
        changed: made.changed,
    })
}
