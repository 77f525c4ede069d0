//! [`FactoryUsage`]: the factory calls of a spec.

use std::collections::BTreeSet;

use ruby_prism::{AssocNode, CallNode, Node, Visit};

use super::usage;
use crate::ruby::RubyError;
use crate::ruby::syntax::{arguments, called, constant, line, literal_text, visit_children};

/// `create(:user, :admin, name: 'x')`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FactoryCall {
    pub(super) verb: String,
    pub(super) verb_span: (usize, usize),
    pub(super) factory: String,
    pub(super) arguments: Vec<Argument>,
    /// The name of the `let` that consists only of this call.
    pub(super) bound_to: Option<String>,
    pub(super) has_block: bool,
    pub(super) line: usize,
}

impl FactoryCall {
    pub(super) fn is_first_attribute(&self, span: (usize, usize)) -> bool {
        self.arguments
            .iter()
            .find_map(|argument| match argument {
                Argument::Attribute { span, .. } => Some(*span),
                Argument::Trait(_) | Argument::Unknown => None,
            })
            .is_some_and(|first| first == span)
    }
}

/// An argument of a factory call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Argument {
    Trait(String),
    Attribute {
        name: String,
        /// `true`, `false`, or the text of a symbol or string.
        value: Option<String>,
        /// Whether the value may be another record.
        is_record: bool,
        span: (usize, usize),
    },
    /// A splat or a variable, whose content is unknown.
    Unknown,
}

/// The factory calls of a spec, and the names whose records must be saved.
#[derive(Debug, Default)]
pub(super) struct FactoryUsage {
    pub(super) calls: Vec<FactoryCall>,
    pub(super) persisted_names: BTreeSet<String>,
    binding: Option<String>,
}

/// Parses a spec and finds its factory calls.
pub(super) fn find(spec: &str) -> Result<FactoryUsage, RubyError> {
    let parsed = ruby_prism::parse(spec.as_bytes());
    if let Some(error) = crate::ruby::syntax_error(&parsed) {
        return Err(error);
    }
    let mut found = FactoryUsage::default();
    found.visit(&parsed.node());
    found.persisted_names = usage::persisted_names(&parsed.node());
    Ok(found)
}

impl<'pr> Visit<'pr> for FactoryUsage {
    fn visit(&mut self, node: &Node<'pr>) {
        let Some(call) = node.as_call_node() else {
            return visit_children(self, node);
        };
        let bound = let_with_one_call(&call);
        let before = self.binding.take();
        if let Some(factory) = FactoryUsage::factory_call(&call, before) {
            self.calls.push(factory);
        }
        self.binding = bound;
        visit_children(self, node);
        self.binding = None;
    }
}

impl FactoryUsage {
    fn factory_call(call: &CallNode<'_>, bound_to: Option<String>) -> Option<FactoryCall> {
        let verb = called(call);
        let receiver = call.receiver();
        let is_ours =
            receiver.is_none() || receiver.as_ref().and_then(constant) == Some("FactoryBot");
        if !is_ours || !matches!(verb, "create" | "build" | "build_stubbed") {
            return None;
        }
        let given = arguments(call);
        let factory = literal_text(
            given
                .first()
                .filter(|first| first.as_symbol_node().is_some())?,
        )?;
        let location = call.message_loc()?;
        Some(FactoryCall {
            verb: verb.to_owned(),
            verb_span: (location.start() as usize, location.end() as usize),
            factory,
            arguments: given[1..].iter().flat_map(argument).collect(),
            bound_to,
            has_block: call.block().is_some(),
            line: line(&call.as_node()),
        })
    }
}

/// `let(:user) { create(:user) }` binds `user`.
fn let_with_one_call(call: &CallNode<'_>) -> Option<String> {
    if !matches!(called(call), "let" | "let!") {
        return None;
    }
    let body = call
        .block()?
        .as_block_node()?
        .body()?
        .as_statements_node()?;
    let only = body.body().first().filter(|_| body.body().len() == 1)?;
    only.as_call_node()?;
    literal_text(arguments(call).first()?)
}

fn argument(node: &Node<'_>) -> Vec<Argument> {
    if let Some(name) = node.as_symbol_node().and_then(|_| literal_text(node)) {
        return vec![Argument::Trait(name)];
    }
    let Some(hash) = node.as_keyword_hash_node() else {
        return vec![Argument::Unknown];
    };
    let entries = hash.elements().iter().map(|element| {
        let entry = element.as_assoc_node();
        entry
            .and_then(|entry| attribute(&entry))
            .unwrap_or(Argument::Unknown)
    });
    entries.collect()
}

fn attribute(entry: &AssocNode<'_>) -> Option<Argument> {
    let value = entry.value();
    let location = entry.location();
    let literal = if value.as_true_node().is_some() {
        Some("true".to_owned())
    } else if value.as_false_node().is_some() {
        Some("false".to_owned())
    } else {
        literal_text(&value)
    };
    Some(Argument::Attribute {
        name: literal_text(&entry.key())?,
        is_record: value.as_call_node().is_some()
            || value.as_local_variable_read_node().is_some()
            || value.as_instance_variable_read_node().is_some()
            || value.as_implicit_node().is_some(),
        value: literal,
        span: (location.start() as usize, location.end() as usize),
    })
}
