//! Messages with a header, as the Language Server Protocol frames them.

use std::io::{self, BufRead, Write};

use serde_json::Value;

/// A longer message is an error.
const MAX_BYTES: usize = 64 << 20;

/// Reads the body of the next message; `None` at the end.
pub(super) fn read(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok();
        }
    }
    let invalid = |reason: String| io::Error::new(io::ErrorKind::InvalidData, reason);
    let length = length.ok_or_else(|| invalid("it has no valid Content-Length".to_owned()))?;
    if length > MAX_BYTES {
        let limit = MAX_BYTES >> 20;
        return Err(invalid(format!("it is larger than {limit} MiB")));
    }
    let mut body = vec![0; length];
    input.read_exact(&mut body)?;
    Ok(Some(body))
}

pub(super) fn write(message: &Value, out: &mut impl Write) -> io::Result<()> {
    let body = message.to_string();
    write!(out, "Content-Length: {}\r\n\r\n{body}", body.len())?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn messages_are_read_as_they_were_written() {
        let mut stream = Vec::new();
        for message in [json!({ "a": "é" }), json!([])] {
            write(&message, &mut stream).unwrap();
        }
        let mut input = stream.as_slice();
        assert_eq!(
            read(&mut input).unwrap().unwrap(),
            "{\"a\":\"é\"}".as_bytes()
        );
        assert_eq!(read(&mut input).unwrap().unwrap(), b"[]");
        assert!(read(&mut input).unwrap().is_none());
    }

    #[test]
    fn invalid_headers_are_errors() {
        for text in [
            "garbage\r\n\r\n",
            "Content-Length: x\r\n\r\n",
            "Content-Length: 99999999999\r\n\r\n",
            "Content-Length: 5\r\n\r\nab",
        ] {
            assert!(read(&mut text.as_bytes()).is_err(), "{text}");
        }
    }
}
