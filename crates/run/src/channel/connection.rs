//! One connection: what is read from it, and the way to answer.

use std::io::{self, BufReader, Write as _};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, PoisonError};

use casebook_record::{BadLine, EventLine, Lines, decode};
use serde_json::Value;

use super::{Heard, Hearer};

/// Somebody who has connected. Clones are the same connection.
#[derive(Clone)]
pub struct Connection {
    number: u64,
    stream: Arc<Mutex<UnixStream>>,
}

impl Connection {
    pub(super) fn new(number: u64, stream: &UnixStream) -> io::Result<Connection> {
        Ok(Connection {
            number,
            stream: Arc::new(Mutex::new(stream.try_clone()?)),
        })
    }

    /// Counted from 1, in the order of connecting.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Sends one line of JSON.
    pub fn send(&self, message: &Value) -> io::Result<()> {
        let mut stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        stream.write_all(format!("{message}\n").as_bytes())
    }

    /// Ends the connection once what has been written so far is read.
    pub fn hang_up(&self) {
        let stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = stream.shutdown(Shutdown::Both);
    }
}

/// Reads to the end. Trouble with the connection is an end like any other, and one who never said anything was never
/// there.
pub(super) fn read(stream: UnixStream, connection: &Connection, hear: &Hearer) {
    let mut lines = Lines::new(BufReader::with_capacity(1 << 16, stream));
    let mut said_something = false;
    while let Ok(Some(line)) = lines.next() {
        said_something = true;
        let (number, ended) = (line.number, line.ended);
        let event = match line.text {
            Ok(text) if text.trim_ascii().is_empty() => continue,
            Ok(text) => match request(text) {
                Some(request) => {
                    hear(connection, Heard::Request(request));
                    continue;
                }
                None => decode(text).map_err(BadLine::from),
            },
            Err(unreadable) => Err(unreadable.into()),
        };
        let line = EventLine {
            number,
            event,
            ended,
        };
        hear(connection, Heard::Line(line));
    }
    if said_something {
        hear(connection, Heard::Closed);
    }
}

fn request(line: &str) -> Option<Value> {
    line.starts_with("{\"request\"")
        .then(|| serde_json::from_str(line).ok())?
}
