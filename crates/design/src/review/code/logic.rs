//! Finds logic in a spec: branches, loops, helpers and SQL.

use ruby_prism::{CallNode, Node};

use super::super::Review;
use crate::ruby::syntax::{argument, arguments, called, constant, line, string_text};

/// Methods that run their block repeatedly.
const LOOPS: [&str; 14] = [
    "cycle",
    "downto",
    "each",
    "each_cons",
    "each_key",
    "each_pair",
    "each_slice",
    "each_value",
    "each_with_index",
    "each_with_object",
    "loop",
    "reverse_each",
    "times",
    "upto",
];

/// The first word of an SQL statement, and a word that must follow.
const STATEMENTS: [(&str, &str); 4] = [
    ("SELECT ", " FROM "),
    ("INSERT ", "INTO "),
    ("UPDATE ", " SET "),
    ("DELETE ", "FROM "),
];

/// Reports a branch, a loop or an SQL statement.
pub(super) fn check(node: &Node<'_>, review: &mut Review) {
    let is_logic = node.as_if_node().is_some()
        || node.as_unless_node().is_some()
        || node.as_case_node().is_some()
        || node.as_case_match_node().is_some()
        || node.as_while_node().is_some()
        || node.as_until_node().is_some()
        || node.as_for_node().is_some();
    if is_logic {
        review.add("logic-in-test", line(node), "a branch or a loop");
    }
    if string_text(node).is_some_and(|text| is_sql(&text)) {
        review.add("logic-in-test", line(node), "SQL in a spec");
    }
}

/// Reports calls that loop, define a private helper or run SQL.
pub(super) fn check_call(call: &CallNode<'_>, review: &mut Review) {
    let issue = match called(call) {
        name if LOOPS.contains(&name) && call.block().is_some() => "a loop is used",
        "private" if is_private_helper(call) => "a private helper is defined",
        "execute" | "exec_query" | "find_by_sql" | "select_all" | "select_value"
        | "select_values"
            if is_lowercase_sql(call) =>
        {
            "SQL in a spec"
        }
        _ => return,
    };
    review.add("logic-in-test", line(&call.as_node()), issue);
}

/// `private def help`, or `private` before definitions.
fn is_private_helper(call: &CallNode<'_>) -> bool {
    let definitions = arguments(call);
    let is_bare = call.receiver().is_none() && call.block().is_none();
    is_bare && definitions.iter().all(|node| node.as_def_node().is_some())
}

fn is_lowercase_sql(call: &CallNode<'_>) -> bool {
    let text = argument(call).as_ref().and_then(string_text);
    text.is_some_and(|text| !is_sql(&text) && is_sql(&text.to_uppercase()))
}

/// Only keywords in capitals count, because "select" and "from" also occur in plain English text.
fn is_sql(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = format!("{} ", words.join(" "));
    STATEMENTS.iter().any(|(first, then)| {
        line.find(first)
            .is_some_and(|at| line[at + first.len() - 1..].contains(then))
    })
}

/// Whether a node is `class` or `module`.
pub(super) fn is_class(node: &Node<'_>) -> bool {
    node.as_class_node().is_some() || node.as_module_node().is_some()
}

/// Whether a call defines a class: `Class.new do`, `Struct.new(:a) do`.
pub(super) fn makes_class(call: &CallNode<'_>) -> bool {
    let class = call.receiver();
    let is_maker = matches!(
        class.as_ref().and_then(constant),
        Some("Class" | "Module" | "Struct")
    );
    is_maker && called(call) == "new"
}
