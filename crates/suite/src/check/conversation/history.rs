//! Decodes `history`: messages before the conversation, grouped into turns.

use casebook_source::yaml::{Entry, Node, NodeKind};
use serde_json::{Map, Value};

use super::agent::required_text;
use super::names::KnownNames;
use crate::codes::{CONFLICT, MISSING_FIELD, WRONG_VALUE};
use crate::fields::conversation::{HISTORY, HISTORY_CALL};
use crate::model::conversation::{HistoryCall, HistoryMessage, HistoryTurn};
use crate::reader::{Reader, Text};

const ROLES: [&str; 3] = ["user", "assistant", "tool"];

/// The turns of the messages.
pub(super) fn history(
    node: &Node,
    known: &KnownNames,
    reader: &mut Reader<'_, '_>,
) -> Vec<HistoryTurn> {
    let NodeKind::List(nodes) = &node.kind else {
        let message = format!(
            "`history` must be a list of messages, not {}",
            node.describe()
        );
        reader
            .type_error(node, message)
            .help_last("write `- {role: user, content: …}` for each message");
        return Vec::new();
    };
    if nodes.is_empty() {
        let message = "`history` must have at least one message";
        reader.note(MISSING_FIELD, node.span, message);
    }
    let mut history = HistoryDecoder {
        turns: Vec::new(),
        known,
        reader,
    };
    for node in nodes {
        history.message(node);
    }
    history.turns
}

struct HistoryDecoder<'h, 'v, 'c> {
    turns: Vec<HistoryTurn>,
    known: &'h KnownNames,
    reader: &'h mut Reader<'v, 'c>,
}

impl HistoryDecoder<'_, '_, '_> {
    fn message(&mut self, node: &Node) {
        let entries = self.reader.object("a message", "history", node, HISTORY);
        if node.as_map().is_none() {
            return;
        }
        let Some(role) = node.get("role") else {
            let message = "the message has no `role`";
            self.reader
                .note(MISSING_FIELD, node.span, message)
                .help_last("add `role: user`, `role: assistant` or `role: tool`");
            return;
        };
        match self.reader.choice("role", role, &ROLES) {
            Some("user") => self.user(node, entries),
            Some("assistant") => self.assistant(node, entries),
            Some(_) => self.tool(node, entries),
            None => {}
        }
    }

    fn user(&mut self, node: &Node, entries: &[Entry]) {
        self.reject(entries, &["toolCalls", "tool"], "user");
        let text = required_text("the message", "content", node, self.reader);
        self.turns.push(HistoryTurn {
            user: text.map(|(text, _)| text).unwrap_or_default(),
            messages: Vec::new(),
        });
    }

    fn assistant(&mut self, node: &Node, entries: &[Entry]) {
        self.reject(entries, &["tool"], "assistant");
        let content = node.get("content");
        let text = content.and_then(|node| self.reader.text("content", node));
        let calls = node.get("toolCalls").map(|node| self.calls(node));
        if content.is_none() && calls.is_none() {
            let message = "the message has neither `content` nor `toolCalls`";
            self.reader.note(MISSING_FIELD, node.span, message);
        }
        self.reply().push(HistoryMessage {
            text: text.unwrap_or_default(),
            calls: calls.unwrap_or_default(),
        });
    }

    /// A result belongs to the first call of the tool that has none.
    fn tool(&mut self, node: &Node, entries: &[Entry]) {
        self.reject(entries, &["toolCalls"], "tool");
        let tool = required_text("the message", "tool", node, self.reader);
        let content = node.get("content");
        if content.is_none() {
            let message = "the message has no `content`";
            self.reader.note(MISSING_FIELD, node.span, message);
        }
        let content = content.and_then(|node| self.reader.json(node));
        let (Some((tool, span)), Some(content)) = (tool, content) else {
            return;
        };
        let mut calls = self
            .reply()
            .iter_mut()
            .flat_map(|message| &mut message.calls);
        if let Some(call) = calls.find(|call| call.tool == tool && call.result.is_none()) {
            call.result = Some(content);
            return;
        }
        let message = format!("no message before calls `{tool}` without a result");
        let help = format!("add `{{role: assistant, toolCalls: [{{tool: {tool}}}]}}` before it");
        self.reader
            .note(WRONG_VALUE, span, message)
            .help_last(&help);
    }

    fn calls(&mut self, node: &Node) -> Vec<HistoryCall> {
        let NodeKind::List(nodes) = &node.kind else {
            let message = format!("`toolCalls` must be a list, not {}", node.describe());
            self.reader.type_error(node, message);
            return Vec::new();
        };
        nodes.iter().filter_map(|node| self.call(node)).collect()
    }

    fn call(&mut self, node: &Node) -> Option<HistoryCall> {
        let reader = &mut *self.reader;
        reader.object("a call", "toolCalls", node, HISTORY_CALL);
        node.as_map()?;
        let arguments = node.get("arguments").map(|node| {
            reader.map("arguments", node);
            reader.json(node)
        });
        let result = node.get("result").and_then(|node| reader.json(node));
        let (text, span) = required_text("the call", "tool", node, reader)?;
        let tool = Text { text, span };
        self.known.tool(&tool, reader).then_some(())?;
        Some(HistoryCall {
            tool: tool.text,
            arguments: arguments.flatten().unwrap_or(Value::Object(Map::new())),
            result,
        })
    }

    /// The messages of the last turn's reply. A turn is added if the assistant spoke first.
    fn reply(&mut self) -> &mut Vec<HistoryMessage> {
        if self.turns.is_empty() {
            self.turns.push(HistoryTurn::default());
        }
        let last = self.turns.len() - 1;
        &mut self.turns[last].messages
    }

    fn reject(&mut self, entries: &[Entry], fields: &[&str], role: &str) {
        for entry in entries.iter().filter(|entry| fields.contains(&&*entry.key)) {
            let message = format!("`{}` has no effect here: the role is `{role}`", entry.key);
            self.reader.note(CONFLICT, entry.key_span, message);
        }
    }
}
