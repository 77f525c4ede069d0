//! Decides whether the order of an array is part of the behavior: by the words of the example, by the methods that returned
//! the array, or because its elements differ in kind.

use ruby_prism::Node;

use crate::negation::words;
use crate::ruby::syntax::{called, string_text};

/// Beginnings of words that are about an order.
const ORDER_STEMS: [&str; 16] = [
    "alphabet",
    "append",
    "ascend",
    "chronolog",
    "descend",
    "insertion",
    "newest",
    "oldest",
    "ordered",
    "ordering",
    "precede",
    "prepend",
    "priorit",
    "rank",
    "revers",
    "sort",
];

/// Words before "order" that show that it is not something that is bought.
const BEFORE_ORDER: [&str; 14] = [
    "alphabetic",
    "alphabetical",
    "chronological",
    "correct",
    "definition",
    "given",
    "in",
    "insertion",
    "original",
    "right",
    "same",
    "strict",
    "their",
    "this",
];

/// Methods whose result has an order.
const ORDERED_METHODS: [&str; 24] = [
    "bytes",
    "captures",
    "chars",
    "divmod",
    "each_cons",
    "each_slice",
    "fetch_values",
    "first",
    "last",
    "lines",
    "minmax",
    "order",
    "partition",
    "reorder",
    "reverse",
    "rotate",
    "scan",
    "slice",
    "sort",
    "sort_by",
    "split",
    "take",
    "values_at",
    "zip",
];

/// Whether a description is about an order.
pub(super) fn is_about_order(text: &str) -> bool {
    let words: Vec<String> = words(text).map(str::to_lowercase).collect();
    let is_order = |(at, word): (usize, &String)| {
        let before = at.checked_sub(1).map(|at| words[at].as_str());
        let after = words.get(at + 1).map(String::as_str);
        let is_word = word == "order"
            && (before.is_some_and(|before| BEFORE_ORDER.contains(&before))
                || matches!(after, Some("of" | "by")));
        is_word || ORDER_STEMS.iter().any(|stem| word.starts_with(stem))
    };
    words.iter().enumerate().any(is_order)
}

/// Whether a value is the result of a method that orders it.
pub(super) fn is_ordered(actual: &Node<'_>) -> bool {
    let Some(call) = actual.as_call_node() else {
        return false;
    };
    let name = called(&call);
    ORDERED_METHODS.contains(&name.trim_end_matches('!'))
        || is_about_order(&name.replace('_', " "))
        || call
            .receiver()
            .is_some_and(|receiver| is_ordered(&receiver))
}

/// Whether the elements of an array differ in kind, as in `[200, {}, 'ok']`. Their positions then have a meaning.
pub(super) fn is_tuple(array: &ruby_prism::ArrayNode<'_>) -> bool {
    let elements = array.elements();
    let mut kinds = elements.iter().map(|element| kind(&element));
    let first = kinds.next().flatten();
    first.is_some() && kinds.any(|kind| kind.is_some() && kind != first)
}

/// The kind of a literal; `None` for anything else.
fn kind(node: &Node<'_>) -> Option<&'static str> {
    let is_number = node.as_integer_node().is_some() || node.as_float_node().is_some();
    Some(match node {
        node if node.as_nil_node().is_some() => "nil",
        node if node.as_true_node().is_some() || node.as_false_node().is_some() => "boolean",
        node if node.as_symbol_node().is_some() => "symbol",
        node if node.as_array_node().is_some() => "array",
        node if node.as_hash_node().is_some() => "hash",
        _ if is_number => "number",
        node if string_text(node).is_some() => "string",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_about_an_order() {
        for (text, expected) in [
            ("lists the newest first", true),
            ("returns users sorted by name", true),
            ("preserves insertion order", true),
            ("loads the payment methods in order", true),
            ("respects the order of payment methods", true),
            ("appends to the list", true),
            ("#sorted_names", true),
            ("returns all orders", false),
            ("ships the order", false),
            ("returns the rules", false),
            ("orders contain the steps", false),
        ] {
            assert_eq!(is_about_order(text), expected, "{text}");
        }
    }
}
