//! What the code of a spec does.

mod time;

use ruby_prism::{CallNode, DefNode, Node, Visit};

use super::{About, Review};
use crate::ruby::TestLevel;
use crate::ruby::syntax::{
    argument, arguments, called, constant, line, literal_text, source, visit_children,
};

/// Looks at the whole file.
pub(super) fn check(spec: &str, about: &About<'_>, subjects: &[String], review: &mut Review) {
    if about.path.contains("spec/controllers/") {
        review.add("controller-spec", 1, "the file is a controller spec");
    }
    let parsed = ruby_prism::parse(spec.as_bytes());
    let mut look = Look {
        about,
        subjects,
        review,
        example: None,
        in_before: false,
        depth: 0,
    };
    look.visit(&parsed.node());
    time::check(spec, &parsed.node(), review);
}

struct Look<'a> {
    about: &'a About<'a>,
    subjects: &'a [String],
    review: &'a mut Review,
    example: Option<InExample>,
    in_before: bool,
    depth: usize,
}

/// What was counted in an example.
#[derive(Default)]
struct InExample {
    expectations: usize,
    changes: usize,
    is_aggregated: bool,
}

impl Look<'_> {
    fn call(&mut self, call: &CallNode<'_>) {
        let name = called(call);
        let at = line(&call.as_node());
        match name {
            "allow_any_instance_of" | "expect_any_instance_of" | "any_instance" => {
                self.review
                    .add("any-instance", at, format!("{name} is used"));
            }
            "should" | "should_not" if call.receiver().is_some() => {
                self.review
                    .add("should-syntax", at, format!(".{name} is used"));
            }
            "double" if call.receiver().is_none() => {
                self.review
                    .add("plain-double", at, "a plain double is used");
            }
            "instance_variable_get" => {
                self.review
                    .add("stub-own-method", at, "an instance variable is read");
            }
            "send" | "__send__" if call.receiver().is_some() && self.is_private_call(call) => {
                self.review.add(
                    "stub-own-method",
                    at,
                    "a method is called past its visibility",
                );
            }
            "receive" => self.received(call, at),
            "allow" | "expect" if self.is_about_subject(call) && name == "allow" => {
                self.review
                    .add("stub-own-method", at, "the object under test is stubbed");
            }
            "create" if self.is_needless_row(call) => {
                self.review
                    .add("create-in-unit", at, "a row is created in a unit test");
            }
            "private"
                if arguments(call)
                    .iter()
                    .any(|node| node.as_def_node().is_some()) =>
            {
                self.review
                    .add("logic-in-test", at, "a private helper is defined");
            }
            "loop" if call.block().is_some() => {
                self.review.add("logic-in-test", at, "a loop is used");
            }
            "each" | "times" if self.example.is_some() && call.block().is_some() => {
                self.review
                    .add("logic-in-test", at, "a loop is used in an example");
            }
            "describe" | "context" | "feature" => self.metadata(call, at),
            "to" | "not_to" | "to_not" => self.matcher(call, at),
            _ => {}
        }
        self.count(call, name);
    }

    fn count(&mut self, call: &CallNode<'_>, name: &str) {
        let Some(example) = &mut self.example else {
            return;
        };
        match name {
            "expect" | "is_expected" if call.receiver().is_none() => example.expectations += 1,
            "change" => example.changes += 1,
            "aggregate_failures" => example.is_aggregated = true,
            _ => {}
        }
    }

    fn received(&mut self, call: &CallNode<'_>, at: usize) {
        let method = argument(call)
            .as_ref()
            .and_then(literal_text)
            .unwrap_or_default();
        if matches!(
            method.as_str(),
            "save" | "save!" | "create" | "create!" | "update" | "update!"
        ) {
            self.review.add(
                "stub-own-method",
                at,
                format!("receive(:{method}) stubs what persistence does"),
            );
        }
    }

    fn is_private_call(&self, call: &CallNode<'_>) -> bool {
        argument(call).is_some_and(|name| name.as_symbol_node().is_some()) && self.depth > 0
    }

    fn is_about_subject(&self, call: &CallNode<'_>) -> bool {
        argument(call).is_some_and(|about| self.subjects.contains(&source(&about)))
    }

    fn is_needless_row(&self, call: &CallNode<'_>) -> bool {
        let is_factory = call.receiver().is_none()
            && argument(call).is_some_and(|name| name.as_symbol_node().is_some());
        is_factory
            && self.about.level == Some(TestLevel::Unit)
            && !self.about.path.contains("spec/models/")
    }

    fn metadata(&mut self, call: &CallNode<'_>, at: usize) {
        let is_controller = arguments(call)
            .iter()
            .filter_map(Node::as_keyword_hash_node)
            .any(|hash| {
                source(&hash.as_node())
                    .replace(' ', "")
                    .contains("type::controller")
            });
        if is_controller {
            self.review.add("controller-spec", at, "type: :controller");
        }
    }

    /// `expect(x).to eq(…)`.
    fn matcher(&mut self, call: &CallNode<'_>, at: usize) {
        let Some(matcher) = argument(call).and_then(|matcher| matcher.as_call_node()) else {
            return;
        };
        let Some(expected) = argument(&matcher).filter(|_| called(&matcher) == "eq") else {
            return;
        };
        let actual = call
            .receiver()
            .map(|actual| source(&actual))
            .unwrap_or_default();
        if actual.contains("response.body")
            && (expected.as_string_node().is_some() || source(&expected).contains(".to_json"))
        {
            self.review
                .add("json-string", at, "a body is compared as text");
        }
        if expected
            .as_array_node()
            .is_some_and(|array| array.elements().len() > 1)
        {
            self.review.add(
                "order-bound-array",
                at,
                "eq compares the order of a collection, too",
            );
        }
        if is_now(&expected) {
            self.review
                .add("time-precision", at, "a time is compared to the last digit");
        }
    }

    fn example_ends(&mut self, at: usize, before: Option<InExample>) {
        let Some(example) = std::mem::replace(&mut self.example, before) else {
            return;
        };
        if example.changes > 1 {
            self.review.add(
                "one-behaviour",
                at,
                format!("{} changes are expected", example.changes),
            );
        } else if example.expectations > 1 && !example.is_aggregated {
            self.review.add(
                "one-behaviour",
                at,
                format!("{} expectations", example.expectations),
            );
        }
    }

    /// A hook that assigns, or that makes records and acts, mixes phases.
    fn before(&mut self, call: &CallNode<'_>) {
        let mut phases = Phases::default();
        if let Some(block) = call.block() {
            phases.visit(&block);
        }
        let acts = phases.names.iter().any(|name| self.subjects.contains(name));
        let at = line(&call.as_node());
        if phases.assigns {
            self.review
                .add("phases", at, "instance variables are assigned in a hook");
        } else if phases.makes && acts {
            self.review.add(
                "phases",
                at,
                "records are made and the subject is run in one hook",
            );
        }
    }
}

