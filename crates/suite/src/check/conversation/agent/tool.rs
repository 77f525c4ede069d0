//! Decodes the tools that Casebook provides to a model, with their results.

use casebook_source::yaml::{Node, NodeKind};
use serde_json::{Value, json};

use super::required_text;
use crate::codes::{CONFLICT, MISSING_FIELD, VACUOUS, WRONG_VALUE};
use crate::fields::agent::{TOOL, TOOL_RESULT};
use crate::model::agent::{Tool, ToolResult};
use crate::reader::Reader;

/// The longest name that the APIs of models accept.
const MAX_NAME: usize = 64;

pub(super) fn tools(node: &Node, reader: &mut Reader<'_, '_>) -> Option<Vec<Tool>> {
    let Some(nodes) = node.as_list() else {
        let message = format!("`tools` must be a list, not {}", node.describe());
        reader
            .type_error(node, message)
            .help_last("write `- {name: …, result: …}` for each tool");
        return None;
    };
    let mut tools: Vec<Option<Tool>> = Vec::new();
    for node in nodes {
        let tool = tool(node, reader);
        let name = tool.as_ref().map(|tool| &tool.name);
        let mut earlier = tools.iter().flatten();
        if let Some(name) = name.filter(|name| earlier.any(|other| other.name == **name)) {
            let message = format!("there are two tools with the name `{name}`");
            reader.note(CONFLICT, node.span, message);
        }
        tools.push(tool);
    }
    tools.into_iter().collect()
}

fn tool(node: &Node, reader: &mut Reader<'_, '_>) -> Option<Tool> {
    if node.as_map().is_none() {
        let message = format!(
            "a tool must be a mapping with `name` and `result`, not {}",
            node.describe()
        );
        reader.type_error(node, message);
        return None;
    }
    reader.object("a tool", "tools", node, TOOL);
    let name = required_text("the tool", "name", node, reader);
    let is_name_char = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if let Some((name, span)) = &name
        && (name.len() > MAX_NAME || !name.chars().all(is_name_char))
    {
        let message = format!(
            "`{name}` is not a valid name of a tool: it can have up to {MAX_NAME} letters, digits, `_` and `-`"
        );
        reader.note(WRONG_VALUE, *span, message);
    }
    let description = node
        .get("description")
        .and_then(|node| reader.text("description", node));
    let parameters = match node.get("parameters") {
        Some(node) => parameters(node, reader),
        None => Some(json!({"type": "object", "properties": {}})),
    };
    let Some(result) = node.get("result") else {
        reader
            .note(MISSING_FIELD, node.span, "the tool has no `result`")
            .help_last("write the value that a call returns, `{run: COMMAND}` or `{error: TEXT}`");
        return None;
    };
    let result = self::result(result, true, reader);
    Some(Tool {
        name: name?.0,
        description,
        parameters: parameters?,
        result: result?,
    })
}

/// The JSON Schema of the arguments, which are always an object.
fn parameters(node: &Node, reader: &mut Reader<'_, '_>) -> Option<Value> {
    reader.map("parameters", node);
    let mut schema = reader.json(node)?;
    let fields = schema.as_object_mut()?;
    let kind = fields.entry("type").or_insert_with(|| "object".into());
    if kind != "object" {
        let message = "`parameters` must be a JSON Schema of the type `object`";
        reader.note(WRONG_VALUE, node.span, message);
        return None;
    }
    Some(schema)
}

/// A result. `may_be_list`: it may be a list with one result per call.
fn result(node: &Node, may_be_list: bool, reader: &mut Reader<'_, '_>) -> Option<ToolResult> {
    match &node.kind {
        NodeKind::List(nodes) if may_be_list => {
            if nodes.is_empty() {
                let message = "`result` is an empty list: no call would have a result";
                reader.note(VACUOUS, node.span, message);
            }
            let results: Vec<_> = nodes
                .iter()
                .map(|node| result(node, false, reader))
                .collect();
            let results = results.into_iter().collect::<Option<Vec<_>>>();
            results.map(ToolResult::InOrder)
        }
        NodeKind::Map(entries) => match entries.as_slice() {
            [only] if only.key == "run" => reader
                .non_empty_script("run", &only.value)
                .map(ToolResult::Run),
            [only] if only.key == "error" => reader
                .non_empty_text("error", &only.value)
                .map(ToolResult::Error),
            entries => {
                let special = |entry: &&_| is_special(entry);
                if let Some(entry) = entries.iter().find(special) {
                    let message = format!("`{}` must be the only field of a result", entry.key);
                    reader.note(CONFLICT, entry.key_span, message);
                    return None;
                }
                reader.json(node).map(ToolResult::Value)
            }
        },
        _ => reader.json(node).map(ToolResult::Value),
    }
}

fn is_special(entry: &casebook_source::yaml::Entry<'_>) -> bool {
    TOOL_RESULT.iter().any(|field| field.name == entry.key)
}
