//! Decodes `ended`: how a conversation must have ended.

use std::slice;

use casebook_source::yaml::Node;

use crate::codes::VACUOUS;
use crate::fields::conversation::{ENDED, ENDED_BY_ERROR};
use crate::reader::Reader;

/// Decodes one reason or a list of them; `None` with a problem if one is unknown or can never pass.
pub(super) fn ended(node: &Node, reader: &mut Reader<'_, '_>) -> Option<Vec<String>> {
    let nodes = node.as_list().unwrap_or(slice::from_ref(node));
    let before = reader.problems.len();
    if nodes.is_empty() {
        reader.note(
            VACUOUS,
            node.span,
            "`ended` is an empty list and can never pass",
        );
    }
    let all = [&ENDED[..], &ENDED_BY_ERROR].concat();
    let mut reasons = Vec::new();
    for node in nodes {
        match reader.choice("ended", node, &all) {
            Some(error) if ENDED_BY_ERROR.contains(&error) => {
                let message = format!(
                    "this can never pass: a test whose conversation ends with `{error}` fails"
                );
                let help = format!("use {}", ENDED.join(", "));
                reader.note(VACUOUS, node.span, message).help_last(&help);
            }
            Some(reason) => reasons.push(reason.to_owned()),
            None => {}
        }
    }
    (reader.problems.len() == before).then_some(reasons)
}
