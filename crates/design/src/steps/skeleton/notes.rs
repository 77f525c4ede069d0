//! Warnings about a skeleton: rule S10.

use crate::metadata::read::Plan;
use crate::skeleton::{contexts, depth};

/// The warnings about all plans. With several methods, each warning names its method.
pub(super) fn all(plans: &[Plan]) -> Vec<String> {
    let named = |plan: &Plan, warning: String| match plans.len() {
        1 => warning,
        _ => format!("{}: {warning}", plan.id()),
    };
    let of_plan = |plan| {
        of(plan)
            .into_iter()
            .map(move |warning| named(plan, warning))
    };
    plans.iter().flat_map(of_plan).collect()
}

fn of(plan: &Plan) -> Vec<String> {
    let contexts = contexts(plan);
    let mut warnings = Vec::new();
    if contexts.is_empty() {
        warnings.push("no characteristics found; the skeleton has one example".to_owned());
    }
    let levels = depth(&contexts);
    if levels >= 4 {
        warnings.push(format!(
            "contexts are nested {levels} levels deep; consider splitting the method"
        ));
    }
    for entry in plan
        .entries
        .iter()
        .filter(|entry| entry.kind.is_none() && !entry.is_composite && entry.depends_on.is_some())
    {
        warnings.push(format!(
            "the type of `{}` is unknown; replace {{CONTEXT_WORD}} manually",
            entry.name
        ));
    }
    warnings
}
