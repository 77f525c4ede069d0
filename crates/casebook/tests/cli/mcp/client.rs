//! A client that writes and reads messages.

use serde_json::{Value, json};

use crate::support::{Call, Live, Outcome, Project};

/// A running server.
pub(super) struct Client {
    server: Live,
    next_id: u64,
    /// Notifications that were received while waiting for an answer.
    pub(super) notifications: Vec<Value>,
}

impl Client {
    pub(super) fn start(project: &Project, options: &str) -> Client {
        Client::of(project.casebook(&format!("mcp {options}")))
    }

    pub(super) fn of(call: Call) -> Client {
        Client {
            server: call.start(),
            next_id: 1,
            notifications: Vec::new(),
        }
    }

    pub(super) fn write(&mut self, line: &str) {
        self.server.send(line);
    }

    /// Sends a request without waiting for the answer, and returns its id.
    pub(super) fn send(&mut self, method: &str, params: &Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.server.send(message.to_string());
        id
    }

    pub(super) fn notify(&mut self, method: &str, params: &Value) {
        let message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        self.server.send(message.to_string());
    }

    /// The next message.
    #[track_caller]
    pub(super) fn receive(&self) -> Value {
        let line = self.server.answer();
        let message: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        message
    }

    /// The answer to the next request.
    #[track_caller]
    pub(super) fn ask(&mut self, method: &str, params: &Value) -> Value {
        let id = self.send(method, params);
        loop {
            let message = self.receive();
            if message["id"] == id {
                return message;
            }
            assert!(message.get("id").is_none(), "{message}");
            self.notifications.push(message);
        }
    }

    /// The result of a request.
    #[track_caller]
    pub(super) fn result(&mut self, method: &str, params: &Value) -> Value {
        let answer = self.ask(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    #[track_caller]
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let params = json!({ "name": tool, "arguments": arguments });
        self.result("tools/call", &params)
    }

    /// The structured content of a tool that must not fail.
    #[track_caller]
    pub(super) fn structured(&mut self, tool: &str, arguments: &Value) -> Value {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], false, "{tool} {arguments}: {result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        let as_text: Value = serde_json::from_str(text).unwrap();
        assert_eq!(as_text, result["structuredContent"], "{tool}");
        as_text
    }

    /// The error of a tool.
    #[track_caller]
    pub(super) fn failure(&mut self, tool: &str, arguments: &Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{tool} {arguments}: {result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    pub(super) fn server(&self) -> &Live {
        &self.server
    }

    pub(super) fn close(self) -> Outcome {
        self.server.finish()
    }

    pub(super) fn wait(self) -> Outcome {
        self.server.wait()
    }
}
