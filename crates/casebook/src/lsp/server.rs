//! [`run`]: answers the editor. Messages that wait are handled before anything is checked, so that fast typing is checked once.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::document::{Document, path_of};
use super::files::{Files, normalized, uri_of};
use super::results::Results;
use super::test_runs::{FinishedRun, TestRuns};
use super::{completion, frame, hover, lenses, names, problems};
use crate::context::{Context, ProtocolStreams};
use crate::error::CommandError;
use crate::exit::Exit;

const PARSE_ERROR: i64 = -32_700;
const METHOD_NOT_FOUND: i64 = -32_601;
const INVALID_REQUEST: i64 = -32_600;
const INVALID_PARAMS: i64 = -32_602;
const REQUEST_CANCELLED: i64 = -32_800;
const REQUEST_FAILED: i64 = -32_803;

/// How long the server waits for tests to clean up before it ends.
const GRACE: Duration = Duration::from_secs(5);

/// What happens.
pub(super) enum Input {
    Message(Vec<u8>),
    /// A test that the server runs has ended.
    Run(FinishedRun),
    /// The editor closed its end.
    End,
    /// What the editor sent has no valid header.
    Broken(io::Error),
}

struct Server<'c> {
    context: &'c mut Context,
    output: File,
    inputs: Sender<Input>,
    documents: HashMap<String, Document>,
    /// Files that changed since the suites to which they belong were checked.
    changed: BTreeSet<PathBuf>,
    /// Files whose problems may have changed since they were published.
    unpublished: BTreeSet<PathBuf>,
    results: Results,
    runs: TestRuns,
    /// Whether the editor requests code lenses again after a notification.
    can_refresh_lenses: bool,
    was_shut_down: bool,
}

/// Why a request has no result: a code of the protocol, and a message.
type RequestError = (i64, String);

/// Serves an editor until it sends `exit`, or closes its end.
pub(super) fn run(streams: &ProtocolStreams, context: &mut Context) -> Result<Exit, CommandError> {
    let (sender, inputs) = channel();
    read(streams.input.try_clone()?, sender.clone());
    let mut server = Server {
        context,
        output: streams.output.try_clone()?,
        inputs: sender,
        documents: HashMap::new(),
        changed: BTreeSet::new(),
        unpublished: BTreeSet::new(),
        results: Results::default(),
        runs: TestRuns::default(),
        can_refresh_lenses: false,
        was_shut_down: false,
    };
    let exit = server.serve(&inputs);
    server.stop_tests(&inputs);
    exit
}

/// Reads messages on a thread, until the end or a frame that is not valid: after that, nothing can be read any more.
fn read(input: File, inputs: Sender<Input>) {
    thread::spawn(move || {
        let mut input = BufReader::new(input);
        loop {
            let (input, is_last) = match frame::read(&mut input) {
                Ok(Some(message)) => (Input::Message(message), false),
                Ok(None) => (Input::End, true),
                Err(error) => (Input::Broken(error), true),
            };
            if inputs.send(input).is_err() || is_last {
                return;
            }
        }
    });
}

/// A message of the editor.
struct Message(Value);

impl Message {
    fn method(&self) -> &str {
        self.0["method"].as_str().unwrap_or_default()
    }

    /// The request that it cancels.
    fn canceled(&self) -> Option<String> {
        (self.method() == "$/cancelRequest").then(|| self.0["params"]["id"].to_string())
    }
}

