//! Rewrites descriptions so that they state what happens: "should return" becomes "returns", and "not" becomes "NOT".

use ruby_prism::{CallNode, Node};

use super::found;
use crate::edits::Edit;
use crate::negation::uppercase_not;
use crate::ruby::syntax::{argument, called, source};

/// Words that can occur between "should" and its verb.
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

/// Common words that are not verbs.
const NO_VERBS: [&str; 30] = [
    "a", "all", "an", "and", "any", "at", "been", "both", "by", "each", "either", "false", "for",
    "if", "in", "it", "neither", "never", "nil", "no", "not", "of", "on", "or", "that", "the",
    "to", "true", "when", "with",
];

const VERBS_IN_LY: [&str; 9] = [
    "apply", "comply", "fly", "imply", "multiply", "rely", "reply", "resupply", "supply",
];

/// The edits, one for each description.
pub(super) fn edits(program: &Node<'_>) -> Vec<Vec<Edit>> {
    found(
        program,
        |_| true,
        |node| {
            let edit = node.as_call_node().and_then(|call| description(&call));
            edit.map(|edit| vec![edit]).into_iter().collect()
        },
    )
}

/// The new description of an example or a context; `None` if it does not change.
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
    // Heredocs and descriptions of several lines are not changed.
    let is_plain = !source(&literal).starts_with("<<") && !text.contains('\n');
    (is_plain && new != text).then(|| (content.start() as usize, content.end() as usize, new))
}

fn of_context(text: &str) -> String {
    let text = match text.strip_prefix("if ") {
        Some(rest) => format!("when {rest}"),
        None => text.to_owned(),
    };
    uppercase_not(&text)
}

fn of_example(full_text: &str) -> String {
    let text = full_text.strip_prefix("it ").unwrap_or(full_text);
    let modal = ["should ", "can ", "must ", "will "]
        .iter()
        .find_map(|modal| text.strip_prefix(modal));
    let (is_denied, rest) = match modal {
        None => match text.strip_prefix("shouldn't ") {
            Some(rest) => (true, rest),
            None => return uppercase_not(text),
        },
        Some(rest) => match rest.strip_prefix("not ").or(rest.strip_prefix("NOT ")) {
            Some(rest) => (true, rest),
            None => (false, rest),
        },
    };
    asserted(rest, is_denied).map_or_else(|| uppercase_not(full_text), |text| uppercase_not(&text))
}

/// "return 1" as "returns 1", or as "does NOT return 1"; `None` if the first word is not a verb.
fn asserted(text: &str, is_denied: bool) -> Option<String> {
    let words: Vec<&str> = text.split(' ').collect();
    let at = words
        .iter()
        .position(|word| !ADVERBS.contains(word))
        .filter(|at| is_verb(words[*at]))?;
    let verb = match (is_denied, words[at]) {
        (true, "be") => "is NOT".to_owned(),
        (true, "have") => "does NOT have".to_owned(),
        (true, verb) => format!("does NOT {verb}"),
        (false, verb) => third_person(verb),
    };
    let before = words[..at].iter().copied();
    let after = words[at + 1..].iter().copied();
    let all: Vec<&str> = before.chain([verb.as_str()]).chain(after).collect();
    Some(all.join(" "))
}

/// Whether a word after "should" is certainly a verb in its base form: not "the", "returns", "==" or "immediately".
fn is_verb(word: &str) -> bool {
    let is_plain = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_third_person = word.ends_with('s') && !word.ends_with("ss");
    let is_adverb = word.ends_with("ly") && !VERBS_IN_LY.contains(&word);
    is_plain && !is_third_person && !is_adverb && !NO_VERBS.contains(&word)
}

/// The third person singular of a verb.
fn third_person(verb: &str) -> String {
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
