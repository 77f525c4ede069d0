//! [`run`]: answers the editor. Messages that wait are handled before anything is checked, so that fast typing is checked once.

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io::BufReader;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use serde_json::{Value, json};

use super::document::Document;
use super::{assist, frame};
use crate::context::{Context, ProtocolStreams};
use crate::error::CommandError;
use crate::exit::Exit;

const PARSE_ERROR: i64 = -32_700;
const METHOD_NOT_FOUND: i64 = -32_601;
const INVALID_REQUEST: i64 = -32_600;

struct Server<'c> {
    context: &'c Context,
    output: File,
    documents: HashMap<String, Document>,
    /// Documents whose text changed since they were checked.
    changed: BTreeSet<String>,
    was_shut_down: bool,
}

/// Serves an editor until it sends `exit`, or closes its end.
pub(super) fn run(streams: &ProtocolStreams, context: &Context) -> Result<Exit, CommandError> {
    let messages = read(streams.input.try_clone()?);
    let mut server = Server {
        context,
        output: streams.output.try_clone()?,
        documents: HashMap::new(),
        changed: BTreeSet::new(),
        was_shut_down: false,
    };
    while let Ok(message) = messages.recv() {
        let mut next = Some(message);
        while let Some(message) = next {
            if server.handle(&message)? {
                return Ok(if server.was_shut_down {
                    Exit::Passed
                } else {
                    Exit::Failed
                });
            }
            next = messages.try_recv().ok();
        }
        server.check_changed()?;
    }
    Ok(Exit::Passed)
}

/// Reads messages on a thread, until the end or a frame that is not valid: after that, nothing can be read any more.
fn read(input: File) -> Receiver<Vec<u8>> {
    let (sender, messages) = channel();
    thread::spawn(move || {
        let mut input = BufReader::new(input);
        while let Ok(Some(message)) = frame::read(&mut input) {
            if sender.send(message).is_err() {
                return;
            }
        }
    });
    messages
}

impl Server<'_> {
    /// Handles a message. Returns whether it was the last one.
    fn handle(&mut self, message: &[u8]) -> Result<bool, CommandError> {
        let Ok(message) = serde_json::from_slice::<Value>(message) else {
            self.send_error(&Value::Null, PARSE_ERROR, "not valid JSON")?;
            return Ok(false);
        };
        let method = message["method"].as_str().unwrap_or_default();
        let params = &message["params"];
        match message.get("id") {
            Some(_) if method.is_empty() => {}
            Some(id) => self.request(id, method, params)?,
            None if method == "exit" => return Ok(true),
            None => self.notification(method, params)?,
        }
        Ok(false)
    }

    fn request(&mut self, id: &Value, method: &str, params: &Value) -> Result<(), CommandError> {
        if self.was_shut_down {
            return self.send_error(id, INVALID_REQUEST, "the server was shut down");
        }
        // The answer must be about the text that the editor shows.
        self.check_changed()?;
        let uri = params["textDocument"]["uri"].as_str().unwrap_or_default();
        let document = self.documents.get(uri);
        let position = &params["position"];
        let result = match method {
            "initialize" => capabilities(),
            "shutdown" => {
                self.was_shut_down = true;
                Value::Null
            }
            "textDocument/codeAction" => {
                let fixes = document.map(|document| document.fixes(uri, &params["range"]));
                json!(fixes.unwrap_or_default())
            }
            "textDocument/hover" => {
                let hover = document.and_then(|document| assist::hover(document, position));
                hover.unwrap_or_default()
            }
            "textDocument/definition" => {
                let found = document.and_then(|one| assist::definition(one, uri, position));
                found.unwrap_or_default()
            }
            "textDocument/completion" => {
                let items = document.map(|document| assist::completions(document, position));
                json!(items.unwrap_or_default())
            }
            _ => {
                let message = format!("unknown method `{method}`");
                return self.send_error(id, METHOD_NOT_FOUND, &message);
            }
        };
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": result }))
    }

    fn notification(&mut self, method: &str, params: &Value) -> Result<(), CommandError> {
        let document = &params["textDocument"];
        let uri = document["uri"].as_str().unwrap_or_default().to_owned();
        let version = document["version"].clone();
        match method {
            "textDocument/didOpen" => {
                let text = document["text"].as_str().unwrap_or_default().to_owned();
                let opened = Document::new(&uri, version, text);
                if opened.is_suite() {
                    self.documents.insert(uri.clone(), opened);
                    self.changed.insert(uri);
                }
            }
            "textDocument/didChange" => {
                let changes = params["contentChanges"].as_array();
                let text = changes.and_then(|changes| changes.last()?["text"].as_str());
                if let (Some(open), Some(text)) = (self.documents.get_mut(&uri), text) {
                    open.change(version, text.to_owned());
                    self.changed.insert(uri);
                }
            }
            // A file that suites include may have changed.
            "textDocument/didSave" => self.changed.extend(self.documents.keys().cloned()),
            "textDocument/didClose" => {
                self.changed.remove(&uri);
                if self.documents.remove(&uri).is_some() {
                    self.publish(&uri, &Value::Null, &json!([]))?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn check_changed(&mut self) -> Result<(), CommandError> {
        for uri in std::mem::take(&mut self.changed) {
            if let Some(document) = self.documents.get_mut(&uri) {
                let problems = document.check(self.context);
                let version = document.version.clone();
                self.publish(&uri, &version, &problems)?;
            }
        }
        Ok(())
    }

    fn publish(
        &mut self,
        uri: &str,
        version: &Value,
        problems: &Value,
    ) -> Result<(), CommandError> {
        let mut params = json!({ "uri": uri, "diagnostics": problems });
        if version.is_i64() {
            params["version"] = version.clone();
        }
        let method = "textDocument/publishDiagnostics";
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))
    }

    fn send_error(&mut self, id: &Value, code: i64, message: &str) -> Result<(), CommandError> {
        let error = json!({ "code": code, "message": message });
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "error": error }))
    }

    fn send(&mut self, message: &Value) -> Result<(), CommandError> {
        Ok(frame::write(message, &mut self.output)?)
    }
}

fn capabilities() -> Value {
    json!({
        "capabilities": {
            "positionEncoding": "utf-16",
            "textDocumentSync": { "openClose": true, "change": 1, "save": true },
            "hoverProvider": true,
            "definitionProvider": true,
            "completionProvider": {},
            "codeActionProvider": { "codeActionKinds": ["quickfix"] },
        },
        "serverInfo": { "name": "casebook", "version": env!("CARGO_PKG_VERSION") },
    })
}
