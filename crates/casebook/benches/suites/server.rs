//! An agent that answers at once, over connections that stay open.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread;

const ANSWER: &str = r#"{"type":"response","text":"A room is free","tool_calls":[{"name":"search","arguments":{"people":10},"result":["Blue Room"]}]}"#;

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
    loop {
        line.clear();
        if !matches!(reader.read_line(&mut line), Ok(read) if read > 0) {
            return;
        }
        let header = line.trim();
        if let Some((name, value)) = header.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
        if header.is_empty() {
            body.resize(length, 0);
            if reader.read_exact(&mut body).is_err() || stream.write_all(answer.as_bytes()).is_err()
            {
                return;
            }
        }
    }
}
