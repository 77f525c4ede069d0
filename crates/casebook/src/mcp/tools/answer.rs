//! [`Answer`]: the result of a tool, within the limit of a response.

use serde_json::{Value, json};

use crate::mcp::call::Outcome;
use crate::mcp::limit;
use crate::mcp::session::Session;

pub(in crate::mcp) struct Answer {
    exit: u8,
    messages: String,
    result: Value,
    /// The resource that contains everything.
    link: Option<String>,
}

impl Answer {
    pub(super) fn new(outcome: &Outcome, result: Value) -> Answer {
        Answer {
            exit: outcome.exit,
            messages: outcome.messages.clone(),
            result,
            link: None,
        }
    }

    /// The JSON that a command printed.
    pub(super) fn json(outcome: &Outcome) -> Result<Answer, String> {
        Ok(Answer::new(outcome, outcome.json()?))
    }

    /// Other messages than those of the command.
    pub(super) fn messages(mut self, messages: String) -> Answer {
        self.messages = messages;
        self
    }

    pub(super) fn link(mut self, uri: Option<String>) -> Answer {
        self.link = uri;
        self
    }

    /// The result of `tools/call`: as structured content, and the same as text for clients that read only text.
    pub(in crate::mcp) fn into_result(self, session: &Session) -> Value {
        let mut content = session.redacted(json!({
            "exit_code": self.exit,
            "messages": self.messages,
            "result": self.result,
        }));
        let full = content.to_string();
        let truncated = limit::shorten(&mut content);
        let mut link = self.link;
        if !truncated.is_empty() {
            content["truncated"] = json!(truncated);
            link = link.or_else(|| Some(session.keep_result(full)));
        }
        let mut blocks = vec![json!({ "type": "text", "text": content.to_string() })];
        blocks.extend(link.map(|uri| {
            json!({
                "type": "resource_link",
                "uri": uri,
                "name": "the complete result",
                "mimeType": "application/json",
            })
        }));
        json!({ "content": blocks, "structuredContent": content, "isError": false })
    }
}
