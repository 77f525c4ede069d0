//! A local HTTP server for tests: performs given actions and keeps the requests it received.

use std::io::{BufRead, BufReader, Read as _, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// A request that the server received.
#[derive(Debug, Clone)]
pub(crate) struct ReceivedRequest {
    /// The request line.
    pub(crate) line: String,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl ReceivedRequest {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(key, _)| key == name);
        found.next().map(|(_, value)| value.as_str())
    }
}

/// How the server responds to a request.
#[derive(Debug, Clone)]
pub(crate) enum ServerAction {
    /// Sends this status, these headers and this body.
    Respond(u16, Vec<(&'static str, String)>, String),
    /// Sends this body with status 200 after this time.
    Delay(Duration, String),
    /// Sends these bytes one by one, this time apart, and closes the connection.
    Drip(Duration, Vec<u8>),
    /// Sends these bytes and closes the connection.
    Raw(Vec<u8>),
    /// Sends these bytes and leaves the connection open until the client closes it.
    Hold(Vec<u8>),
}

impl ServerAction {
    pub(crate) fn ok(text: impl Into<String>) -> ServerAction {
        ServerAction::Respond(200, Vec::new(), text.into())
    }

    pub(crate) fn status(status: u16) -> ServerAction {
        ServerAction::Respond(status, Vec::new(), format!("{{\"error\":\"{status}\"}}"))
    }

    pub(crate) fn with(self, name: &'static str, value: &str) -> ServerAction {
        match self {
            ServerAction::Respond(status, mut headers, text) => {
                headers.push((name, value.to_owned()));
                ServerAction::Respond(status, headers, text)
            }
            other => other,
        }
    }
}

/// A server that runs until the process exits or `shut_down` is called.
#[derive(Clone)]
pub(crate) struct Server {
    /// Scheme, host and port.
    pub(crate) url: String,
    received: Arc<Mutex<Vec<ReceivedRequest>>>,
    connections: Arc<AtomicUsize>,
    closed: Arc<AtomicUsize>,
    is_shut_down: Arc<AtomicBool>,
}

type RequestHandler = dyn Fn(usize, &ReceivedRequest) -> ServerAction + Send + Sync;

impl Server {
    /// Starts a server that calls `handler` with the number of each request, from 0, and the request.
    pub(crate) fn new(
        handler: impl Fn(usize, &ReceivedRequest) -> ServerAction + Send + Sync + 'static,
    ) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("the listener is bound").port();
        let server = Server {
            url: format!("http://127.0.0.1:{port}"),
            received: Arc::default(),
            connections: Arc::default(),
            closed: Arc::default(),
            is_shut_down: Arc::default(),
        };
        let (handler, this): (Arc<RequestHandler>, _) = (Arc::new(handler), server.clone());
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if this.is_shut_down.load(Ordering::SeqCst) {
                    return;
                }
                this.connections.fetch_add(1, Ordering::SeqCst);
                let (handler, this) = (Arc::clone(&handler), this.clone());
                thread::spawn(move || {
                    this.serve(&stream, &*handler);
                    drop(stream);
                    this.closed.fetch_add(1, Ordering::SeqCst);
                });
            }
        });
        server
    }

    /// Starts a server that performs one action per request, and the last one for all further requests.
    pub(crate) fn with_actions(acts: Vec<ServerAction>) -> Server {
        Server::new(move |number, _| acts[number.min(acts.len() - 1)].clone())
    }

    /// Stops listening; returns when connections are refused.
    pub(crate) fn shut_down(&self) {
        self.is_shut_down.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.url.trim_start_matches("http://"));
        while TcpStream::connect(self.url.trim_start_matches("http://")).is_ok() {}
    }

    /// The requests received so far.
    pub(crate) fn received(&self) -> Vec<ReceivedRequest> {
        self.received.lock().expect("no thread panics").clone()
    }

    /// The number of connections accepted so far.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// Waits until all connections are closed.
    pub(crate) fn wait_until_closed(&self) {
        while self.closed.load(Ordering::SeqCst) < self.connections() {
            thread::sleep(Duration::from_millis(1));
        }
    }

    fn serve(&self, stream: &TcpStream, handler: &RequestHandler) {
        let _ = stream.set_nodelay(true);
        let mut reader = BufReader::new(stream);
        while let Some(received) = receive(&mut reader) {
            let number = {
                let mut requests = self.received.lock().expect("no thread panics");
                requests.push(received.clone());
                requests.len() - 1
            };
            if !perform(stream, handler(number, &received)) {
                return;
            }
        }
    }
}

fn receive(reader: &mut impl BufRead) -> Option<ReceivedRequest> {
    let mut line = String::new();
    reader
        .read_line(&mut line)
        .ok()
        .filter(|count| *count > 0)?;
    let mut headers = Vec::new();
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let Some((name, value)) = header.trim().split_once(':') else {
            break;
        };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length.and_then(|(_, value)| value.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    Some(ReceivedRequest {
        line: line.trim().to_owned(),
        headers,
        body: String::from_utf8_lossy(&body).into_owned(),
    })
}

/// Returns whether the connection stays open.
fn perform(mut stream: &TcpStream, action: ServerAction) -> bool {
    match action {
        ServerAction::Respond(status, headers, text) => {
            let mut response = format!(
                "HTTP/1.1 {status} Status\r\ncontent-type: application/json\r\ncontent-length: {}\r\n",
                text.len()
            );
            for (name, value) in headers {
                response.extend([name, ": ", &value, "\r\n"]);
            }
            stream
                .write_all(format!("{response}\r\n{text}").as_bytes())
                .is_ok()
        }
        ServerAction::Delay(time, text) => {
            thread::sleep(time);
            self::perform(stream, ServerAction::ok(text))
        }
        ServerAction::Drip(time, bytes) => {
            for byte in bytes {
                thread::sleep(time);
                if stream.write_all(&[byte]).is_err() {
                    break;
                }
            }
            false
        }
        ServerAction::Raw(bytes) => {
            let _ = stream.write_all(&bytes);
            false
        }
        ServerAction::Hold(bytes) => {
            let _ = stream.write_all(&bytes);
            let _ = stream.read(&mut [0]);
            false
        }
    }
}
