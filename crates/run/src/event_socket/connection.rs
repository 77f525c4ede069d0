//! [`Connection`]: reads one client and sends replies.

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

/// A connected client. Clones share the connection.
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

    /// Starts at 1, in the order of connecting.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Sends one line of JSON.
    pub fn send(&self, message: &Value) -> io::Result<()> {
        let mut stream = self.stream.lock();
        stream.write_all(format!("{message}\n").as_bytes())
    }

    /// Closes the connection; what was written so far is still read.
    pub fn close(&self) {
        let stream = self.stream.lock();
        let _ = stream.shutdown(Shutdown::Both);
    }
}

/// Reads to the end. An error ends the connection like a close. A client that sent nothing is not reported.
pub(super) fn read(
    stream: UnixStream,
    connection: &Connection,
    pause: Option<Duration>,
    handle: &MessageHandler,
) {
    let stream = BatchingReader {
        stream,
        pause,
        is_quiet: false,
    };
    let mut lines = Lines::new(BufReader::with_capacity(1 << 16, stream));
    let mut has_sent = false;
    while let Ok(Some(line)) = lines.next() {
        has_sent = true;
        let (number, ended) = (line.number, line.ended);
        let event = match line.text {
            Ok(text) if text.trim_ascii().is_empty() => continue,
            Ok(text) => match request(text) {
                Some(request) => {
                    handle(connection, SocketMessage::Request(request));
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
        handle(connection, SocketMessage::Line(line));
    }
    if has_sent {
        handle(connection, SocketMessage::Closed);
    }
}

/// A read of at least this many bytes is followed by the next without a delay.
const LARGE_READ: usize = 1 << 14;

/// Reads with a delay. On a busy machine each wakeup of the reader would preempt the writer, so several writes are read
/// at once.
struct BatchingReader {
    stream: UnixStream,
    /// How long to wait after a small read.
    pause: Option<Duration>,
    is_quiet: bool,
}

impl Read for BatchingReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let (true, Some(pause)) = (self.is_quiet, self.pause) {
            thread::sleep(pause);
        }
        let count = self.stream.read(buffer)?;
        self.is_quiet = count < LARGE_READ;
        Ok(count)
    }
}

fn request(line: &str) -> Option<Value> {
    line.starts_with("{\"request\"")
        .then(|| serde_json::from_str(line).ok())?
}
