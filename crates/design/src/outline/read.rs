//! Builds groups and examples from calls.

use ruby_prism::{CallNode, Node as Ruby, Visit};

use super::{Example, FocusMark, Group, Node, example_body, setup_block};
use crate::ruby::RubyError;
use crate::ruby::syntax::{
    argument, arguments, called, constant, last_line, line, literal_text, source, string_text,
    visit_children,
};

/// Deeper than any real spec; protects against stack overflow.
const MAX_DEPTH: usize = 4_000;

/// The groups of a file, and the shared examples outside of them.
pub(super) fn groups(program: &Ruby<'_>) -> Result<(Vec<Group>, Vec<Group>), RubyError> {
    let mut reader = OutlineReader::default();
    reader.visit(program);
    if reader.is_too_deep {
        Err(RubyError::TooDeep)
    } else {
        Ok((reader.top, reader.shared))
    }
}

#[derive(Default)]
struct OutlineReader {
    top: Vec<Group>,
    shared: Vec<Group>,
    open: Vec<Group>,
    depth: usize,
    is_too_deep: bool,
    /// Number of enclosing examples. Calls inside an example are not groups.
    in_example: usize,
}

/// `describe` and the like, with the kind they are reported as.
fn group_kind(name: &str) -> Option<(&'static str, FocusMark)> {
    Some(match name {
        "describe" | "feature" => ("describe", FocusMark::Plain),
        "context" => ("context", FocusMark::Plain),
        "fdescribe" | "ffeature" => ("describe", FocusMark::Focused),
        "fcontext" => ("context", FocusMark::Focused),
        "xdescribe" | "xfeature" => ("describe", FocusMark::Pending),
        "xcontext" => ("context", FocusMark::Pending),
        _ => return None,
    })
}

fn example_kind(name: &str) -> Option<(&'static str, FocusMark)> {
    Some(match name {
        "it" | "scenario" => ("it", FocusMark::Plain),
        "specify" => ("specify", FocusMark::Plain),
        "example" => ("example", FocusMark::Plain),
        "fit" => ("it", FocusMark::Focused),
        "fspecify" => ("specify", FocusMark::Focused),
        "fexample" => ("example", FocusMark::Focused),
        "xit" | "pending" | "skip" => ("it", FocusMark::Pending),
        "xspecify" => ("specify", FocusMark::Pending),
        "xexample" => ("example", FocusMark::Pending),
        _ => return None,
    })
}

fn is_shared(name: &str) -> bool {
    matches!(
        name,
        "shared_examples" | "shared_examples_for" | "shared_context"
    )
}

/// Whether a call may be the head of a group: `describe`, `RSpec.describe`.
fn is_head(call: &CallNode<'_>) -> bool {
    let receiver = call.receiver();
    let on_rspec = receiver.as_ref().and_then(constant) == Some("RSpec");
    (receiver.is_none() || on_rspec) && call.block().is_some()
}

/// Whether a call is a group.
pub(crate) fn is_group(call: &CallNode<'_>) -> bool {
    is_head(call) && group_kind(called(call)).is_some()
}

/// Whether a call is an example with a block.
pub(crate) fn is_example(call: &CallNode<'_>) -> bool {
    call.receiver().is_none() && call.block().is_some() && example_kind(called(call)).is_some()
}

/// The byte range of the content of a call's block.
fn body(call: &CallNode<'_>) -> Option<(usize, usize)> {
    let block = call.block()?.as_block_node()?;
    let parameters = block.parameters().map(|node| node.location().end());
    let start = parameters.unwrap_or(block.opening_loc().end());
    Some((start as usize, block.closing_loc().start() as usize))
}

impl OutlineReader {
    fn call(&mut self, call: &CallNode<'_>) {
        let name = called(call);
        let is_bare = call.receiver().is_none();
        if is_head(call) && self.in_example == 0 {
            if let Some((kind, mark)) = group_kind(name) {
                return self.group(call, kind, mark);
            }
            if is_shared(name) {
                return self.shared(call);
            }
        }
        if !is_bare || self.open.is_empty() || self.in_example > 0 {
            return self.children(call);
        }
        if let Some((kind, mark)) = example_kind(name) {
            return self.example(call, kind, mark);
        }
        self.setup(call, name);
    }

