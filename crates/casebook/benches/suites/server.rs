//! An agent that answers at once, over connections that stay open. At `/slow` it thinks first, at `/stream` it streams its reply.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::LazyLock;
use std::thread;
use std::time::Duration;

const ANSWER: &str = r#"{"type":"response","text":"A room is free","tool_calls":[{"name":"search","arguments":{"people":10},"result":["Blue Room"]}]}"#;

/// How long the agent at `/slow` takes.
pub(crate) const THINKING_TIME: Duration = Duration::from_millis(100);
/// How many events the agent at `/stream` sends.
pub(crate) const STREAMED_TOKENS: usize = 10_000;

static STREAMED_ANSWER: LazyLock<String> = LazyLock::new(streamed_answer);

/// Starts it; the port it listens on.
pub(crate) fn start() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("a port").port();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || serve(&stream));
        }
    });
    port
}

fn serve(mut stream: &TcpStream) {
    let answer = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{ANSWER}",
        ANSWER.len()
    );
    let _ = stream.set_nodelay(true);
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    let mut body = Vec::new();
    let mut length = 0;
    let mut path = String::new();
    loop {
        line.clear();
        if !matches!(reader.read_line(&mut line), Ok(read) if read > 0) {
            return;
        }
        let header = line.trim();
        if let Some(request) = header.strip_suffix(" HTTP/1.1") {
            request
                .split(' ')
                .nth(1)
                .unwrap_or_default()
                .clone_into(&mut path);
        }
        if let Some((name, value)) = header.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
        if header.is_empty() {
            body.resize(length, 0);
            if reader.read_exact(&mut body).is_err() {
                return;
            }
            let response = match path.as_str() {
                "/stream" => &*STREAMED_ANSWER,
                _ => &answer,
            };
            if path == "/slow" {
                thread::sleep(THINKING_TIME);
            }
            if stream.write_all(response.as_bytes()).is_err() {
                return;
            }
        }
    }
}

/// A response of server-sent events, one for each token.
fn streamed_answer() -> String {
    let mut events = String::new();
    for number in 0..STREAMED_TOKENS {
        let _ = write!(events, "data: {{\"text\": \"word{number} \"}}\n\n");
    }
    let length = events.len();
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {length}\r\n\r\n{events}"
    )
}
