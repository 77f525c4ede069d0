//! Finds the JSON object in the text of a response.
//!
//! Models put text around the object that they are asked for: a preamble, a fenced block, their thoughts. Exactly one object
//! counts. None, an incomplete one, and two that differ are errors, because any choice between them could be wrong.

use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;

use crate::assertions::quoted;

const THOUGHT_START: &str = "<think>";
const THOUGHT_END: &str = "</think>";

/// How many `{` are tried. A response that has more of them is not the object that was asked for.
const MAX_CANDIDATES: usize = 200;

/// What a response contains.
#[derive(Debug, PartialEq)]
pub(super) enum Content {
    /// The text of the only object.
    Object(String),
    /// Text without any object, and without the model's thoughts.
    Text(String),
}

/// Parses the only object of a response. The error describes the problem and quotes the response.
pub(super) fn parse<T: DeserializeOwned>(response: &str) -> Result<T, String> {
    match content(response)? {
        Content::Object(object) => from_object(&object, response),
        Content::Text(_) if response.trim().is_empty() => Err("it is empty".to_owned()),
        Content::Text(text) if text.is_empty() => {
            let response = quoted(response);
            Err(format!(
                "it has no JSON object outside {THOUGHT_START}: {response}"
            ))
        }
        Content::Text(_) => Err(format!("it has no JSON object: {}", quoted(response))),
    }
}

pub(super) fn from_object<T: DeserializeOwned>(object: &str, response: &str) -> Result<T, String> {
    serde_json::from_str(object)
        .map_err(|error| format!("its JSON object is wrong: {error}: {}", quoted(response)))
}

/// Finds the only object of a response, or the text if it has no object.
pub(super) fn content(response: &str) -> Result<Content, String> {
    let response = response.trim();
    if let [Candidate::Object(object)] = candidates(response)[..]
        && object.len() == response.len()
    {
        // Its strings may contain the marks of thoughts.
        return Ok(Content::Object(object.to_owned()));
    }
    let text = without_thoughts(response);
    let problem = |what: &str| Err(format!("{what}: {}", quoted(response)));
    let mut only: Option<&str> = None;
    for candidate in candidates(&text) {
        match (candidate, only) {
            (Candidate::Object(object), None) => only = Some(object),
            (Candidate::Object(object), Some(first)) if is_same(first, object) => {}
            (Candidate::Object(_), Some(_)) => {
                return problem("it has several JSON objects that differ");
            }
            (Candidate::Incomplete, _) => return problem("its JSON object is incomplete"),
            (Candidate::TooMany, _) => return problem("it has too many opening braces"),
        }
    }
    Ok(match only {
        Some(object) => Content::Object(object.to_owned()),
        None => Content::Text(text.trim().to_owned()),
    })
}

#[derive(Clone, Copy)]
enum Candidate<'a> {
    Object(&'a str),
    /// The text ends inside an object.
    Incomplete,
    TooMany,
}

/// The objects of a text that are not inside another one, in order.
fn candidates(text: &str) -> Vec<Candidate<'_>> {
    let mut found = Vec::new();
    let (mut from, mut tried) = (0, 0);
    while let Some(start) = text[from..].find('{').map(|start| from + start) {
        tried += 1;
        if tried > MAX_CANDIDATES {
            found.push(Candidate::TooMany);
            break;
        }
        let rest = &text[start..];
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<IgnoredAny>();
        match values.next() {
            Some(Ok(_)) => {
                let end = values.byte_offset();
                found.push(Candidate::Object(&rest[..end]));
                from = start + end;
            }
            Some(Err(error)) if error.is_eof() => {
                found.push(Candidate::Incomplete);
                break;
            }
            _ => from = start + 1,
        }
    }
    found
}

/// Whether two objects have the same content. The texts are compared first, because a value keeps only the last of several
/// equal keys.
fn is_same(one: &str, other: &str) -> bool {
    let value = |text: &str| serde_json::from_str::<Value>(text).ok();
    one == other || value(one).is_some_and(|one| Some(one) == value(other))
}

/// The text without the model's thoughts. Some servers omit the start mark.
fn without_thoughts(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some(end) = rest.find(THOUGHT_END) {
        if let Some(start) = rest[..end].find(THOUGHT_START) {
            kept.push_str(&rest[..start]);
        }
        rest = &rest[end + THOUGHT_END.len()..];
    }
    let unfinished = rest.find(THOUGHT_START).unwrap_or(rest.len());
    kept.push_str(&rest[..unfinished]);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_only_object_is_found_anywhere() {
        for response in [
            r#"{"a":1}"#,
            " \n{\"a\":1}\n ",
            "```json\n{\"a\":1}\n```",
            "```\n{\"a\":1}\n```",
            "Here it is:\n\n```json\n{\"a\":1}\n```\nAnything else?",
            r#"Sure! {"a":1}"#,
            r#"{"a":1} Hope that helps."#,
            r#"<think>Is it {"a":2}?</think>{"a":1}"#,
            r#"It could be {"a":2}.</think> {"a":1}"#,
            r#"{"a":1}<think>or {"a":2}"#,
            r#"{"a":1} and again { "a": 1 }"#,
            r#"A set {x | x > 1} is not JSON, but {"a":1} is."#,
        ] {
            let found = parse::<Value>(response);
            assert_eq!(found, Ok(serde_json::json!({"a": 1})), "{response}");
        }
    }

    #[test]
    fn a_string_may_contain_marks_and_braces() {
        let object = r#"{"a":"}</think>{\"a\":2}<think>"}"#;
        assert_eq!(content(object), Ok(Content::Object(object.to_owned())));
    }

    #[test]
    fn everything_else_is_a_problem_that_quotes_the_response() {
        let braces = "{ ".repeat(MAX_CANDIDATES + 1);
        for (response, problem) in [
            ("", "it is empty"),
            (
                "<think>{\"a\":1}</think>",
                "it has no JSON object outside <think>: \"<think>{",
            ),
            (
                "<think>{\"a\":1}",
                "it has no JSON object outside <think>: \"<think>{",
            ),
            ("NOT satisfied", "it has no JSON object: \"NOT satisfied\""),
            ("[1, 2]", "it has no JSON object: \"[1, 2]\""),
            (
                r#"{"a":1} {"a":2}"#,
                "it has several JSON objects that differ: \"{",
            ),
            (r#"{"b":{"a":1}"#, "its JSON object is incomplete: \"{"),
            (r#"{"a":1} {"a":"#, "its JSON object is incomplete: \"{"),
            (&braces, "it has too many opening braces: \"{"),
        ] {
            let found = parse::<Value>(response).unwrap_err();
            assert!(found.starts_with(problem), "{response}: {found}");
        }
    }
}
