//! Checks the Ruby code of a spec, call by call. Each submodule implements one group of checks.

mod array_order;
mod example;
mod logic;
mod matcher;
mod phases;
mod scope;
mod stub;
mod time;

use ruby_prism::{CallNode, Node, Visit};

use self::example::ExampleCounts;
use self::scope::Tags;
use super::roles::SpecRoles;
use super::{Review, ReviewContext};
use crate::outline::{is_example, is_group};
use crate::ruby::TestLevel;
use crate::ruby::syntax::{called, line, string_text, visit_children};

/// Checks the complete file.
pub(super) fn check(
    spec: &str,
    context: &ReviewContext<'_>,
    roles: &SpecRoles,
    review: &mut Review,
) {
    if context.path.contains("spec/controllers/") {
        review.add("controller-spec", 1, "the file is a controller spec");
    }
    let parsed = ruby_prism::parse(spec.as_bytes());
    let mut visitor = CodeVisitor {
        context,
        roles,
        review,
        tags: Vec::new(),
        example: None,
        classes: 0,
        depth: 0,
    };
    visitor.visit(&parsed.node());
    time::check(&parsed.node(), review);
}

struct CodeVisitor<'a> {
    context: &'a ReviewContext<'a>,
    roles: &'a SpecRoles,
    review: &'a mut Review,
    /// Tags of the enclosing groups and example, outermost first.
    tags: Vec<Tags>,
    example: Option<ExampleCounts>,
    /// Number of enclosing classes that the spec defines.
    classes: usize,
    depth: usize,
}

impl<'pr> Visit<'pr> for CodeVisitor<'_> {
    fn visit(&mut self, node: &Node<'pr>) {
        if self.depth > 2_000 {
            return;
        }
        self.depth += 1;
        self.node(node);
        self.depth -= 1;
    }
}

impl CodeVisitor<'_> {
    fn node(&mut self, node: &Node<'_>) {
        logic::check(node, self.review);
        if self.example.is_some() && phases::assigns_setup(node) {
            self.setup_in_example(node);
        }
        if let Some(string) = node.as_interpolated_string_node() {
            // The string parts were already checked as one text.
            let parts = string.parts();
            let computed = parts.iter().filter(|part| string_text(part).is_none());
            return computed.for_each(|part| self.visit(&part));
        }
        match node.as_call_node() {
            Some(call) => self.call(&call),
            None if logic::is_class(node) => self.in_class(node),
            None => visit_children(self, node),
        }
    }

    fn setup_in_example(&mut self, node: &Node<'_>) {
        self.review
            .add("phases", line(node), "an example sets up its own data");
    }

    fn call(&mut self, call: &CallNode<'_>) {
        stub::check(call, self.roles, self.review);
        let is_about_order = self.tags.iter().any(|tags| tags.is_about_order);
        matcher::check(call, is_about_order, self.review);
        self.check_row(call);
        if self.classes == 0 {
            logic::check_call(call, self.review);
        }
        if let Some(example) = &mut self.example {
            example.count(call);
        }
        if is_group(call) || is_example(call) {
            return self.scope(call);
        }
        if called(call) == "before" && call.receiver().is_none() {
            phases::hook(call, self.roles, self.review);
        }
        if logic::makes_class(call) {
            self.in_class(&call.as_node());
        } else {
            visit_children(self, &call.as_node());
        }
    }

    /// Visits a group or an example with its tags.
    fn scope(&mut self, call: &CallNode<'_>) {
        let node = call.as_node();
        let tags = Tags::of(call);
        if tags.kind.as_deref() == Some("controller") {
            self.review
                .add("controller-spec", line(&node), "type: :controller");
        }
        self.tags.push(tags);
        if is_group(call) {
            visit_children(self, &node);
        } else {
            self.in_example(call);
        }
        self.tags.pop();
    }

    fn in_example(&mut self, call: &CallNode<'_>) {
        let is_aggregated = self.tags.iter().any(|tags| tags.is_aggregated);
        let enclosing = self.example.replace(ExampleCounts::new(is_aggregated));
        for statement in phases::records_created_in(call) {
            self.setup_in_example(&statement);
        }
        visit_children(self, &call.as_node());
        let Some(example) = std::mem::replace(&mut self.example, enclosing) else {
            return;
        };
        example.report(call, self.review);
        if !self.is_kind(
            &["request", "system", "feature"],
            &["spec/requests/", "spec/system/", "spec/features/"],
        ) {
            example::check_length(call, self.review);
        }
    }

    fn in_class(&mut self, node: &Node<'_>) {
        self.classes += 1;
        visit_children(self, node);
        self.classes -= 1;
    }

    fn check_row(&mut self, call: &CallNode<'_>) {
        let is_unit = self.context.level == Some(TestLevel::Unit);
        if is_unit && phases::makes_row(call) && !self.is_kind(&["model"], &["spec/models/"]) {
            let at = line(&call.as_node());
            self.review
                .add("create-in-unit", at, "a row is created in a unit test");
        }
    }

    /// Whether the spec is of one of these kinds, by its tags or its path.
    fn is_kind(&self, kinds: &[&str], dirs: &[&str]) -> bool {
        let tagged = self.tags.iter().rev().find_map(|tags| tags.kind.as_deref());
        tagged.is_some_and(|kind| kinds.contains(&kind))
            || dirs.iter().any(|dir| self.context.path.contains(dir))
    }
}
