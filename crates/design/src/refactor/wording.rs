//! Descriptions that say what happens: "should return" is "returns", and nobody overlooks a `NOT`.

use ruby_prism::{CallNode, Node};

use super::in_calls;
use crate::edits::Edit;
use crate::ruby::syntax::{argument, called, source};

/// Words that stand between "should" and its verb.
const ADVERBS: [&str; 8] = [
    "always",
    "also",
    "correctly",
    "just",
    "never",
    "only",
    "properly",
    "still",
];

pub(super) fn edits(program: &Node<'_>) -> Vec<Edit> {
    in_calls(program, description)
}

/// The new description of an example or a context.
fn description(call: &CallNode<'_>) -> Option<Edit> {
    if call.receiver().is_some() {
        return None;
    }
    let worded = match called(call) {
        "it" | "specify" | "example" | "fit" | "xit" | "scenario" => of_example,
        "context" | "fcontext" | "xcontext" => of_context,
        _ => return None,
    };
    let literal = argument(call)?;
    let content = literal.as_string_node()?.content_loc();
    let text = std::str::from_utf8(content.as_slice()).ok()?;
    let new = worded(text);
    // A text that goes on in a heredoc or over several lines is nobody's habit.
    let is_plain = !source(&literal).starts_with("<<") && !text.contains('\n');
    (is_plain && new != text).then(|| (content.start() as usize, content.end() as usize, new))
}

fn of_context(text: &str) -> String {
    let text = match text.strip_prefix("if ") {
        Some(rest) => format!("when {rest}"),
        None => text.to_owned(),
    };
    loud(&text)
}

fn of_example(text: &str) -> String {
    let text = text.strip_prefix("it ").unwrap_or(text);
    let modal = ["should ", "can ", "must ", "will "]
        .iter()
        .find_map(|modal| text.strip_prefix(modal));
    let (is_denied, rest) = match modal {
        None => match text.strip_prefix("shouldn't ") {
            Some(rest) => (true, rest),
            None => return loud(text),
        },
        Some(rest) => match rest.strip_prefix("not ").or(rest.strip_prefix("NOT ")) {
            Some(rest) => (true, rest),
            None => (false, rest),
        },
    };
    loud(&asserted(rest, is_denied))
}

/// "return 1" as "returns 1", or as "does NOT return 1".
fn asserted(text: &str, is_denied: bool) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let at = words
        .iter()
        .position(|word| !ADVERBS.contains(word))
        .unwrap_or(0);
    let verb = match (is_denied, words[at]) {
        (true, "be") => "is NOT".to_owned(),
        (true, "have") => "does NOT have".to_owned(),
        (true, verb) => format!("does NOT {verb}"),
        (false, verb) => third_person(verb),
    };
    let before = words[..at].iter().copied();
    let behind = words[at + 1..].iter().copied();
    let all: Vec<&str> = before.chain([verb.as_str()]).chain(behind).collect();
    all.join(" ")
}

/// What somebody does who is told to.
pub(crate) fn third_person(verb: &str) -> String {
    let ends = |endings: &[&str]| endings.iter().any(|ending| verb.ends_with(ending));
    match verb {
        "be" => "is".to_owned(),
        "have" => "has".to_owned(),
        "" => String::new(),
        _ if ends(&["s", "sh", "ch", "x", "z", "o"]) => format!("{verb}es"),
        _ if ends(&["y"]) && !ends(&["ay", "ey", "oy", "uy"]) => {
            format!("{}ies", &verb[..verb.len() - 1])
        }
        _ => format!("{verb}s"),
    }
}

/// With a `NOT` that nobody overlooks.
fn loud(text: &str) -> String {
    let word = |word| if word == "not" { "NOT" } else { word };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}
