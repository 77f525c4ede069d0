//! An HTTP client that can send what no browser would.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

const TIMEOUT: Duration = Duration::from_secs(60);

/// A response.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Response {
    pub(crate) fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map_or("", |(_, value)| value)
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

pub(crate) fn connect(port: u16) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    stream
}

/// Sends a request as it is, and reads the response.
pub(crate) fn send(port: u16, request: &str) -> Response {
    let mut stream = connect(port);
    stream.write_all(request.as_bytes()).unwrap();
    read(stream)
}

fn read(stream: TcpStream) -> Response {
    let mut stream = BufReader::new(stream);
    let (status, headers) = read_head(&mut stream);
    let mut response = Response {
        status,
        headers,
        body: String::new(),
    };
    let length = response.header("content-length").parse().unwrap_or(0);
    let mut body = vec![0; length];
    stream.read_exact(&mut body).unwrap();
    response.body = String::from_utf8(body).unwrap();
    response
}

fn read_head(stream: &mut BufReader<TcpStream>) -> (u16, Vec<(String, String)>) {
    let mut line = String::new();
    stream.read_line(&mut line).unwrap();
    let status = line.split(' ').nth(1).and_then(|code| code.parse().ok());
    let status = status.unwrap_or_else(|| panic!("not a response: {line:?}"));
    let headers = stream.lines().map(Result::unwrap);
    let headers = headers.take_while(|line| !line.is_empty()).map(|line| {
        let (name, value) = line.split_once(": ").unwrap();
        (name.to_lowercase(), value.to_owned())
    });
    (status, headers.collect())
}

/// Server-sent events.
pub(crate) struct Events(BufReader<TcpStream>);

/// One event.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Event {
    pub(crate) name: String,
    pub(crate) id: u64,
    pub(crate) data: Value,
}

impl Events {
    pub(crate) fn open(port: u16, request: &str) -> Events {
        let mut stream = connect(port);
        stream.write_all(request.as_bytes()).unwrap();
        let mut stream = BufReader::new(stream);
        let (status, _) = read_head(&mut stream);
        assert_eq!(status, 200);
        Events(stream)
    }

    /// The next event; the lengths of chunks between the lines are skipped.
    pub(crate) fn next(&mut self) -> Event {
        let mut event = Event {
            name: String::new(),
            id: 0,
            data: Value::Null,
        };
        loop {
            let mut line = String::new();
            assert!(self.0.read_line(&mut line).unwrap() > 0, "the stream ended");
            match line.trim_end().split_once(": ") {
                Some(("event", name)) => name.clone_into(&mut event.name),
                Some(("id", id)) => event.id = id.parse().unwrap(),
                Some(("data", data)) => {
                    event.data = serde_json::from_str(data).unwrap();
                    // The fields of an event arrive in this order: event, id, data, or data before id.
                    if event.id == 0 && event.name != "state" {
                        continue;
                    }
                    return event;
                }
                _ => {}
            }
            if event.id > 0 && !event.data.is_null() {
                return event;
            }
        }
    }
}
