//! Decodes `budget`.

use casebook_source::yaml::Node;

use crate::codes::{MISSING_FIELD, WRONG_VALUE};
use crate::fields::conversation::{BUDGET, MAX_BUDGET};
use crate::model::conversation::Budget;
use crate::reader::Reader;

/// Decodes the budget of a suite.
pub(in crate::check) fn budget(node: &Node, reader: &mut Reader<'_, '_>) -> Budget {
    let mut budget = Budget::default();
    let entries = reader.object("`budget`", "budget", node, BUDGET);
    let is_empty = node.as_map().is_some_and(<[_]>::is_empty);
    for entry in entries {
        let node = &entry.value;
        let mut count = |name| reader.count(name, node, MAX_BUDGET).map(u64::from);
        match &*entry.key {
            "cost" => budget.cost = cost(node, reader),
            "tokens" => budget.tokens = count("tokens"),
            "calls" => budget.calls = count("calls"),
            _ => {}
        }
    }
    if is_empty {
        let message = "`budget` limits nothing";
        reader
            .note(MISSING_FIELD, node.span, message)
            .help_last("add `cost`, `tokens` or `calls`");
    }
    budget
}

fn cost(node: &Node, reader: &mut Reader<'_, '_>) -> Option<f64> {
    let cost = reader.finite_number("cost", node)?;
    if cost > 0.0 {
        return Some(cost);
    }
    let message = format!("`cost` must be more than 0, got {cost}");
    reader.note(WRONG_VALUE, node.span, message);
    None
}
