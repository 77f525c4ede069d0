//! [`run`]: reads messages and answers them until the client closes its end.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use super::call::Call;
use super::input::Input;
use super::jobs::{JobKind, Jobs};
use super::message::{
    INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, Message, Params, Request, RpcError,
};
use super::output::Output;
use super::progress::ToolProgress;
use super::protocol::{self, Freshness, Protocol};
use super::session::Session;
use super::tools::{self, Effect, Tool};
use super::{prompts, resources};
use crate::caller::Cancellation;
use crate::context::{Context, ProtocolStreams};
use crate::error::CommandError;
use crate::exit::Exit;

/// A longer line is not a message.
const MAX_LINE: u64 = 16 << 20;
/// Messages that wait while the server is busy.
const WAITING: usize = 1_024;
/// How often a server that ends looks whether it can.
const PAUSE: Duration = Duration::from_millis(5);

/// What ends or continues the wait of the server.
enum Event {
    Line(Vec<u8>),
    End,
    Signal(i32),
}

struct Server {
    session: Arc<Session>,
    output: Arc<Output>,
    jobs: Jobs,
}

/// Serves a client.
pub(super) fn run(session: Session, streams: &ProtocolStreams) -> Result<Exit, CommandError> {
    let (events, waiting) = sync_channel(WAITING);
    listen_to_signals(events.clone());
    let ProtocolStreams { input, output, .. } = streams;
    let input = input.try_clone()?;
    let closed = events.clone();
    let closed = move || _ = closed.send(Event::End);
    let server = Server {
        session: Arc::new(session),
        output: Arc::new(Output::new(output.try_clone()?, closed)?),
        jobs: Jobs::begin(Context::cpus())?,
    };
    thread::spawn(move || read_lines(input, &events));
    let signal = server.serve(&waiting).or_else(|| server.finish(&waiting));
    server.jobs.end();
    casebook_run::kill_orphans(Context::INSTANT);
    Ok(signal.map_or(Exit::Passed, Exit::Interrupted))
}

fn listen_to_signals(events: SyncSender<Event>) {
    // Without the handler a signal kills the server, and the processes of a run find that it is gone.
    if let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP]) {
        thread::spawn(move || {
            for signal in signals.forever() {
                let _ = events.send(Event::Signal(signal));
            }
        });
    }
}

/// Sends each line, and the end. Nobody listens any more if sending fails.
fn read_lines(input: File, events: &SyncSender<Event>) {
    let mut input = BufReader::new(input);
    loop {
        let mut line = Vec::new();
        let read = input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line);
        let event = match read {
            Ok(0) | Err(_) => Event::End,
            Ok(_) => Event::Line(line),
        };
        let is_end = matches!(event, Event::End);
        if events.send(event).is_err() || is_end {
            return;
        }
    }
}

impl Server {
    /// Answers until the client closes one of its ends, or until a signal, which is returned.
    fn serve(&self, events: &Receiver<Event>) -> Option<i32> {
        for event in events {
            match event {
                Event::Line(line) => self.handle(&line),
                Event::End => return None,
                Event::Signal(signal) => return Some(signal),
            }
        }
        None
    }

    /// Answers the requests that wait while the client still reads. Returns a signal that ends this earlier.
    fn finish(&self, events: &Receiver<Event>) -> Option<i32> {
        self.jobs.kill_runs();
        let is_finished = || self.jobs.is_idle() && self.output.is_written();
        while !is_finished() && !self.output.is_closed() {
            if let Ok(Event::Signal(signal)) = events.recv_timeout(PAUSE) {
                return Some(signal);
            }
        }
        None
    }

    fn handle(&self, line: &[u8]) {
        if line.trim_ascii().is_empty() {
            return;
        }
        match Message::parse(line) {
            Ok(Message::Request(request)) => self.request(request),
            Ok(Message::Notification { method, params }) => self.notification(&method, &params),
            Ok(Message::Answer) => {}
            Err(answer) => self.output.send(&answer),
        }
    }

    fn notification(&self, method: &str, params: &Params) {
        if method == "notifications/cancelled"
            && let Some(id) = params.get("requestId")
        {
            self.jobs.cancel(id);
        }
    }

    fn request(&self, request: Request) {
        let Request { id, method, params } = request;
        let mode = match Protocol::of(&params) {
            Ok(mode) => mode,
            Err(error) => return self.output.send(&error.answer(&id)),
        };
        match (method.as_str(), mode) {
            ("tools/call", _) => self.call_tool(&id, mode, params),
            ("resources/read", _) => self.read_resource(&id, mode, params),
            _ => {
                let answer = self.answer(&method, mode, &params);
                self.output.send(&message(&id, answer));
            }
        }
    }

