//! A server for tests, on this machine: it answers as it is told and remembers what it was asked.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// What it was asked.
#[derive(Debug, Clone)]
pub(crate) struct Received {
    pub(crate) line: String,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Received {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(key, _)| key == name);
        found.next().map(|(_, value)| value.as_str())
    }
}

/// What it does about it.
#[derive(Debug, Clone)]
pub(crate) enum Act {
    /// Answers with this status, these headers and this text.
    Say(u16, Vec<(&'static str, String)>, String),
    /// Answers that after a while.
    Later(Duration, String),
    /// Sends these bytes one by one, with so much time between them, and closes the connection.
    Drip(Duration, Vec<u8>),
    /// Sends these bytes and closes the connection.
    Raw(Vec<u8>),
}

impl Act {
    pub(crate) fn ok(text: impl Into<String>) -> Act {
        Act::Say(200, Vec::new(), text.into())
    }

    pub(crate) fn status(status: u16) -> Act {
        Act::Say(status, Vec::new(), format!("{{\"error\":\"{status}\"}}"))
    }

    pub(crate) fn with(self, name: &'static str, value: &str) -> Act {
        match self {
            Act::Say(status, mut headers, text) => {
                headers.push((name, value.to_owned()));
                Act::Say(status, headers, text)
            }
            other => other,
        }
    }
}

/// A server that runs until the process ends.
#[derive(Clone)]
pub(crate) struct Server {
    /// Without a path.
    pub(crate) url: String,
    received: Arc<Mutex<Vec<Received>>>,
    connections: Arc<AtomicUsize>,
    closed: Arc<AtomicUsize>,
    ended: Arc<AtomicBool>,
}

type StubResponse = dyn Fn(usize, &Received) -> Act + Send + Sync;

impl Server {
    /// Answers each request as this says, which gets its number, from 0, and what was asked.
    pub(crate) fn new(answer: impl Fn(usize, &Received) -> Act + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("bound").port();
        let server = Server {
            url: format!("http://127.0.0.1:{port}"),
            received: Arc::default(),
            connections: Arc::default(),
            closed: Arc::default(),
            ended: Arc::default(),
        };
        let (answer, this): (Arc<StubResponse>, _) = (Arc::new(answer), server.clone());
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if this.ended.load(Ordering::SeqCst) {
                    return;
                }
                this.connections.fetch_add(1, Ordering::SeqCst);
                let (answer, this) = (Arc::clone(&answer), this.clone());
                thread::spawn(move || {
                    this.serve(&stream, &*answer);
                    drop(stream);
                    this.closed.fetch_add(1, Ordering::SeqCst);
                });
            }
        });
        server
    }

    /// Does these, one per request; the last one for all that follow.
    pub(crate) fn acting(acts: Vec<Act>) -> Server {
        Server::new(move |number, _| acts[number.min(acts.len() - 1)].clone())
    }

    /// Nobody can reach it from now on.
    pub(crate) fn end(&self) {
        self.ended.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.url.trim_start_matches("http://"));
        while TcpStream::connect(self.url.trim_start_matches("http://")).is_ok() {}
    }

    /// All it was asked so far.
    pub(crate) fn received(&self) -> Vec<Received> {
        self.received.lock().expect("no panic").clone()
    }

    /// How many connections were made to it.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// Waits until it has closed all of them.
    pub(crate) fn wait_for_ends(&self) {
        while self.closed.load(Ordering::SeqCst) < self.connections() {
            thread::sleep(Duration::from_millis(1));
        }
    }

    fn serve(&self, stream: &TcpStream, answer: &StubResponse) {
        let _ = stream.set_nodelay(true);
        let mut reader = BufReader::new(stream);
        while let Some(received) = receive(&mut reader) {
            let number = {
                let mut all = self.received.lock().expect("no panic");
                all.push(received.clone());
                all.len() - 1
            };
            if !act(stream, answer(number, &received)) {
                return;
            }
        }
    }
}

fn receive(reader: &mut impl BufRead) -> Option<Received> {
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
    Some(Received {
        line: line.trim().to_owned(),
        headers,
        body: String::from_utf8_lossy(&body).into_owned(),
    })
}

/// Whether the connection stays open.
fn act(mut stream: &TcpStream, act: Act) -> bool {
    match act {
        Act::Say(status, headers, text) => {
            let mut answer = format!(
                "HTTP/1.1 {status} Said\r\ncontent-type: application/json\r\ncontent-length: {}\r\n",
                text.len()
            );
            for (name, value) in headers {
                answer.extend([name, ": ", &value, "\r\n"]);
            }
            stream
                .write_all(format!("{answer}\r\n{text}").as_bytes())
                .is_ok()
        }
        Act::Later(time, text) => {
            thread::sleep(time);
            self::act(stream, Act::ok(text))
        }
        Act::Drip(time, bytes) => {
            for byte in bytes {
                thread::sleep(time);
                if stream.write_all(&[byte]).is_err() {
                    break;
                }
            }
            false
        }
        Act::Raw(bytes) => {
            let _ = stream.write_all(&bytes);
            false
        }
    }
}
