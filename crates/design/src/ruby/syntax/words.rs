//! Converts names and literals in code to words for names and states.

use ruby_prism::{CallNode, Node};

use crate::ruby::syntax::node::{arguments, constant, source, text};

/// Converts to lower snake case: camel case is split, and runs of other characters become one underscore.
pub(crate) fn snake(name: &str) -> String {
    let mut word = String::with_capacity(name.len() + 4);
    let mut before = None;
    let mut rest = name.chars().peekable();
    while let Some(letter) = rest.next() {
        if letter.is_alphanumeric() || letter == '_' {
            if starts_word(before, letter, rest.peek().copied()) {
                word.push('_');
            }
            word.extend(letter.to_lowercase());
        } else if !word.is_empty() && !word.ends_with('_') {
            word.push('_');
        }
        before = Some(letter);
    }
    let length = word.trim_end_matches('_').len();
    if length > 0 {
        word.truncate(length);
    }
    word
}

/// The singular as Rails derives it for the model of a table, without irregular words.
pub(crate) fn singular(table: &str) -> String {
    let endings = [
        ("ies", "y"),
        ("sses", "ss"),
        ("xes", "x"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("uses", "us"),
        ("ss", "ss"),
        ("s", ""),
    ];
    let matching = endings
        .iter()
        .find_map(|(many, one)| Some(format!("{}{one}", table.strip_suffix(many)?)));
    matching.unwrap_or_else(|| table.to_owned())
}

/// Whether a letter starts a new word in camel case: `userName` and `HTTPServer` have two words, `PDF` one.
fn starts_word(before: Option<char>, letter: char, after: Option<char>) -> bool {
    let Some(before) = before else { return false };
    letter.is_uppercase()
        && (before.is_lowercase()
            || before.is_numeric()
            || before.is_uppercase() && after.is_some_and(char::is_lowercase))
}

/// Whether it is a valid identifier: letters, digits and underscores, not starting with a digit.
pub(crate) fn is_identifier(name: &str) -> bool {
    name.chars().all(is_identifier_part) && starts_identifier(name)
}

/// Makes it a valid identifier.
pub(crate) fn identifier(mut name: String) -> String {
    name.retain(is_identifier_part);
    if starts_identifier(&name) {
        return name;
    }
    let name = format!("value_{}", name.trim_start_matches('_'));
    name.trim_end_matches('_').to_owned()
}

fn is_identifier_part(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

fn starts_identifier(name: &str) -> bool {
    name.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

/// A name without sigils and without `?`, `!` or `=` at its end.
pub(crate) fn plain(name: &str) -> &str {
    name.trim_start_matches(['@', '$'])
        .trim_end_matches(['?', '!', '='])
}

/// The word for a literal or a constant, used as a state; `None` for a computed value.
pub(crate) fn literal_word(node: &Node<'_>) -> Option<String> {
    if let Some(name) = constant(node) {
        return Some(snake(name));
    }
    literal(node)
}

/// The word for a literal; `None` for a constant.
pub(crate) fn literal(node: &Node<'_>) -> Option<String> {
    if let Some(symbol) = node.as_symbol_node() {
        return Some(text_word(text(symbol.unescaped())));
    }
    if let Some(string) = node.as_string_node() {
        return Some(text_word(text(string.unescaped())));
    }
    if node.as_nil_node().is_some() {
        return Some("nil".to_owned());
    }
    if node.as_true_node().is_some() {
        return Some("true".to_owned());
    }
    if node.as_false_node().is_some() {
        return Some("false".to_owned());
    }
    if is_number(node) {
        return Some(number_word(&source(node)));
    }
    is_empty_collection(node).then(|| "empty".to_owned())
}

/// The word for a number.
pub(crate) fn number_word(number: &str) -> String {
    match number.strip_prefix('-') {
        Some(positive) => format!("minus_{}", snake(positive)),
        None => snake(number),
    }
}

/// The text of a symbol or a string.
pub(crate) fn literal_text(node: &Node<'_>) -> Option<String> {
    if let Some(symbol) = node.as_symbol_node() {
        return Some(text(symbol.unescaped()).to_owned());
    }
    let string = node.as_string_node()?;
    Some(text(string.unescaped()).to_owned())
}

/// The names given as arguments or as keys of a call.
pub(crate) fn mentioned(call: &CallNode<'_>) -> Vec<String> {
    let mut names = Vec::new();
    for argument in arguments(call) {
        names.extend(literal_text(&argument));
        let pairs = argument.as_keyword_hash_node();
        for pair in pairs.iter().flat_map(|pairs| pairs.elements().iter()) {
            let pair = pair.as_assoc_node();
            names.extend(pair.and_then(|pair| literal_text(&pair.key())));
        }
    }
    names
}

fn text_word(text: &str) -> String {
    let word = snake(text);
    match word.as_str() {
        "" if text.is_empty() => "empty".to_owned(),
        "" if text.trim().is_empty() => "blank".to_owned(),
        "" => sign_words(text.trim()),
        _ => word,
    }
}

/// Words for signs: `plus`, `less_equals`.
fn sign_words(signs: &str) -> String {
    let names = signs.chars().take(5).map(|sign| match sign {
        '+' => "plus",
        '-' => "minus",
        '*' => "star",
        '/' => "slash",
        '%' => "percent",
        '=' => "equals",
        '<' => "less",
        '>' => "greater",
        '!' => "bang",
        '?' => "question",
        '.' => "dot",
        ',' => "comma",
        ':' => "colon",
        ';' => "semicolon",
        '#' => "hash",
        '&' => "and",
        '|' => "or",
        '^' => "caret",
        '~' => "tilde",
        '@' => "at",
        '$' => "dollar",
        _ => "sign",
    });
    names.collect::<Vec<_>>().join("_")
}

/// Whether it is a number literal.
pub(crate) fn is_number(node: &Node<'_>) -> bool {
    node.as_integer_node().is_some()
        || node.as_float_node().is_some()
        || node.as_rational_node().is_some()
}

/// Whether [`literal`] has a word for it.
pub(crate) fn is_word(node: &Node<'_>) -> bool {
    matches!(
        node,
        Node::SymbolNode { .. }
            | Node::StringNode { .. }
            | Node::NilNode { .. }
            | Node::TrueNode { .. }
            | Node::FalseNode { .. }
    ) || is_number(node)
        || is_empty_collection(node)
}

fn is_empty_collection(node: &Node<'_>) -> bool {
    node.as_array_node()
        .is_some_and(|array| array.elements().is_empty())
        || node
            .as_hash_node()
            .is_some_and(|hash| hash.elements().is_empty())
}

/// Whether it is a literal of any kind.
pub(crate) fn is_literal(node: &Node<'_>) -> bool {
    is_word(node)
        || node.as_array_node().is_some()
        || node.as_hash_node().is_some()
        || node.as_range_node().is_some()
        || node.as_regular_expression_node().is_some()
        || node.as_interpolated_regular_expression_node().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_lower_snake_case() {
        for (name, word) in [
            ("Etc", "etc"),
            ("VatRules", "vat_rules"),
            ("HTTPServer", "http_server"),
            ("FREE_TRIAL", "free_trial"),
            ("in progress", "in_progress"),
            ("in -- progress!", "in_progress"),
            ("application/json", "application_json"),
            ("1.5", "1_5"),
            ("iso8601Date", "iso8601_date"),
            ("Été", "été"),
            ("_private", "_private"),
            ("!", ""),
            ("", ""),
        ] {
            assert_eq!(snake(name), word, "{name}");
        }
    }

    #[test]
    fn identifiers_are_valid() {
        for (name, word) in [
            ("user_name", "user_name"),
            ("été", "été"),
            ("\"_find_present", "_find_present"),
            ("2_5_0", "value_2_5_0"),
            ("-w", "w"),
            ("~", "value"),
        ] {
            assert_eq!(identifier(name.to_owned()), word);
            assert_eq!(is_identifier(name), name == word);
        }
    }

    #[test]
    fn sigils_and_marks_are_dropped() {
        for (name, word) in [
            ("@user", "user"),
            ("@@count", "count"),
            ("$debug", "debug"),
            ("valid?", "valid"),
            ("save!", "save"),
            ("name=", "name"),
        ] {
            assert_eq!(plain(name), word);
        }
    }
}
