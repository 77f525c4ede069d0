//! Decodes an HTTP agent: the body of its requests, and where the reply is in its responses.

use casebook_source::yaml::{Node, NodeKind};

use super::{CONVERSATION_VALUES, endpoint, example, with_values};
use crate::codes::{CONFLICT, MISSING_FIELD};
use crate::fields::agent::{HTTP, RESPONSE, TOKENS};
use crate::model::agent::{
    Agent, Body, HttpAgent, HttpMethod, MESSAGE, MESSAGES, ResponsePointers, TokenPointers,
};
use crate::reader::Reader;

pub(super) fn agent(node: &Node, reader: &mut Reader<'_, '_>) -> Option<Agent> {
    reader.object("an http agent", "http", node, HTTP);
    let endpoint = endpoint::endpoint(node, reader);
    let method = node.get("method").map(|node| method(node, reader));
    let body = node.get("body").map(|node| body(node, reader));
    let response = node.get("response").map(|node| response(node, reader));
    let stream = node.get("stream").map(|node| {
        let stream = reader.choice("stream", node, &["sse", "none"])?;
        Some(stream == "sse")
    });
    // A field with a problem makes the agent invalid.
    let agent = HttpAgent {
        endpoint: endpoint?,
        method: method.unwrap_or(Some(HttpMethod::Post))?,
        body: body.map_or(Some(None), |body| body.map(Some))?,
        response: response.map_or(Some(None), |response| response.map(Some))?,
        stream: stream.unwrap_or(Some(false))?,
    };
    check_example(&agent, node, reader);
    Some(Agent::Http(Box::new(agent)))
}

fn method(node: &Node, reader: &mut Reader<'_, '_>) -> Option<HttpMethod> {
    Some(
        match reader.choice("method", node, &["POST", "PUT", "PATCH"])? {
            "PUT" => HttpMethod::Put,
            "PATCH" => HttpMethod::Patch,
            _ => HttpMethod::Post,
        },
    )
}

/// A body with the values of the conversation and its messages.
fn body(node: &Node, reader: &mut Reader<'_, '_>) -> Option<Body> {
    let [id, trial] = CONVERSATION_VALUES;
    let body = with_values(
        &[id, trial, MESSAGE, MESSAGES],
        reader,
        |reader| match &node.kind {
            NodeKind::Map(_) => reader.json(node).map(Body::Json),
            NodeKind::List(_) => {
                let message = "`body` must be a mapping or text, not a list";
                reader.type_error(node, message.to_owned());
                None
            }
            NodeKind::Scalar(_) => reader.non_empty_text("body", node).map(Body::Text),
        },
    )?;
    if !body.uses(&[MESSAGE, MESSAGES]) {
        let message = "the agent would not get the user's message: `body` has neither `{{message}}` nor `{{messages}}`";
        reader
            .note(MISSING_FIELD, node.span, message)
            .help_last("write `{{message}}` where the agent expects it");
        return None;
    }
    Some(body)
}

fn response(node: &Node, reader: &mut Reader<'_, '_>) -> Option<ResponsePointers> {
    reader.object("`response`", "response", node, RESPONSE);
    node.as_map()?;
    if node.get("text").is_none() {
        reader
            .note(MISSING_FIELD, node.span, "`response` has no `text`")
            .help_last("write a JSON Pointer to the text of the reply: `text: /reply`");
        return None;
    }
    for field in ["name", "arguments"] {
        if let Some(node) = node.get(field).filter(|_| node.get("toolCalls").is_none()) {
            let message = format!("`{field}` requires `toolCalls`");
            reader.note(CONFLICT, node.span, message);
        }
    }
    let mut pointer = |field: &str| match node.get(field) {
        Some(node) => reader.pointer(field, node).map(Some),
        None => Some(None),
    };
    let text = pointer("text");
    let tool_calls = pointer("toolCalls");
    let name = pointer("name");
    let arguments = pointer("arguments");
    let cost = pointer("cost");
    let tokens = node.get("tokens").map(|node| tokens(node, reader));
    Some(ResponsePointers {
        text: text??,
        tool_calls: tool_calls?,
        name: name?.unwrap_or_else(|| "/name".to_owned()),
        arguments: arguments?.unwrap_or_else(|| "/arguments".to_owned()),
        cost: cost?,
        tokens: tokens.map_or(Some(None), |tokens| tokens.map(Some))?,
    })
}

fn tokens(node: &Node, reader: &mut Reader<'_, '_>) -> Option<TokenPointers> {
    if node.as_text().is_some() {
        return reader.pointer("tokens", node).map(TokenPointers::One);
    }
    reader.object("`tokens`", "tokens", node, TOKENS);
    let (Some(input), Some(output)) = (node.get("input"), node.get("output")) else {
        let message = "`tokens` must be a JSON Pointer, or have `input` and `output`";
        reader.note(MISSING_FIELD, node.span, message);
        return None;
    };
    let input = reader.pointer("input", input);
    let output = reader.pointer("output", output);
    Some(TokenPointers::Two {
        input: input?,
        output: output?,
    })
}

fn check_example(agent: &HttpAgent, node: &Node, reader: &mut Reader<'_, '_>) {
    let Some(example) = node.get("example") else {
        return;
    };
    if let (Some(pointers), Some(response)) = (&agent.response, node.get("response")) {
        example::check(pointers, agent.stream, example, response, reader);
    } else {
        let message = "`example` has no effect here: it checks the pointers in `response`";
        reader.note(CONFLICT, example.span, message);
    }
}
