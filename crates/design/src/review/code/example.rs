//! Checks that an example tests one behavior, and its length.

use ruby_prism::{CallNode, Node};

use super::super::Review;
use crate::ruby::syntax::{argument, called, last_line, line, source};

/// Parts of names of helpers. Several such helpers usually examine the same response.
const RESPONSES: [&str; 5] = ["response", "json", "body", "page", "header"];

/// Counts of one example.
#[derive(Default)]
pub(super) struct ExampleCounts {
    expectations: usize,
    changes: usize,
    is_aggregated: bool,
    targets: Vec<String>,
}

impl ExampleCounts {
    pub(super) fn new(is_aggregated: bool) -> ExampleCounts {
        ExampleCounts {
            is_aggregated,
            ..ExampleCounts::default()
        }
    }

    pub(super) fn count(&mut self, call: &CallNode<'_>) {
        match called(call) {
            "expect" | "is_expected" if call.receiver().is_none() => {
                self.expectations += 1;
                let target = argument(call).and_then(|target| root(&target));
                if let Some(target) = target.filter(|name| !self.targets.contains(name)) {
                    self.targets.push(target);
                }
            }
            "change" if call.receiver().is_none() => self.changes += 1,
            "aggregate_failures" => self.is_aggregated = true,
            _ => {}
        }
    }

    pub(super) fn report(&self, call: &CallNode<'_>, review: &mut Review) {
        let issue = if self.changes > 1 {
            format!("{} changes are expected", self.changes)
        } else if self.expectations > 1 && !self.is_aggregated {
            format!("{} expectations", self.expectations)
        } else if self.targets.len() > 1 {
            format!("it is about {}", self.targets.join(" and "))
        } else {
            return;
        };
        review.add("one-behaviour", line(&call.as_node()), issue);
    }
}

/// The variable or helper that an expectation examines: `order` of `order.lines.first`.
fn root(node: &Node<'_>) -> Option<String> {
    let Some(call) = node.as_call_node() else {
        let is_variable = node.as_local_variable_read_node().is_some()
            || node.as_instance_variable_read_node().is_some();
        return is_variable.then(|| source(node));
    };
    if let Some(receiver) = call.receiver() {
        return root(&receiver);
    }
    let name = called(&call);
    let is_response = RESPONSES.iter().any(|part| name.contains(part));
    (!is_response).then(|| name.to_owned())
}

/// Reports an example with more than ten lines between its first and last line.
pub(super) fn check_length(call: &CallNode<'_>, review: &mut Review) {
    let node = call.as_node();
    let inside = (last_line(&node) - line(&node)).saturating_sub(1);
    if inside > 10 {
        review.add(
            "long-example",
            line(&node),
            format!("the example has {inside} lines"),
        );
    }
}
