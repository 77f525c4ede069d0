//! Literals that bring about a state, if the code itself shows them.

use ruby_prism::Node;

use crate::ruby::syntax::node::{called, constant, is_constant, source};
use crate::ruby::syntax::words::literal_text;

/// For a flag.
pub(crate) fn booleans() -> Vec<Option<String>> {
    vec![Some("true".to_owned()), Some("false".to_owned())]
}

/// For a value that is present or absent, by the predicate in the condition.
pub(crate) fn presence(predicate: &str) -> Vec<Option<String>> {
    let (present, absent) = match predicate {
        "nil?" | "present?" | "blank?" => ("'value'", "nil"),
        "empty?" | "any?" | "none?" => ("['value']", "[]"),
        _ => return Vec::new(),
    };
    vec![Some(present.to_owned()), Some(absent.to_owned())]
}

/// A literal, and another value of its type.
pub(crate) fn pair(literal: &Node<'_>) -> Vec<Option<String>> {
    match of_value(literal) {
        Some(value) => {
            let other = other_than(&[&value]);
            vec![Some(value), other]
        }
        None => Vec::new(),
    }
}

/// An instance of a well-known class, and one of another class.
pub(crate) fn instances(class: &Node<'_>) -> Vec<Option<String>> {
    let Some(own) = of_value(class).filter(|_| is_constant(class)) else {
        return Vec::new();
    };
    let other = if own == "'text'" { "1" } else { "'text'" };
    vec![Some(own), Some(other.to_owned())]
}

/// The literal as written, or an instance of a well-known class.
pub(crate) fn of_value(node: &Node<'_>) -> Option<String> {
    let is_literal = node.as_symbol_node().is_some()
        || node.as_string_node().is_some()
        || node.as_integer_node().is_some()
        || node.as_nil_node().is_some()
        || node.as_true_node().is_some()
        || node.as_false_node().is_some();
    if is_literal {
        return Some(source(node)).filter(|text| !text.starts_with("<<"));
    }
    let instance = match constant(node)? {
        "Hash" => "{}",
        "Array" => "[]",
        "String" => "'text'",
        "Symbol" => ":word",
        "Integer" | "Numeric" => "1",
        "Float" => "1.5",
        "NilClass" => "nil",
        _ => return None,
    };
    node.as_constant_read_node().map(|_| instance.to_owned())
}

/// A value of the same type that is not one of these.
pub(crate) fn other_than(values: &[&str]) -> Option<String> {
    let first = values.first()?;
    if first.starts_with(':') {
        return Some(":something_else".to_owned());
    }
    if first.starts_with(['\'', '"']) {
        return Some("'something else'".to_owned());
    }
    let numbers: Vec<i64> = values
        .iter()
        .map(|value| value.replace('_', "").parse().ok())
        .collect::<Option<_>>()?;
    Some(numbers.into_iter().max()?.checked_add(1)?.to_string())
}

/// One of these, and another value of their type.
pub(crate) fn members(list: &[String]) -> Vec<Option<String>> {
    let words: Vec<&str> = list.iter().map(String::as_str).collect();
    let other = other_than(&words).filter(|other| !list.contains(other));
    vec![list.first().cloned(), other]
}

/// The elements of a list or the keys of a hash, if all are plain literals of one type. Accepts `.freeze`.
pub(crate) fn list(node: &Node<'_>) -> Option<Vec<String>> {
    if let Some(call) = node.as_call_node() {
        let is_frozen = called(&call) == "freeze" && call.arguments().is_none();
        return list(&call.receiver().filter(|_| is_frozen)?);
    }
    let members: Vec<Node<'_>> = match (node.as_array_node(), node.as_hash_node()) {
        (Some(array), _) => array.elements().iter().collect(),
        (_, Some(hash)) => {
            let elements = hash.elements();
            let keys = elements
                .iter()
                .map(|element| Some(element.as_assoc_node()?.key()));
            keys.collect::<Option<_>>()?
        }
        _ => return None,
    };
    let members: Vec<String> = members.iter().map(plain).collect::<Option<_>>()?;
    let kind = |member: &String| {
        member
            .chars()
            .next()
            .filter(|first| !first.is_ascii_digit())
    };
    let first = kind(members.first()?);
    members
        .iter()
        .all(|member| kind(member) == first)
        .then_some(members)
}

/// A literal that is valid outside its list: elements of `%w[]` are written without quotes.
fn plain(node: &Node<'_>) -> Option<String> {
    if node.as_integer_node().is_some() {
        return Some(source(node).replace('_', ""));
    }
    let text = literal_text(node)?;
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    if text.is_empty() || !text.chars().all(is_word) {
        return None;
    }
    let is_symbol = node.as_symbol_node().is_some();
    let starts_with_letter = !text.starts_with(|first: char| first.is_ascii_digit());
    if is_symbol {
        starts_with_letter.then(|| format!(":{text}"))
    } else {
        Some(format!("'{text}'"))
    }
}
