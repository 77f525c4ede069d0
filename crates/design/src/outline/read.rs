//! From calls to groups and examples.

use ruby_prism::{CallNode, Node as Ruby, Visit};

use super::{Example, Group, Mark, Node, Piece};
use crate::ruby::RubyError;
use crate::ruby::syntax::{
    argument, arguments, called, constant, last_line, line, literal_text, source, visit_children,
};

/// Deeper than any spec; a trap for recursion otherwise.
const MAX_DEPTH: usize = 4_000;

/// The groups of a file.
pub(super) fn groups(program: &Ruby<'_>) -> Result<Vec<Group>, RubyError> {
    let mut reader = Reader::default();
    reader.visit(program);
    if reader.is_too_deep {
        Err(RubyError::TooDeep)
    } else {
        Ok(reader.top)
    }
}

#[derive(Default)]
struct Reader {
    top: Vec<Group>,
    open: Vec<Group>,
    depth: usize,
    is_too_deep: bool,
    /// Inside of an example, nothing is a group.
    in_example: usize,
}

/// `describe` and its kin, with the kind they count as.
fn group_kind(name: &str) -> Option<(&'static str, Mark)> {
    Some(match name {
        "describe" | "feature" => ("describe", Mark::Plain),
        "context" => ("context", Mark::Plain),
        "fdescribe" | "ffeature" => ("describe", Mark::Focused),
        "fcontext" => ("context", Mark::Focused),
        "xdescribe" | "xfeature" => ("describe", Mark::Pending),
        "xcontext" => ("context", Mark::Pending),
        _ => return None,
    })
}

fn example_kind(name: &str) -> Option<(&'static str, Mark)> {
    Some(match name {
        "it" | "scenario" => ("it", Mark::Plain),
        "specify" => ("specify", Mark::Plain),
        "example" => ("example", Mark::Plain),
        "fit" => ("it", Mark::Focused),
        "fspecify" => ("specify", Mark::Focused),
        "fexample" => ("example", Mark::Focused),
        "xit" | "pending" | "skip" => ("it", Mark::Pending),
        "xspecify" => ("specify", Mark::Pending),
        "xexample" => ("example", Mark::Pending),
        _ => return None,
    })
}

/// Where the block of a call has its content.
fn body(call: &CallNode<'_>) -> Option<(usize, usize)> {
    let block = call.block()?.as_block_node()?;
    let parameters = block.parameters().map(|node| node.location().end());
    let start = parameters.unwrap_or(block.opening_loc().end());
    Some((start as usize, block.closing_loc().start() as usize))
}

impl Reader {
    fn call(&mut self, call: &CallNode<'_>) {
        let name = called(call);
        let on_rspec = call.receiver().as_ref().and_then(constant) == Some("RSpec");
        let is_bare = call.receiver().is_none();
        if let Some((kind, mark)) = group_kind(name)
            && (is_bare || on_rspec)
            && call.block().is_some()
            && self.in_example == 0
        {
            return self.group(call, kind, mark);
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

    fn group(&mut self, call: &CallNode<'_>, kind: &'static str, mark: Mark) {
        let node = call.as_node();
        let location = node.location();
        self.open.push(Group {
            kind,
            description: description(call),
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
        let Some(group) = self.open.pop() else { return };
        match self.open.last_mut() {
            Some(parent) => parent.children.push(Node::Group(Box::new(group))),
            None => self.top.push(group),
        }
    }

    fn example(&mut self, call: &CallNode<'_>, kind: &'static str, mark: Mark) {
        let node = call.as_node();
        let location = node.location();
        let example = Example {
            kind,
            description: description(call),
            line: line(&node),
            last_line: last_line(&node),
            depth: self.open.len(),
            span: (location.start() as usize, location.end() as usize),
            mark,
            has_block: call.block().is_some(),
        };
        if let Some(group) = self.open.last_mut() {
            group.children.push(Node::Example(example));
        }
        self.in_example += 1;
        self.children(call);
        self.in_example -= 1;
    }

    fn setup(&mut self, call: &CallNode<'_>, name: &str) {
        let first = argument(call).as_ref().and_then(literal_text);
        let Some(group) = self.open.last_mut() else {
            return self.children(call);
        };
        if matches!(
            name,
            "let" | "let!" | "subject" | "subject!" | "before" | "after"
        ) {
            group.pieces.push(Piece {
                kind: name.to_owned(),
                name: first.clone(),
                code: call.block().map(|block| source(&block)).unwrap_or_default(),
                line: line(&call.as_node()),
            });
        }
        let named = || first.clone().unwrap_or_else(|| "unknown".to_owned());
        match name {
            "subject" | "subject!" => {
                let name = first.unwrap_or_else(|| "subject".to_owned());
                group.setup.subject.push(name);
            }
            "let" => group.setup.lets.push(named()),
            "let!" => group.setup.eager_lets.push(named()),
            "before" | "prepend_before" => group.setup.before.push("hook".to_owned()),
            "after" | "append_after" => group.setup.after.push("hook".to_owned()),
            "shared_examples" | "shared_examples_for" | "shared_context" => {
                group.shared_examples.push(named());
            }
            "it_behaves_like"
            | "include_examples"
            | "it_should_behave_like"
            | "include_context" => {
                group.includes.push(named());
            }
            // What is inside of a hook or a let is its own affair; anything else may hold groups.
            _ => self.children(call),
        }
    }
}

/// What a group or example is called.
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

impl<'pr> Visit<'pr> for Reader {
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
