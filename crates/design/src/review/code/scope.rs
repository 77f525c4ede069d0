//! Reads the tags of groups and examples: `describe A, :aggregate_failures, type: :request do`.

use ruby_prism::CallNode;

use super::array_order::is_about_order;
use crate::ruby::syntax::{argument, arguments, literal_text, string_text};

/// The tags that checks use.
#[derive(Debug, Default)]
pub(super) struct Tags {
    /// Whether `aggregate_failures` is set.
    pub(super) is_aggregated: bool,
    /// `controller` of `type: :controller`.
    pub(super) kind: Option<String>,
    /// Whether the description is about the order of a collection.
    pub(super) is_about_order: bool,
}

impl Tags {
    pub(super) fn of(call: &CallNode<'_>) -> Tags {
        let text = argument(call).and_then(|text| string_text(&text));
        let mut tags = Tags {
            is_about_order: text.is_some_and(|text| is_about_order(&text)),
            ..Tags::default()
        };
        for argument in arguments(call) {
            if let Some(tag) = argument.as_symbol_node() {
                let tag = literal_text(&tag.as_node());
                tags.is_aggregated |= tag.as_deref() == Some("aggregate_failures");
            }
            let pairs = argument.as_keyword_hash_node();
            for pair in pairs.iter().flat_map(|pairs| pairs.elements().iter()) {
                let Some(pair) = pair.as_assoc_node() else {
                    continue;
                };
                match literal_text(&pair.key()).as_deref() {
                    Some("aggregate_failures") => {
                        tags.is_aggregated |= pair.value().as_true_node().is_some();
                    }
                    Some("type") => tags.kind = literal_text(&pair.value()),
                    _ => {}
                }
            }
        }
        tags
    }
}
