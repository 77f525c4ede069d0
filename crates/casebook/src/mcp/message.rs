//! JSON-RPC 2.0: the messages that a client sends, and errors.

use serde_json::{Map, Value, json};

pub(super) const PARSE_ERROR: i64 = -32_700;
pub(super) const INVALID_REQUEST: i64 = -32_600;
pub(super) const METHOD_NOT_FOUND: i64 = -32_601;
pub(super) const INVALID_PARAMS: i64 = -32_602;
pub(super) const INTERNAL_ERROR: i64 = -32_603;

/// A message of the client.
#[derive(Debug)]
pub(super) enum Message {
    Request(Request),
    Notification {
        method: String,
        params: Params,
    },
    /// An answer to a request, although the server sends none.
    Answer,
}

#[derive(Debug)]
pub(super) struct Request {
    pub(super) id: Value,
    pub(super) method: String,
    pub(super) params: Params,
}

pub(super) type Params = Map<String, Value>;

/// An error of the protocol, as opposed to a tool that fails.
#[derive(Debug)]
pub(super) struct RpcError {
    pub(super) code: i64,
    pub(super) message: String,
    pub(super) data: Option<Value>,
}

impl RpcError {
    pub(super) fn new(code: i64, message: impl Into<String>) -> RpcError {
        RpcError {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// The message that reports it.
    pub(super) fn answer(&self, id: &Value) -> Value {
        let mut error = json!({ "code": self.code, "message": self.message });
        if let Some(data) = &self.data {
            error["data"] = data.clone();
        }
        json!({ "jsonrpc": "2.0", "id": id, "error": error })
    }
}

impl Message {
    /// Reads a message. The error is the answer to it.
    pub(super) fn parse(line: &[u8]) -> Result<Message, Value> {
        let value: Value = serde_json::from_slice(line).map_err(|error| {
            let message = format!("not a JSON object on one line: {error}");
            RpcError::new(PARSE_ERROR, message).answer(&Value::Null)
        })?;
        let Value::Object(mut fields) = value else {
            return Err(invalid(&Value::Null, "a message is a JSON object"));
        };
        let id = fields.remove("id");
        let shown_id = id.clone().filter(is_id).unwrap_or_default();
        if fields.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
            return Err(invalid(&shown_id, "`jsonrpc` must be \"2.0\""));
        }
        let method = match fields.remove("method") {
            Some(Value::String(method)) => method,
            None if fields.contains_key("result") || fields.contains_key("error") => {
                return Ok(Message::Answer);
            }
            _ => return Err(invalid(&shown_id, "`method` must be a string")),
        };
        let params = match fields.remove("params") {
            Some(Value::Object(params)) => params,
            None => Params::new(),
            Some(_) => return Err(invalid(&shown_id, "`params` must be an object")),
        };
        match id {
            None => Ok(Message::Notification { method, params }),
            Some(id) if is_id(&id) => Ok(Message::Request(Request { id, method, params })),
            Some(_) => Err(invalid(&Value::Null, "`id` must be a string or an integer")),
        }
    }
}

fn is_id(id: &Value) -> bool {
    id.is_string() || id.is_i64() || id.is_u64()
}

fn invalid(id: &Value, message: &str) -> Value {
    RpcError::new(INVALID_REQUEST, message).answer(id)
}
