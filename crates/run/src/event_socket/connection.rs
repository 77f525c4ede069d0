//! One connection: what is read from it, and the way to answer.

use std::io::{self, BufReader, Read, Write as _};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use casebook_record::{EventLine, InvalidLine, Lines, decode};
use parking_lot::Mutex;
use serde_json::Value;

use super::{MessageHandler, SocketMessage};

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
        let mut stream = self.stream.lock();
        stream.write_all(format!("{message}\n").as_bytes())
    }

    /// Ends the connection once what has been written so far is read.
    pub fn close(&self) {
        let stream = self.stream.lock();
        let _ = stream.shutdown(Shutdown::Both);
    }
}

/// Reads to the end. Trouble with the connection is an end like any other, and one who never said anything was never
/// there.
pub(super) fn read(
    stream: UnixStream,
    connection: &Connection,
    pause: Option<Duration>,
    hear: &MessageHandler,
) {
    let stream = BatchingReader {
        stream,
        pause,
        is_quiet: false,
    };
    let mut lines = Lines::new(BufReader::with_capacity(1 << 16, stream));
    let mut said_something = false;
    while let Ok(Some(line)) = lines.next() {
        said_something = true;
        let (number, ended) = (line.number, line.ended);
        let event = match line.text {
            Ok(text) if text.trim_ascii().is_empty() => continue,
            Ok(text) => match request(text) {
                Some(request) => {
                    hear(connection, SocketMessage::Request(request));
                    continue;
                }
                None => decode(text).map_err(InvalidLine::from),
            },
            Err(unreadable) => Err(unreadable.into()),
        };
        let line = EventLine {
            number,
            event,
            ended,
        };
        hear(connection, SocketMessage::Line(line));
    }
    if said_something {
        hear(connection, SocketMessage::Closed);
    }
}

/// So much at once means that the writer is in a hurry.
const MUCH: usize = 1 << 14;

/// A reader that does not jump up at every word. Where all processors are busy, waking it is what a write costs: the
/// writer would be put aside each time.
struct BatchingReader {
    stream: UnixStream,
    /// How long to wait after little has come.
    pause: Option<Duration>,
    is_quiet: bool,
}

impl Read for BatchingReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let (true, Some(pause)) = (self.is_quiet, self.pause) {
            thread::sleep(pause);
        }
        let count = self.stream.read(buffer)?;
        self.is_quiet = count < MUCH;
        Ok(count)
    }
}

fn request(line: &str) -> Option<Value> {
    line.starts_with("{\"request\"")
        .then(|| serde_json::from_str(line).ok())?
}
