//! An editor that writes and reads framed messages.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::support::Project;

/// A running server, and the documents that were opened.
pub(super) struct Editor {
    server: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    root: String,
    next_id: u64,
    version: i64,
}

pub(super) fn uri(project: &Project, name: &str) -> String {
    format!("file://{}", project.at(name).display())
}

impl Editor {
    pub(super) fn start(project: &Project) -> Editor {
        Editor::start_in(project, ".", "")
    }

    /// Starts the server in a directory, for a project in another one.
    pub(super) fn start_in(project: &Project, dir: &str, root: &str) -> Editor {
        let mut server = Command::new(env!("CARGO_BIN_EXE_casebook"))
            .args(["lsp", "--stdio"])
            .current_dir(project.at(dir))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut editor = Editor {
            input: server.stdin.take().unwrap(),
            output: BufReader::new(server.stdout.take().unwrap()),
            server,
            root: uri(project, root).trim_end_matches('/').to_owned() + "/",
            next_id: 1,
            version: 0,
        };
        let capabilities = json!({ "workspace": { "codeLens": { "refreshSupport": true } } });
        let root = (!root.is_empty()).then(|| uri(project, root));
        let params = json!({ "capabilities": capabilities, "rootUri": root });
        let result = editor.ask("initialize", &params);
        assert_eq!(result["serverInfo"]["name"], "casebook");
        editor.notify("initialized", &json!({}));
        editor
    }

    pub(super) fn write_frame(&mut self, body: &str) {
        write!(self.input, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        self.input.flush().unwrap();
    }

    pub(super) fn notify(&mut self, method: &str, params: &Value) {
        let message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        self.write_frame(&message.to_string());
    }

    /// The next message.
    pub(super) fn receive(&mut self) -> Value {
        let mut header = String::new();
        self.output.read_line(&mut header).unwrap();
        let length = header.trim().strip_prefix("Content-Length: ");
        let length: usize = length.expect("a message").parse().unwrap();
        self.output.read_line(&mut header).unwrap();
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    /// Sends a request without waiting for the answer, and returns its id.
    pub(super) fn send(&mut self, method: &str, params: &Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.write_frame(&message.to_string());
        id
    }

    /// The answer to a request; notifications before it are skipped.
    pub(super) fn answer_to(&mut self, method: &str, params: &Value) -> Value {
        let id = self.send(method, params);
        loop {
            let message = self.receive();
            if message["id"] == id {
                return message;
            }
        }
    }

    #[track_caller]
    pub(super) fn ask(&mut self, method: &str, params: &Value) -> Value {
        let answer = self.answer_to(method, params);
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    pub(super) fn open(&mut self, name: &str, text: &str) {
        self.version = 1;
        let uri = format!("{}{name}", self.root);
        let document = json!({ "uri": uri, "languageId": "yaml", "version": 1, "text": text });
        self.notify("textDocument/didOpen", &json!({ "textDocument": document }));
    }

    pub(super) fn change(&mut self, name: &str, text: &str) {
        self.version += 1;
        let document = json!({ "uri": format!("{}{name}", self.root), "version": self.version });
        let params = json!({ "textDocument": document, "contentChanges": [{ "text": text }] });
        self.notify("textDocument/didChange", &params);
    }

    /// The problems that are published next.
    #[track_caller]
    pub(super) fn problems(&mut self) -> Vec<Value> {
        let message = self.receive();
        assert_eq!(
            message["method"], "textDocument/publishDiagnostics",
            "{message}"
        );
        message["params"]["diagnostics"].as_array().unwrap().clone()
    }

    /// The codes of the problems that are published until the server has read everything, by the names of the files.
    pub(super) fn published(&mut self) -> BTreeMap<String, Vec<String>> {
        let params = json!({ "textDocument": { "uri": self.root } });
        let id = self.send("textDocument/codeLens", &params);
        let mut published = BTreeMap::new();
        loop {
            let message = self.receive();
            if message["id"] == id {
                return published;
            }
            let params = &message["params"];
            let uri = params["uri"].as_str().unwrap();
            let problems = params["diagnostics"].as_array().unwrap().iter();
            let codes = problems.map(|one| one["code"].as_str().unwrap().to_owned());
            let name = uri.strip_prefix(&self.root).unwrap().to_owned();
            published.insert(name, codes.collect());
        }
    }

    pub(super) fn close(&mut self, name: &str) {
        let document = json!({ "uri": format!("{}{name}", self.root) });
        self.notify(
            "textDocument/didClose",
            &json!({ "textDocument": document }),
        );
    }

    /// The version of the problems that are published next.
    pub(super) fn next_version(&mut self) -> i64 {
        self.receive()["params"]["version"].as_i64().unwrap()
    }

    /// All quick fixes of a document.
    pub(super) fn fixes(&mut self, name: &str) -> Vec<Value> {
        let params = json!({
            "textDocument": { "uri": format!("{}{name}", self.root) },
            "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 9999, "character": 0 } },
            "context": { "diagnostics": [] },
        });
        let fixes = self.ask("textDocument/codeAction", &params);
        fixes.as_array().unwrap().clone()
    }

    pub(super) fn shut_down(mut self) {
        assert_eq!(self.ask("shutdown", &Value::Null), Value::Null);
        self.notify("exit", &Value::Null);
        assert!(self.server.wait().unwrap().success());
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// Parameters of a request about the first occurrence of a text in a file, at an offset in it.
pub(super) fn at(project: &Project, name: &str, text: &str, place: &str, inside: usize) -> Value {
    let offset = text.find(place).expect(place) + inside;
    let line = text[..offset].matches('\n').count();
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let character = text[start..offset].encode_utf16().count();
    json!({
        "textDocument": { "uri": uri(project, name) },
        "position": { "line": line, "character": character },
    })
}

/// The text after the edits of a change.
pub(super) fn edited(text: &str, edits: &Value) -> String {
    let offset = |position: &Value| {
        let number = |name: &str| usize::try_from(position[name].as_u64().unwrap()).unwrap();
        let lines = text.split_inclusive('\n').take(number("line"));
        let start = lines.map(str::len).sum::<usize>();
        let mut units = number("character");
        let mut chars = text[start..].chars();
        let before = chars.by_ref().take_while(|c| {
            let is_before = units >= c.len_utf16();
            units = units.saturating_sub(c.len_utf16());
            is_before && *c != '\n'
        });
        start + before.map(char::len_utf8).sum::<usize>()
    };
    let edits = edits.as_array().unwrap().iter();
    let mut edits: Vec<_> = edits
        .map(|edit| {
            let range = offset(&edit["range"]["start"])..offset(&edit["range"]["end"]);
            (range, edit["newText"].as_str().unwrap())
        })
        .collect();
    edits.sort_by_key(|(range, _)| range.start);
    let mut text = text.to_owned();
    for (range, new) in edits.into_iter().rev() {
        text.replace_range(range, new);
    }
    text
}

/// The text after a quick fix, which changes one file.
pub(super) fn applied(text: &str, fix: &Value) -> String {
    let changes = fix["edit"]["changes"].as_object().unwrap();
    edited(text, changes.values().next().unwrap())
}
