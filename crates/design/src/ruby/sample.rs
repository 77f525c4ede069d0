//! Literals that bring a state about, where the code itself says which.

use ruby_prism::Node;

use super::node::{constant, source};

/// For a flag.
pub(crate) fn booleans() -> Vec<Option<String>> {
    vec![Some("true".to_owned()), Some("false".to_owned())]
}

/// For a value that is there or not, by the question that is asked.
pub(crate) fn presence(question: &str) -> Vec<Option<String>> {
    let (present, absent) = match question {
        "nil?" | "present?" | "blank?" => ("'value'", "nil"),
        "empty?" | "any?" | "none?" => ("['value']", "[]"),
        _ => return Vec::new(),
    };
    vec![Some(present.to_owned()), Some(absent.to_owned())]
}

/// A literal, and something else of its kind.
pub(crate) fn pair(literal: &Node<'_>) -> Vec<Option<String>> {
    match of_value(literal) {
        Some(value) => {
            let other = other_than(&[&value]);
            vec![Some(value), other]
        }
        None => Vec::new(),
    }
}

/// A literal as it is written, or something of a well-known class.
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

/// Something of the same kind as these, but none of them.
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
