//! What a condition reads, as text. Two conditions with the same name are one characteristic only if these texts are
//! equal (rule E14).

use ruby_prism::{CallNode, Node};

use crate::ruby::condition::value_name::is_conversion;
use crate::ruby::syntax::node::{arguments, assignment, bare, called, receiver, source, variable};
use crate::ruby::syntax::traverse::clone_handle;
use crate::ruby::syntax::words::literal_text;

/// The text of an expression. Conversions, `self.`, `&.`, the `@` of an instance variable, and whether a word is a symbol
/// or a string, make no difference (rules E5, E6 and E11s).
pub(crate) fn identity(node: &Node<'_>) -> String {
    let mut text = String::with_capacity(node.location().as_slice().len());
    write(node, &mut text);
    text
}

fn write(node: &Node<'_>, text: &mut String) {
    let node = bare(clone_handle(node));
    if let Some(call) = node.as_call_node() {
        write_call(&call, text);
    } else if let Some(literal) = literal_text(&node) {
        text.push_str(&literal);
    } else if let Some(name) =
        variable(&node).or_else(|| assignment(&node).map(|(variable, _)| variable))
    {
        text.push_str(name.trim_start_matches('@'));
    } else {
        text.push_str(&source(&node));
    }
}

fn write_call(call: &CallNode<'_>, text: &mut String) {
    let receiver = receiver(call);
    if let Some(receiver) = &receiver {
        write(receiver, text);
        if is_conversion(called(call)) {
            return;
        }
        text.push('.');
    }
    text.push_str(called(call));
    for argument in arguments(call) {
        text.push(' ');
        write(&argument, text);
    }
    if let Some(block) = call.block() {
        text.push(' ');
        text.push_str(&source(&block));
    }
}
