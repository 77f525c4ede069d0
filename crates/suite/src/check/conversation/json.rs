//! Decodes `json`: conditions on a reply that is JSON.

use casebook_source::Span;
use casebook_source::yaml::Node;

use super::pattern;
use crate::assertion::decode::json::pointers;
use crate::model::conversation::ConversationCheck;
use crate::reader::Reader;

/// The checks of all JSON Pointers.
pub(super) fn checks(node: &Node, reader: &mut Reader<'_, '_>) -> Vec<(Span, ConversationCheck)> {
    let mut checks = Vec::new();
    for entry in pointers("json", node, reader) {
        if let Some(pattern) = pattern::pattern(&entry.value, reader) {
            let pointer = entry.key.to_string();
            let check = ConversationCheck::Json { pointer, pattern };
            checks.push((entry.key_span.to(entry.value.span), check));
        }
    }
    checks
}