fn is_now(node: &Node<'_>) -> bool {
    let text = source(node);
    text.starts_with("Time.now") || text.starts_with("Time.current")
}

#[derive(Default)]
struct Phases {
    assigns: bool,
    makes: bool,
    names: Vec<String>,
}

impl<'pr> Visit<'pr> for Phases {
    fn visit(&mut self, node: &Node<'pr>) {
        self.assigns |= node.as_instance_variable_write_node().is_some();
        if let Some(call) = node.as_call_node().filter(|call| call.receiver().is_none()) {
            self.makes |= is_factory(&call);
            self.names.push(called(&call).to_owned());
        }
        visit_children(self, node);
    }
}

fn is_factory(call: &CallNode<'_>) -> bool {
    matches!(called(call), "create" | "build" | "build_stubbed")
        && call.receiver().is_none()
        && argument(call).is_some_and(|name| name.as_symbol_node().is_some())
}

impl<'pr> Visit<'pr> for Look<'_> {
    fn visit(&mut self, node: &Node<'pr>) {
        if self.depth > 2_000 {
            return;
        }
        self.depth += 1;
        self.node(node);
        self.depth -= 1;
    }

    fn visit_def_node(&mut self, node: &DefNode<'pr>) {
        ruby_prism::visit_def_node(self, node);
    }
}

impl Look<'_> {
    fn node(&mut self, node: &Node<'_>) {
        let is_logic = node.as_if_node().is_some()
            || node.as_unless_node().is_some()
            || node.as_case_node().is_some()
            || node.as_while_node().is_some()
            || node.as_until_node().is_some()
            || node.as_for_node().is_some();
        if is_logic {
            self.review
                .add("logic-in-test", line(node), "a branch or a loop");
        }
        let is_sql = node.as_string_node().is_some_and(|_| {
            let text = source(node).to_uppercase();
            text.contains("SELECT ") && text.contains(" FROM ")
        });
        if is_sql {
            self.review
                .add("logic-in-test", line(node), "SQL in a spec");
        }
        let is_setup_in_example = self.example.is_some()
            && node
                .as_local_variable_write_node()
                .and_then(|write| write.value().as_call_node())
                .is_some_and(|call| is_factory(&call) || constant_new(&call));
        if is_setup_in_example {
            self.review
                .add("phases", line(node), "an example sets up its own data");
        }
        let Some(call) = node.as_call_node() else {
            return visit_children(self, node);
        };
        self.call(&call);
        let is_bare = call.receiver().is_none();
        match called(&call) {
            "it" | "specify" | "example" if is_bare && call.block().is_some() => {
                let before = self.example.replace(InExample {
                    is_aggregated: source(&call.as_node())
                        .lines()
                        .next()
                        .is_some_and(|first| first.contains("aggregate_failures")),
                    ..InExample::default()
                });
                visit_children(self, node);
                self.example_ends(line(node), before);
            }
            "before" if is_bare => {
                self.before(&call);
                self.in_before = true;
                visit_children(self, node);
                self.in_before = false;
            }
            _ => visit_children(self, node),
        }
    }
}

fn constant_new(call: &CallNode<'_>) -> bool {
    called(call) == "new" && call.receiver().as_ref().and_then(constant).is_some()
}
