//! The enums that a model declares: `enum status: { draft: 0, published: 1 }`.

use ruby_prism::{CallNode, Node};

use crate::ruby::rails::model::PredicateMethod;
use crate::ruby::syntax::node::{arguments, text};
use crate::ruby::syntax::words::literal_text;

/// Keys that are not attributes or values.
const OPTIONS: [&str; 6] = [
    "default",
    "instance_methods",
    "prefix",
    "scopes",
    "suffix",
    "validate",
];

/// An attribute with a fixed list of values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enum {
    /// The attribute.
    pub attribute: String,
    /// The names of its values.
    pub values: Vec<String>,
    /// The beginning and the end of the names of the predicates that Rails defines; `None` if they are unknown or not
    /// defined.
    pub affixes: Option<(String, String)>,
}

impl Enum {
    /// Whether the attribute reads a literal back as it was written: a text that is one of the values.
    pub(crate) fn accepts(&self, literal: &str) -> bool {
        let quoted = |quote: char| literal.strip_prefix(quote)?.strip_suffix(quote);
        let name = quoted('\'').or_else(|| quoted('"'));
        name.is_some_and(|name| self.values.iter().any(|value| value == name))
    }

    /// A value that is not one of these literals.
    pub(crate) fn other_than(&self, literals: &[Option<String>]) -> Option<String> {
        let mut values = self.values.iter().map(|value| format!("'{value}'"));
        let is_listed = |value: &String| {
            let double = value.replace('\'', "\"");
            literals
                .iter()
                .flatten()
                .any(|literal| *literal == *value || *literal == double)
        };
        values.find(|value| !is_listed(value))
    }

    /// The predicates that Rails defines: `draft?`, or `status_draft?` with a prefix.
    pub(crate) fn predicates(&self) -> Vec<PredicateMethod> {
        let Some((prefix, suffix)) = &self.affixes else {
            return Vec::new();
        };
        let predicate = |value: &String| {
            let own = format!("'{value}'");
            PredicateMethod {
                method: format!("{prefix}{value}{suffix}?"),
                attribute: self.attribute.clone(),
                values: [Some(own.clone()), self.other_than(&[Some(own)])],
            }
        };
        self.values.iter().map(predicate).collect()
    }
}

/// The enums in a call of `enum`, in the forms `enum status: […]` and `enum :status, […]`.
pub(crate) fn declared(call: &CallNode<'_>) -> Vec<Enum> {
    let all = arguments(call);
    let named = all.first().and_then(literal_text);
    let mut pairs: Vec<(String, Node<'_>)> = Vec::new();
    for argument in &all {
        let hash = argument.as_keyword_hash_node();
        for pair in hash.iter().flat_map(|hash| hash.elements().iter()) {
            let Some(pair) = pair.as_assoc_node() else {
                continue;
            };
            pairs.extend(literal_text(&pair.key()).map(|key| (key, pair.value())));
        }
    }
    let list = |attribute: String, values: Vec<String>| Enum {
        affixes: affixes(&attribute, &pairs),
        attribute,
        values,
    };
    let Some(attribute) = named else {
        let lists = pairs
            .iter()
            .filter_map(|(key, value)| Some(list(key.clone(), names(value)?)));
        return lists.collect();
    };
    let given = all.get(1).and_then(names);
    // `enum :status, draft: 0, published: 1`
    let keys = pairs.iter().map(|(key, _)| key);
    let keys = keys.filter(|key| !OPTIONS.contains(&key.trim_start_matches('_')));
    let values = given.unwrap_or_else(|| keys.cloned().collect());
    vec![list(attribute, values)]
}

/// What an attribute's predicates begin and end with: `prefix: true` is the name of the attribute.
fn affixes(attribute: &str, options: &[(String, Node<'_>)]) -> Option<(String, String)> {
    let option = |name: &str| {
        let mut options = options.iter();
        options.find(|(key, _)| key.trim_start_matches('_') == name)
    };
    let affix = |name: &str| match option(name) {
        None | Some((_, Node::FalseNode { .. })) => Some(String::new()),
        Some((_, Node::TrueNode { .. })) => Some(attribute.to_owned()),
        Some((_, node)) => literal_text(node),
    };
    let (prefix, suffix) = (affix("prefix")?, affix("suffix")?);
    let joined = |text: String, before: &str, after: &str| match text.as_str() {
        "" => text,
        _ => format!("{before}{text}{after}"),
    };
    option("instance_methods")
        .is_none()
        .then(|| (joined(prefix, "", "_"), joined(suffix, "_", "")))
}

/// The elements of a list or the keys of a hash.
fn names(node: &Node<'_>) -> Option<Vec<String>> {
    if let Some(array) = node.as_array_node() {
        return array
            .elements()
            .iter()
            .map(|element| literal_text(&element))
            .collect();
    }
    let hash = node.as_hash_node()?;
    let elements = hash.elements();
    let key = |element: Node<'_>| {
        let key = element.as_assoc_node()?.key();
        let symbol = key
            .as_symbol_node()
            .map(|symbol| text(symbol.unescaped()).to_owned());
        symbol.or_else(|| literal_text(&key))
    };
    elements.iter().map(key).collect()
}
