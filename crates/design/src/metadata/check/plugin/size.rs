//! Warnings for methods that are too large: rule L12.

use serde_json::Value;

use super::super::ValidationReport;
use super::leaf::depends_on_value;
use super::{list_of, member, text};

pub(super) fn check(
    method: &Value,
    characteristics: &[Value],
    path: &str,
    behaviors: &[Value],
    report: &mut ValidationReport,
) {
    if characteristics.len() >= 5 {
        report.warn(format!(
            "{path} has {} characteristics: consider splitting it",
            characteristics.len()
        ));
    }
    let leaves = leaves(characteristics);
    let count = leaves.len();
    let non_terminal = leaves.iter().filter(|leaf| !is_terminal(leaf)).count();
    let is_enabled = |effect: &&Value| {
        let id = text(effect, "behavior_id");
        let behavior = behaviors.iter().find(|one| text(one, "id") == id);
        behavior.is_none_or(|one| member(one, "enabled") != &Value::Bool(false))
    };
    let effects = list_of(method, "side_effects").iter().filter(is_enabled);
    let examples = count + non_terminal * effects.count();
    if count >= 25 || examples >= 50 {
        report.warn(format!(
            "{path} has {count} leaves and {examples} examples: consider splitting it"
        ));
    }
}

fn is_terminal(leaf: &Value) -> bool {
    member(leaf, "terminal") == &Value::Bool(true)
}

/// The values that end a state path. One that ends several paths occurs several times.
fn leaves(all: &[Value]) -> Vec<&Value> {
    fn below<'v>(one: &'v Value, all: &'v [Value], depth: usize, found: &mut Vec<&'v Value>) {
        for value in list_of(one, "values") {
            let mut children = all
                .iter()
                .filter(|child| depends_on_value(child, one, value));
            // The depth is limited because the dependencies may be cyclic. `characteristic` reports the cycle.
            if depth >= 16 || children.clone().next().is_none() {
                found.push(value);
            } else {
                children
                    .by_ref()
                    .for_each(|child| below(child, all, depth + 1, found));
            }
        }
    }
    let mut found = Vec::new();
    for root in all.iter().filter(|one| member(one, "depends_on").is_null()) {
        below(root, all, 0, &mut found);
    }
    found
}
