//! Decodes a model under test: its API, its price and its tools.

use casebook_source::yaml::Node;

use super::{endpoint, required_text, tool};
use crate::check::conversation::llm::price;
use crate::fields::agent::{ANTHROPIC, OPENAI};
use crate::model::agent::{Agent, ModelAgent, ModelApi};
use crate::reader::Reader;

/// The default of `maxToolRounds`.
const MAX_TOOL_ROUNDS: u32 = 8;

pub(super) fn agent(api: ModelApi, node: &Node, reader: &mut Reader<'_, '_>) -> Option<Agent> {
    let (what, field, known) = match api {
        ModelApi::OpenAi => ("an openai agent", "openai", OPENAI),
        ModelApi::Anthropic => ("an anthropic agent", "anthropic", ANTHROPIC),
    };
    reader.object(what, field, node, known);
    let model = required_text(what, "model", node, reader);
    let system = node
        .get("system")
        .and_then(|node| reader.text("system", node));
    let endpoint = endpoint::endpoint(node, reader);
    let count = |field: &str, max: u32, reader: &mut Reader<'_, '_>| {
        let value = node.get(field);
        value.and_then(|node| reader.count(field, node, max))
    };
    let max_tokens = count("maxTokens", 1_000_000, reader);
    let max_tool_rounds = count("maxToolRounds", 100, reader);
    let stream = node
        .get("stream")
        .and_then(|node| reader.bool("stream", node));
    let price = node.get("price").and_then(|node| price(node, reader));
    let tools = match node.get("tools") {
        Some(node) => tool::tools(node, reader),
        None => Some(Vec::new()),
    };
    Some(Agent::Model(Box::new(ModelAgent {
        api,
        endpoint: endpoint?,
        model: model?.0,
        system,
        max_tokens,
        stream: stream.unwrap_or(false),
        price,
        tools: tools?,
        max_tool_rounds: max_tool_rounds.unwrap_or(MAX_TOOL_ROUNDS),
    })))
}