impl Server<'_> {
    fn serve(&mut self, inputs: &Receiver<Input>) -> Result<Exit, CommandError> {
        // The sender of this server is never closed.
        while let Ok(input) = inputs.recv() {
            let waiting: Vec<_> = std::iter::once(input).chain(inputs.try_iter()).collect();
            let waiting: Vec<_> = waiting.into_iter().map(QueuedInput::of).collect();
            let canceled: HashSet<_> = waiting.iter().filter_map(QueuedInput::canceled).collect();
            for one in waiting {
                match one {
                    QueuedInput::Message(message) => {
                        if self.handle(&message, &canceled)? {
                            return Ok(self.exit());
                        }
                    }
                    QueuedInput::Garbage => {
                        self.send_error(&Value::Null, PARSE_ERROR, "not valid JSON")?;
                    }
                    QueuedInput::Run(run) => self.test_finished(&run)?,
                    QueuedInput::End => return Ok(Exit::Passed),
                    QueuedInput::Broken(error) => return Err(CommandError::BrokenFrame(error)),
                }
            }
            self.check_changed()?;
        }
        Ok(Exit::Passed)
    }

    fn exit(&self) -> Exit {
        if self.was_shut_down {
            Exit::Passed
        } else {
            Exit::Failed
        }
    }

    /// Handles a message. Returns whether it was the last one.
    fn handle(
        &mut self,
        message: &Message,
        canceled: &HashSet<String>,
    ) -> Result<bool, CommandError> {
        let (method, params) = (message.method(), &message.0["params"]);
        match message.0.get("id") {
            Some(_) if method.is_empty() => {}
            Some(id) if canceled.contains(&id.to_string()) => {
                self.send_error(id, REQUEST_CANCELLED, "canceled")?;
            }
            Some(id) => self.request(id, method, params)?,
            None if method == "exit" => return Ok(true),
            None => self.notification(method, params),
        }
        Ok(false)
    }

    fn request(&mut self, id: &Value, method: &str, params: &Value) -> Result<(), CommandError> {
        if self.was_shut_down {
            return self.send_error(id, INVALID_REQUEST, "the server was shut down");
        }
        // These answers must be about the text that the editor shows; the others do not need a check.
        if matches!(
            method,
            "textDocument/codeAction" | "textDocument/codeLens" | "textDocument/hover"
        ) {
            self.check_changed()?;
            self.results.update(&self.context.dir);
        }
        let answer = match method {
            "initialize" => {
                let refresh = &params["capabilities"]["workspace"]["codeLens"]["refreshSupport"];
                self.can_refresh_lenses = refresh == &Value::Bool(true);
                self.enter(params);
                Ok(capabilities())
            }
            "shutdown" => {
                self.was_shut_down = true;
                Ok(Value::Null)
            }
            "workspace/executeCommand" => self.execute(params),
            _ => self.about_document(method, params),
        };
        match answer {
            Ok(result) => self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": result })),
            Err((code, message)) => self.send_error(id, code, &message),
        }
    }

    /// Works in the directory of the project that the editor names; some editors start servers in the directory of the user.
    fn enter(&mut self, params: &Value) {
        let named = [&params["workspaceFolders"][0]["uri"], &params["rootUri"]];
        let named = named.into_iter().find_map(Value::as_str).map(path_of);
        if let Some(dir) = named.filter(|dir| dir.is_absolute() && dir.is_dir()) {
            self.context.dir = normalized(&dir);
        }
    }

    /// Answers a request about a document. Other files than suites only have names, if a suite includes them.
    fn about_document(&self, method: &str, params: &Value) -> Result<Value, RequestError> {
        let uri = params["textDocument"]["uri"].as_str().unwrap_or_default();
        let position = &params["position"];
        let files = self.files();
        let document = self.documents.get(uri);
        let suite = document.filter(|document| document.is_suite());
        let is_included = |path| files.including(path).next().is_some();
        let document = document.filter(|one| one.is_suite() || is_included(&one.path));
        let hover = |document| hover::hover(document, position, &files, &self.results);
        let result = match method {
            "textDocument/codeAction" => {
                json!(
                    document
                        .map(|one| problems::fixes(&one.path, uri, &params["range"], &files))
                        .unwrap_or_default()
                )
            }
            "textDocument/codeLens" => {
                json!(
                    suite
                        .map(|document| lenses::lenses(document, uri, &self.results))
                        .unwrap_or_default()
                )
            }
            "textDocument/completion" => {
                json!(
                    document
                        .map(|document| completion::items(document, position, &files))
                        .unwrap_or_default()
                )
            }
            "textDocument/hover" => json!(document.and_then(hover)),
            "textDocument/definition" => {
                json!(document.and_then(|document| names::definition(document, position, &files)))
            }
            "textDocument/references" => {
                json!(document.and_then(|document| names::references(document, position, &files)))
            }
            "textDocument/prepareRename" => {
                json!(
                    document.and_then(|document| names::prepare_rename(document, position, &files))
                )
            }
            "textDocument/rename" => {
                let new_name = params["newName"].as_str().unwrap_or_default();
                let document = document.ok_or((
                    INVALID_PARAMS,
                    "the document is not an open suite, or included by one".to_owned(),
                ))?;
                let changes = names::rename(document, position, new_name, &files);
                changes.map_err(|reason| (REQUEST_FAILED, reason))?
            }
            _ => return Err((METHOD_NOT_FOUND, format!("unknown method `{method}`"))),
        };
        Ok(result)
    }

    /// Runs the test of a code lens.
    fn execute(&mut self, params: &Value) -> Result<Value, RequestError> {
        let [uri, line] = [0, 1].map(|index| &params["arguments"][index]);
        let document = self.documents.get(uri.as_str().unwrap_or_default());
        let (Some(document), Some(line), true) =
            (document, line.as_u64(), params["command"] == lenses::RUN)
        else {
            let message = format!(
                "the only command is {}, of a suite that is open and a line",
                lenses::RUN
            );
            return Err((INVALID_PARAMS, message));
        };
        let started = self
            .runs
            .start(&document.path, line, &self.context.dir, &self.inputs);
        started.map_err(|error| (REQUEST_FAILED, format!("cannot run the test: {error}")))?;
        Ok(Value::Null)
    }

    fn test_finished(&mut self, run: &FinishedRun) -> Result<(), CommandError> {
        const INFO: u8 = 3;
        self.runs.finished(run);
        let params = json!({ "type": INFO, "message": run.message() });
        self.send(&json!({ "jsonrpc": "2.0", "method": "window/showMessage", "params": params }))?;
        if self.can_refresh_lenses {
            let method = "workspace/codeLens/refresh";
            self.send(&json!({ "jsonrpc": "2.0", "id": method, "method": method }))?;
        }
        Ok(())
    }

    /// Stops the tests that are running, and waits for them.
    fn stop_tests(&mut self, inputs: &Receiver<Input>) {
        self.runs.stop();
        while !self.runs.is_empty() {
            match inputs.recv_timeout(GRACE) {
                Ok(Input::Run(run)) => self.runs.finished(&run),
                Ok(_) => {}
                Err(_) => return,
            }
        }
    }

    fn notification(&mut self, method: &str, params: &Value) {
        let document = &params["textDocument"];
        let uri = document["uri"].as_str().unwrap_or_default().to_owned();
        let version = document["version"].clone();
        match method {
            "textDocument/didOpen" => {
                let text = document["text"].as_str().unwrap_or_default().to_owned();
                let opened = Document::new(&uri, version, text);
                self.changed.insert(opened.path.clone());
                let is_suite = opened.is_suite();
                self.documents.insert(uri, opened);
                if !is_suite {
                    self.read_including_suites();
                }
            }
            "textDocument/didChange" => {
                let changes = params["contentChanges"].as_array();
                let text = changes.and_then(|changes| changes.last()?["text"].as_str());
                if let (Some(open), Some(text)) = (self.documents.get_mut(&uri), text) {
                    open.change(version, text.to_owned());
                    self.changed.insert(open.path.clone());
                }
            }
            // A file that suites include may have changed.
            "textDocument/didSave" => {
                let suites = self.documents.values().filter(|one| one.is_suite());
                self.changed.extend(suites.map(|suite| suite.path.clone()));
                self.read_including_suites();
            }
            "textDocument/didClose" => {
                if let Some(closed) = self.documents.remove(&uri) {
                    self.changed.insert(closed.path.clone());
                    self.forget(&closed);
                    self.read_including_suites();
                }
            }
            _ => {}
        }
    }

    /// Reads suites on disk that include an open file which no open suite includes.
    fn read_including_suites(&mut self) {
        let background: Vec<_> = self.documents.extract_if(|_, one| !one.is_open).collect();
        for (_, suite) in &background {
            self.forget(suite);
        }
        let shared = self.documents.values().filter(|one| !one.is_suite());
        let shared: Vec<PathBuf> = shared.map(|one| one.path.clone()).collect();
        for path in shared {
            let files = self.files();
            let is_known = files.including(&path).next().is_some();
            if let Some(suite) = (!is_known).then(|| files.find_including(&path)).flatten() {
                self.changed.insert(suite.path.clone());
                self.documents.insert(uri_of(&suite.path), suite);
            }
        }
    }

    /// Publishes again what a document that is no longer known said about files.
    fn forget(&mut self, document: &Document) {
        if document.is_open && document.is_suite() {
            self.unpublished.insert(document.path.clone());
        }
        if let Some(checked) = &document.checked {
            let files = problems::files_with_problems(checked, &self.context.dir);
            self.unpublished.extend(files);
        }
    }

    fn files(&self) -> Files<'_> {
        Files {
            documents: &self.documents,
            dir: &self.context.dir,
        }
    }

    /// Checks the suites that changed, or that include a file that did, and publishes what is new.
    fn check_changed(&mut self) -> Result<(), CommandError> {
        for uri in self.changed_suites() {
            let Some(document) = self.documents.get(&uri) else {
                continue;
            };
            let checked = document.check(&self.files(), self.context);
            let (path, is_open) = (document.path.clone(), document.is_open);
            let dir = &self.context.dir;
            let before = document.checked.iter();
            let before = before.flat_map(|checked| problems::files_with_problems(checked, dir));
            let now = problems::files_with_problems(&checked, dir);
            let files: Vec<PathBuf> = before.chain(now).collect();
            let others = files.into_iter().filter(|file| *file != path);
            self.unpublished.extend(others);
            // Also if it has no problems: the editor sees that this version was checked.
            self.unpublished.extend(is_open.then_some(path));
            if let Some(document) = self.documents.get_mut(&uri) {
                document.checked = Some(checked);
            }
        }
        for path in std::mem::take(&mut self.unpublished) {
            self.publish(&path)?;
        }
        Ok(())
    }

    /// The URIs of the suites to check.
    fn changed_suites(&mut self) -> BTreeSet<String> {
        let changed = std::mem::take(&mut self.changed);
        let files = self.files();
        let suites = self.documents.iter().filter(|(_, one)| one.is_suite());
        let suites = suites.filter(|(_, suite)| {
            let mut others = changed.iter().filter(|path| **path != suite.path);
            changed.contains(&suite.path) || others.any(|path| files.reaches(&suite.path, path))
        });
        suites.map(|(uri, _)| uri.clone()).collect()
    }

    /// Publishes the problems of a file.
    fn publish(&mut self, path: &Path) -> Result<(), CommandError> {
        let files = self.files();
        let uri = files.uri(path);
        let document = self.documents.get(&uri);
        let version = document.map_or(Value::Null, |document| document.version.clone());
        let problems = problems::of_file(path, &files);
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

/// An input, parsed.
enum QueuedInput {
    Message(Message),
    Garbage,
    Run(FinishedRun),
    End,
    Broken(io::Error),
}

impl QueuedInput {
    fn of(input: Input) -> QueuedInput {
        match input {
            Input::Message(body) => match serde_json::from_slice(&body) {
                Ok(message) => QueuedInput::Message(Message(message)),
                Err(_) => QueuedInput::Garbage,
            },
            Input::Run(run) => QueuedInput::Run(run),
            Input::End => QueuedInput::End,
            Input::Broken(error) => QueuedInput::Broken(error),
        }
    }

    fn canceled(&self) -> Option<String> {
        match self {
            QueuedInput::Message(message) => message.canceled(),
            _ => None,
        }
    }
}

fn capabilities() -> Value {
    json!({
        "capabilities": {
            "positionEncoding": "utf-16",
            "textDocumentSync": { "openClose": true, "change": 1, "save": true },
            "hoverProvider": true,
            "definitionProvider": true,
            "referencesProvider": true,
            "renameProvider": { "prepareProvider": true },
            "completionProvider": { "triggerCharacters": ["{", " ", "$"] },
            "codeActionProvider": { "codeActionKinds": ["quickfix"] },
            "codeLensProvider": {},
            "executeCommandProvider": { "commands": [lenses::RUN] },
        },
        "serverInfo": { "name": "casebook", "version": env!("CARGO_PKG_VERSION") },
    })
}