    /// Answers requests that need no command.
    fn answer(&self, method: &str, mode: Protocol, params: &Params) -> Result<Value, RpcError> {
        use Freshness::Constant;
        match (method, mode) {
            ("initialize", Protocol::Handshake) => Ok(protocol::initialize(params)),
            ("ping", Protocol::Handshake) => Ok(json!({})),
            ("server/discover", _) => {
                Ok(Protocol::Stateless.complete(protocol::discover(), Constant))
            }
            ("tools/list", _) => {
                let tools = tools::available(self.session.is_read_only).map(Tool::describe);
                let list = json!({ "tools": tools.collect::<Vec<_>>() });
                Ok(mode.complete(list, Constant))
            }
            ("resources/list", _) => Ok(mode.complete(resources::list(), Constant)),
            ("resources/templates/list", _) => Ok(mode.complete(resources::templates(), Constant)),
            ("prompts/list", _) => Ok(mode.complete(prompts::list(), Constant)),
            ("prompts/get", _) => Ok(mode.complete(prompts::get(params)?, Freshness::None)),
            _ => {
                let message = format!("unknown method `{method}`");
                Err(RpcError::new(METHOD_NOT_FOUND, message))
            }
        }
    }

    fn read_resource(&self, id: &Value, mode: Protocol, params: Params) {
        self.work(id, JobKind::Read, params, move |params, call| {
            let uri = params.get("uri").and_then(Value::as_str);
            let missing = || RpcError::new(INVALID_PARAMS, "`uri` is required");
            let uri = uri.ok_or_else(missing)?;
            let result = resources::read(uri, call, mode == Protocol::Stateless)?;
            Ok(mode.complete(result, Freshness::Volatile))
        });
    }

    fn call_tool(&self, id: &Value, mode: Protocol, params: Params) {
        let name = params
            .get("name")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let mut tools = tools::available(self.session.is_read_only);
        let Some(tool) = tools.find(|tool| tool.name == name) else {
            let error = RpcError::new(INVALID_PARAMS, format!("unknown tool `{name}`"));
            return self.output.send(&error.answer(id));
        };
        let arguments = params.get("arguments").filter(|value| !value.is_null());
        if arguments.is_some_and(|value| !value.is_object()) {
            let error = RpcError::new(INVALID_PARAMS, "`arguments` must be an object");
            return self.output.send(&error.answer(id));
        }
        self.work(id, tool.kind(), params, move |params, call| {
            let result = called(tool, params, call);
            Ok(mode.complete(result, Freshness::None))
        });
    }

    /// Handles a request on another thread, and answers unless it was canceled.
    fn work(
        &self,
        id: &Value,
        kind: JobKind,
        params: Params,
        work: impl FnOnce(&Params, &Call<'_>) -> Result<Value, RpcError> + Send + 'static,
    ) {
        let (session, output) = (Arc::clone(&self.session), Arc::clone(&self.output));
        let request = id.clone();
        self.jobs
            .submit(id, kind, move |cancellation: Arc<Cancellation>| {
                if output.is_closed() {
                    return;
                }
                let token = params
                    .get("_meta")
                    .and_then(|meta| meta.get("progressToken"));
                let call = Call {
                    session: &session,
                    cancellation: Arc::clone(&cancellation),
                    observer: Arc::new(ToolProgress::new(token.cloned(), Arc::clone(&output))),
                };
                let answer = catch_unwind(AssertUnwindSafe(|| work(&params, &call)));
                let answer = answer.unwrap_or_else(|_| {
                    let message = "the server failed; its standard error contains the reason";
                    Err(RpcError::new(INTERNAL_ERROR, message))
                });
                if !cancellation.is_requested() {
                    output.send(&message(&request, answer));
                }
            });
    }
}

/// The result of a tool. What the client can correct is a result with `isError`.
fn called(tool: &Tool, params: &Params, call: &Call<'_>) -> Value {
    let none = Params::new();
    let arguments = params.get("arguments").and_then(Value::as_object);
    let input = Input::new(
        arguments.unwrap_or(&none),
        &(tool.input)(),
        &call.session.root,
    );
    let answer = input.and_then(|input| (tool.call)(&input, call));
    if tool.effect != Effect::Reads {
        casebook_run::kill_orphans(Context::INSTANT);
    }
    match answer {
        Ok(answer) => answer.into_result(call.session),
        Err(reason) => {
            let root = format!("{}/", call.session.root.dir().display());
            let text = call.session.redacted(reason.replace(&root, "").into());
            json!({ "content": [{ "type": "text", "text": text }], "isError": true })
        }
    }
}

fn message(id: &Value, answer: Result<Value, RpcError>) -> Value {
    match answer {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(error) => error.answer(id),
    }
}
