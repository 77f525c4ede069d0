//! Small helpers for nodes of the syntax tree.

use ruby_prism::{CallNode, ConstantId, Node, StatementsNode};

use crate::decision::ConditionSpan;

/// The expression without parentheses around it.
pub(crate) fn bare(node: Node<'_>) -> Node<'_> {
    let inner = node
        .as_parentheses_node()
        .and_then(|parentheses| parentheses.body())
        .and_then(|body| body.as_statements_node())
        .filter(|statements| statements.body().len() == 1)
        .and_then(|statements| statements.body().first());
    match inner {
        Some(inner) => bare(inner),
        None => node,
    }
}

/// The bytes of a condition; `negated` when it is true in the second state.
pub(crate) fn span(node: &Node<'_>, negated: bool) -> ConditionSpan {
    let (start, end) = bytes(node);
    ConditionSpan {
        start,
        end,
        negated,
        arm: 0,
    }
}

/// The offsets of the first byte and after the last byte.
pub(crate) fn bytes(node: &Node<'_>) -> (usize, usize) {
    let location = node.location();
    (location.start() as usize, location.end() as usize)
}

/// A name as text; empty if it is not UTF-8.
pub(crate) fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default()
}

/// The name of the called method.
pub(crate) fn called<'pr>(call: &CallNode<'pr>) -> &'pr str {
    text(call.name().as_slice())
}

/// The arguments, without a block.
pub(crate) fn arguments<'pr>(call: &CallNode<'pr>) -> Vec<Node<'pr>> {
    call.arguments()
        .map(|arguments| arguments.arguments().iter().collect())
        .unwrap_or_default()
}

/// The first argument.
pub(crate) fn argument<'pr>(call: &CallNode<'pr>) -> Option<Node<'pr>> {
    call.arguments()?.arguments().first()
}

/// The value of a keyword argument.
pub(crate) fn keyword<'pr>(call: &CallNode<'pr>, name: &str) -> Option<Node<'pr>> {
    let pairs = call
        .arguments()?
        .arguments()
        .last()?
        .as_keyword_hash_node()?;
    let mut pairs = pairs
        .elements()
        .iter()
        .filter_map(|pair| pair.as_assoc_node());
    let has_name = |key: &Node<'_>| {
        let symbol = key.as_symbol_node();
        symbol.is_some_and(|symbol| symbol.unescaped() == name.as_bytes())
    };
    pairs
        .find(|pair| has_name(&pair.key()))
        .map(|pair| pair.value())
}

/// The receiver, unless it is missing or `self`.
pub(crate) fn receiver<'pr>(call: &CallNode<'pr>) -> Option<Node<'pr>> {
    call.receiver()
        .map(bare)
        .filter(|receiver| receiver.as_self_node().is_none())
}

/// The source of the expression.
pub(crate) fn source(node: &Node<'_>) -> String {
    String::from_utf8_lossy(node.location().as_slice()).into_owned()
}

/// The line it starts on, 1-based.
pub(crate) fn line(node: &Node<'_>) -> usize {
    usize::try_from(node.location().start_line()).unwrap_or(1)
}

/// The line it ends on, 1-based.
pub(crate) fn last_line(node: &Node<'_>) -> usize {
    usize::try_from(node.location().end_line()).unwrap_or(1)
}

/// The only statement of a list; `None` if there are several.
pub(crate) fn single<'pr>(statements: Option<&StatementsNode<'pr>>) -> Option<Node<'pr>> {
    let body = statements?.body();
    (body.len() == 1).then(|| body.first()).flatten().map(bare)
}

/// The name and the value of an assignment.
pub(crate) fn assignment<'pr>(node: &Node<'pr>) -> Option<(&'pr str, Node<'pr>)> {
    let (name, value) = assignment_parts(node)?;
    Some((text(name.as_slice()), value))
}

/// The value of an assignment.
pub(crate) fn assigned_value<'pr>(node: &Node<'pr>) -> Option<Node<'pr>> {
    let (_, value) = assignment_parts(node)?;
    Some(value)
}

fn assignment_parts<'pr>(node: &Node<'pr>) -> Option<(ConstantId<'pr>, Node<'pr>)> {
    // A single `match` is used because this runs for every node, and most nodes are not assignments.
    macro_rules! assignment_parts {
        ($($kind:ident $node:ident,)*) => {
            match node {
                $(Node::$kind { .. } => {
                    let write = node.$node()?;
                    (write.name(), write.value())
                })*
                _ => return None,
            }
        };
    }
    Some(assignment_parts! {
        LocalVariableWriteNode as_local_variable_write_node,
        LocalVariableOrWriteNode as_local_variable_or_write_node,
        LocalVariableAndWriteNode as_local_variable_and_write_node,
        InstanceVariableWriteNode as_instance_variable_write_node,
        InstanceVariableOrWriteNode as_instance_variable_or_write_node,
        InstanceVariableAndWriteNode as_instance_variable_and_write_node,
        ClassVariableWriteNode as_class_variable_write_node,
        GlobalVariableWriteNode as_global_variable_write_node,
    })
}

/// The name of a variable that is read, including sigils.
pub(crate) fn variable<'pr>(node: &Node<'pr>) -> Option<&'pr str> {
    if let Some(read) = node.as_local_variable_read_node() {
        return Some(text(read.name().as_slice()));
    }
    if let Some(read) = node.as_instance_variable_read_node() {
        return Some(text(read.name().as_slice()));
    }
    if let Some(read) = node.as_class_variable_read_node() {
        return Some(text(read.name().as_slice()));
    }
    if let Some(read) = node.as_global_variable_read_node() {
        return Some(text(read.name().as_slice()));
    }
    node.as_it_local_variable_read_node().map(|_| "it")
}

/// Whether it is a constant, with or without the modules that it is in.
pub(crate) fn is_constant(node: &Node<'_>) -> bool {
    matches!(
        node,
        Node::ConstantReadNode { .. } | Node::ConstantPathNode { .. }
    )
}

/// The last part of a constant's name: `FREE` of `Plan::FREE`.
pub(crate) fn constant<'pr>(node: &Node<'pr>) -> Option<&'pr str> {
    if let Some(read) = node.as_constant_read_node() {
        return Some(text(read.name().as_slice()));
    }
    let name = node.as_constant_path_node()?.name()?;
    Some(text(name.as_slice()))
}

/// The text of a string, including heredocs and adjacent strings; `#{}` in place of interpolated values.
pub(crate) fn string_text(node: &Node<'_>) -> Option<String> {
    if let Some(string) = node.as_string_node() {
        return Some(text(string.unescaped()).to_owned());
    }
    let parts = node.as_interpolated_string_node()?.parts();
    let texts = parts
        .iter()
        .map(|part| string_text(&part).unwrap_or_else(|| "#{}".to_owned()));
    Some(texts.collect())
}
