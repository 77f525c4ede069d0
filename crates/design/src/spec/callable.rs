//! Whether a spec can call a method and create an instance for it.

use super::certainty::{StatePath, decided_outcome};
use super::inputs::Inputs;
use crate::characteristic::Characteristic;
use crate::ruby::{BranchOutcome, MethodType, TestLevel};

/// Fails if the method cannot be called without more knowledge about the program.
pub(super) fn callable(inputs: &Inputs<'_>) -> Result<(), String> {
    let analysis = inputs.analysis;
    if inputs.plan.test_level == Some(TestLevel::Request) {
        return Err("a request spec needs a route".to_owned());
    }
    if analysis.method.class == "Object" {
        return Err("the method belongs to no class".to_owned());
    }
    if let Some(reason) = &analysis.inaccessible {
        return Err(reason.clone());
    }
    let is_instance = analysis.method.method_type == MethodType::Instance;
    if is_instance && !analysis.has_new && !analysis.method.in_module {
        return Err(format!("`{}.new` is private", analysis.method.class));
    }
    Ok(())
}

/// Whether the code shows how to create an instance, or none is needed.
pub(super) fn can_be_created(inputs: &Inputs<'_>) -> bool {
    let analysis = inputs.analysis;
    analysis.method.method_type == MethodType::Class
        || analysis.method.in_module
        || analysis.has_plain_initializer
        || inputs.own_factory().is_some()
}

/// The outcome of a leaf if `new` creates an instance, although the code does not show that it does. Its states must depend
/// on the arguments of the method alone.
pub(super) fn attempt(inputs: &Inputs<'_>, path: &StatePath<'_>) -> Option<BranchOutcome> {
    let own = &inputs.analysis.parameters;
    let is_own = |(found, state): &(&Characteristic, &str)| {
        let input = inputs.of(found, state);
        input.is_some_and(|input| own.iter().any(|one| one.name == input.parameter))
    };
    let is_candidate = callable(inputs).is_ok() && !can_be_created(inputs);
    let is_attempted = is_candidate && path.iter().all(is_own);
    decided_outcome(inputs, path).ok().filter(|_| is_attempted)
}