    fn children(&mut self, call: &CallNode<'_>) {
        visit_children(self, &call.as_node());
    }

    fn group(&mut self, call: &CallNode<'_>, kind: &'static str, mark: FocusMark) {
        let Some(group) = self.read(call, kind, mark) else {
            return;
        };
        match self.open.last_mut() {
            Some(parent) => parent.children.push(Node::Group(Box::new(group))),
            None => self.top.push(group),
        }
    }

    fn shared(&mut self, call: &CallNode<'_>) {
        let Some(group) = self.read(call, "shared", FocusMark::Plain) else {
            return;
        };
        match self.open.last_mut() {
            Some(parent) => {
                parent.shared_examples.push(first_name(call));
                parent.shared.push(group);
            }
            None => self.shared.push(group),
        }
    }

    /// Reads a group with everything in it.
    fn read(&mut self, call: &CallNode<'_>, kind: &'static str, mark: FocusMark) -> Option<Group> {
        let node = call.as_node();
        let location = node.location();
        self.open.push(Group {
            kind,
            description: description(call),
            text: argument(call).as_ref().and_then(string_text),
            line: line(&node),
            depth: self.open.len(),
            span: (location.start() as usize, location.end() as usize),
            body: body(call),
            mark,
            ..Group::default()
        });
        if let Some(block) = call.block() {
            self.visit(&block);
        }
        self.open.pop()
    }

    fn example(&mut self, call: &CallNode<'_>, kind: &'static str, mark: FocusMark) {
        let node = call.as_node();
        let location = node.location();
        let example = Example {
            kind,
            description: description(call),
            text: argument(call).as_ref().and_then(string_text),
            line: line(&node),
            last_line: last_line(&node),
            depth: self.open.len(),
            span: (location.start() as usize, location.end() as usize),
            mark,
            has_block: call.block().is_some(),
            is_empty: example_body::is_empty(call),
            expects: example_body::expects(call),
            is_pending: example_body::is_pending(call),
        };
        if let Some(group) = self.open.last_mut() {
            group.children.push(Node::Example(example));
        }
        self.in_example += 1;
        self.children(call);
        self.in_example -= 1;
    }

    fn setup(&mut self, call: &CallNode<'_>, name: &str) {
        let Some(group) = self.open.last_mut() else {
            return self.children(call);
        };
        group.setup_blocks.extend(setup_block::read(call));
        match name {
            "subject" | "subject!" => {
                let name = argument(call).as_ref().and_then(literal_text);
                let name = name.unwrap_or_else(|| "subject".to_owned());
                group.setup.subject.push(name);
            }
            "let" => group.setup.lets.push(first_name(call)),
            "let!" => group.setup.eager_lets.push(first_name(call)),
            "before" | "append_before" | "prepend_before" => {
                group.setup.before.push("hook".to_owned());
            }
            "after" | "append_after" | "prepend_after" => group.setup.after.push("hook".to_owned()),
            "it_behaves_like"
            | "include_examples"
            | "it_should_behave_like"
            | "include_context" => {
                let is_setup = name == "include_context" || call.block().is_some();
                group.setups_included += usize::from(is_setup);
                group.includes.push(first_name(call));
            }
            // Code inside a hook or a `let` is not searched; any other call may contain groups.
            _ => self.children(call),
        }
    }
}

/// The first argument as a name.
fn first_name(call: &CallNode<'_>) -> String {
    let name = argument(call).as_ref().and_then(literal_text);
    name.unwrap_or_else(|| "unknown".to_owned())
}

/// The description of a group or example.
fn description(call: &CallNode<'_>) -> String {
    let Some(first) = arguments(call).into_iter().next() else {
        return "unknown".to_owned();
    };
    if first.as_keyword_hash_node().is_some() {
        return "unknown".to_owned();
    }
    match literal_text(&first) {
        Some(text) if first.as_string_node().is_some() => text,
        _ => source(&first),
    }
}

impl<'pr> Visit<'pr> for OutlineReader {
    fn visit(&mut self, node: &Ruby<'pr>) {
        if self.depth > MAX_DEPTH {
            self.is_too_deep = true;
            return;
        }
        self.depth += 1;
        match node.as_call_node() {
            Some(call) => self.call(&call),
            None => visit_children(self, node),
        }
        self.depth -= 1;
    }
}
