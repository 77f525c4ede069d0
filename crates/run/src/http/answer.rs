//! An answer as it comes over a connection: a head, and a body whose end is told in one of several ways.

use std::borrow::Cow;

use httparse::{EMPTY_HEADER, Header, Response, Status, parse_chunk_size, parse_headers};

use super::send::MAX_BODY;
use super::trouble::{Trouble, cut_off, not_http, too_large};

/// A longer head is none.
const MAX_HEAD: usize = 64 << 10;
const MAX_HEADERS: usize = 128;

/// What a server answered.
#[derive(Debug, PartialEq)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) retry_after: Option<String>,
    pub(super) body: Vec<u8>,
    /// Whether the connection is good for another request.
    pub(super) keeps_connection: bool,
}

impl Answer {
    pub(super) fn read<M: More>(input: &mut Input<M>) -> Result<Answer, Trouble> {
        let head = loop {
            let head = input.take(MAX_HEAD, Head::read)?;
            // Those that only say that the answer is still to come.
            if head.status >= 200 {
                break head;
            }
        };
        let limit = usize::try_from(MAX_BODY).unwrap_or(usize::MAX);
        let body = match head.body {
            Body::Nothing => Vec::new(),
            Body::Length(length) => input.exactly(length)?,
            Body::Chunks => chunks(input, limit)?,
            Body::UntilTheEnd => input.until_the_end(limit)?,
        };
        Ok(Answer {
            status: head.status,
            retry_after: head.retry_after,
            keeps_connection: head.keeps_connection && head.body != Body::UntilTheEnd,
            body,
        })
    }
}

struct Head {
    status: u16,
    retry_after: Option<String>,
    keeps_connection: bool,
    body: Body,
}

#[derive(PartialEq)]
enum Body {
    Nothing,
    Length(usize),
    Chunks,
    UntilTheEnd,
}

impl Head {
    /// The head that the bytes begin with and its length, once it is complete.
    fn read(bytes: &[u8]) -> Result<Option<(Head, usize)>, Trouble> {
        let mut headers = [EMPTY_HEADER; MAX_HEADERS];
        let mut response = Response::new(&mut headers);
        let Status::Complete(length) = response.parse(bytes).map_err(not_http)? else {
            return Ok(None);
        };
        let status = response.code.unwrap_or_default();
        let values = |name| {
            let named = response.headers.iter();
            let named = named.filter(move |header| header.name.eq_ignore_ascii_case(name));
            named.map(|header: &Header<'_>| String::from_utf8_lossy(header.value))
        };
        let says = |name, word: &str| {
            let mut all = values(name);
            all.any(|value| {
                let mut words = value.split(',');
                words.any(|one| one.trim().eq_ignore_ascii_case(word))
            })
        };
        let body = match status {
            ..200 | 204 | 304 => Body::Nothing,
            _ if says("transfer-encoding", "chunked") => Body::Chunks,
            _ => match values("content-length").next() {
                Some(length) => Body::Length(size(&length)?),
                None => Body::UntilTheEnd,
            },
        };
        let head = Head {
            status,
            retry_after: values("retry-after").next().map(Cow::into_owned),
            keeps_connection: response.version == Some(1) && !says("connection", "close"),
            body,
        };
        Ok(Some((head, length)))
    }
}

fn size(length: &str) -> Result<usize, Trouble> {
    let length = length.trim().parse::<u64>();
    let length = length.map_err(|_| not_http("a content-length that is no number"))?;
    let size = usize::try_from(length).ok();
    size.filter(|_| length <= MAX_BODY).ok_or_else(too_large)
}

/// A body in pieces, each with its length before it; headers may follow the last.
fn chunks<M: More>(input: &mut Input<M>, limit: usize) -> Result<Vec<u8>, Trouble> {
    let mut body = Vec::new();
    loop {
        let size = input.take(MAX_HEAD, |bytes| {
            let size = parse_chunk_size(bytes);
            let size = size.map_err(|_| not_http("a piece without its length"))?;
            Ok(match size {
                Status::Complete((length, size)) => Some((size, length)),
                Status::Partial => None,
            })
        })?;
        if size == 0 {
            break;
        }
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        if size > limit - body.len() {
            return Err(too_large());
        }
        body.extend(input.exactly(size)?);
        if input.exactly(2)? != b"\r\n" {
            return Err(not_http("a piece that is longer than it says"));
        }
    }
    input.take(MAX_HEAD, |bytes| {
        let mut headers = [EMPTY_HEADER; MAX_HEADERS];
        let trailers = parse_headers(bytes, &mut headers).map_err(not_http)?;
        Ok(match trailers {
            Status::Complete((length, _)) => Some(((), length)),
            Status::Partial => None,
        })
    })?;
    Ok(body)
}

/// Appends what has come; false at the end.
pub(super) trait More: FnMut(&mut Vec<u8>) -> Result<bool, Trouble> {}

impl<F: FnMut(&mut Vec<u8>) -> Result<bool, Trouble>> More for F {}

/// What has come over a connection and was not taken yet.
pub(super) struct Input<M> {
    bytes: Vec<u8>,
    start: usize,
    more: M,
}

impl<M: More> Input<M> {
    /// What comes is put into that room.
    pub(super) fn within(room: Vec<u8>, more: M) -> Input<M> {
        Input {
            bytes: room,
            start: 0,
            more,
        }
    }

    /// The room, for what comes next.
    pub(super) fn into_room(mut self) -> Vec<u8> {
        self.bytes.clear();
        self.bytes
    }

    /// Takes the first thing, as soon as enough has come to know what it is and how long.
    fn take<T>(
        &mut self,
        limit: usize,
        first: impl Fn(&[u8]) -> Result<Option<(T, usize)>, Trouble>,
    ) -> Result<T, Trouble> {
        loop {
            if let Some((thing, length)) = first(&self.bytes[self.start..])? {
                self.start += length;
                return Ok(thing);
            }
            if self.bytes.len() - self.start > limit {
                return Err(not_http("a head without an end"));
            }
            self.must_come()?;
        }
    }

    fn exactly(&mut self, length: usize) -> Result<Vec<u8>, Trouble> {
        while self.bytes.len() - self.start < length {
            self.must_come()?;
        }
        let end = self.start + length;
        let taken = self.bytes[self.start..end].to_vec();
        self.start = end;
        Ok(taken)
    }

    fn until_the_end(&mut self, limit: usize) -> Result<Vec<u8>, Trouble> {
        while (self.more)(&mut self.bytes)? {
            if self.bytes.len() - self.start > limit {
                return Err(too_large());
            }
        }
        Ok(self.bytes.split_off(self.start))
    }

    fn must_come(&mut self) -> Result<(), Trouble> {
        self.bytes.drain(..self.start);
        self.start = 0;
        let has_come = (self.more)(&mut self.bytes)?;
        has_come.then_some(()).ok_or_else(cut_off)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is made of bytes that come in pieces of this length.
    fn read(bytes: &[u8], piece: usize) -> Result<Answer, Trouble> {
        let mut pieces = bytes.chunks(piece);
        Answer::read(&mut Input::within(Vec::new(), |input: &mut Vec<u8>| {
            let next = pieces.next();
            input.extend_from_slice(next.unwrap_or_default());
            Ok(next.is_some())
        }))
    }

    #[test]
    fn the_end_of_a_body_is_found_however_it_comes() {
        for (head, rest, status, body, keeps_connection) in [
            ("200 OK\r\ncontent-length: 5", "hello", 200, "hello", true),
            (
                "200 OK\r\nContent-Length: 5\r\nConnection: Close",
                "hello",
                200,
                "hello",
                false,
            ),
            (
                "200 \r\nconnection: x, close\r\ncontent-length: 0",
                "",
                200,
                "",
                false,
            ),
            ("200 OK", "to the end", 200, "to the end", false),
            (
                "200 OK\r\nTransfer-Encoding: chunked",
                "2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\n\r\n",
                200,
                "hello",
                true,
            ),
            (
                "200 OK\r\ntransfer-encoding: gzip, chunked",
                "A\r\n0123456789\r\n0\r\na: b\r\nc: d\r\n\r\n",
                200,
                "0123456789",
                true,
            ),
            (
                "200 OK\r\ntransfer-encoding: chunked\r\ncontent-length: 1",
                "1\r\nx\r\n0\r\n\r\n",
                200,
                "x",
                true,
            ),
            ("204 No Content", "", 204, "", true),
            ("304 Not Modified\r\ncontent-length: 9", "", 304, "", true),
            (
                "100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nlink: x\r\n\r\nHTTP/1.1 503 No\r\ncontent-length: 1",
                "!",
                503,
                "!",
                true,
            ),
        ] {
            let bytes = format!("HTTP/1.1 {head}\r\n\r\n{rest}");
            for piece in [1, 2, 7, 1000] {
                let answer = read(bytes.as_bytes(), piece).unwrap();
                let expected = Answer {
                    status,
                    retry_after: None,
                    body: body.into(),
                    keeps_connection,
                };
                assert_eq!(answer, expected, "{bytes:?} in pieces of {piece}");
            }
        }
        let old = read(
            b"HTTP/1.0 429 No\r\nretry-after: 7\r\ncontent-length: 0\r\n\r\n",
            9,
        )
        .unwrap();
        assert_eq!(
            (old.retry_after.as_deref(), old.keeps_connection),
            (Some("7"), false)
        );
    }

    #[test]
    fn what_is_no_answer_is_told() {
        let many = "a: b\r\n".repeat(MAX_HEADERS + 1);
        let long = format!("a: {}\r\n", "b".repeat(2 * MAX_HEAD));
        for (bytes, told) in [
            ("", "closed before the answer was complete"),
            (
                "HTTP/1.1 200 OK\r\n",
                "closed before the answer was complete",
            ),
            (
                "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhell",
                "closed before the answer was complete",
            ),
            (
                "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhel",
                "closed before the answer was complete",
            ),
            (
                "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n",
                "closed before the answer was complete",
            ),
            ("220 smtp ready\r\n\r\n", "not HTTP"),
            (
                "HTTP/1.1 200 OK\r\ncontent-length: five\r\n\r\nhello",
                "not HTTP",
            ),
            (
                "HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\nhello",
                "not HTTP",
            ),
            (
                "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nhello",
                "not HTTP",
            ),
            (
                "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nhello",
                "not HTTP",
            ),
            (
                "HTTP/1.1 200 OK\r\ncontent-length: 10485761\r\n\r\n",
                "larger than 10 MB",
            ),
            (
                "HTTP/1.1 200 OK\r\ncontent-length: 99999999999999999999\r\n\r\n",
                "not HTTP",
            ),
            (
                "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nfffffffffffffff\r\n",
                "larger than 10 MB",
            ),
            (&format!("HTTP/1.1 200 OK\r\n{many}\r\n"), "not HTTP"),
            (&format!("HTTP/1.1 200 OK\r\n{long}\r\n"), "not HTTP"),
        ] {
            for piece in [1 + bytes.len() / 1000, 999] {
                match read(bytes.as_bytes(), piece) {
                    Err(Trouble::Broken(why) | Trouble::Other(why)) => {
                        assert!(why.contains(told), "{bytes:.60}: {why}");
                    }
                    other => panic!("{bytes:.60}: {other:?}"),
                }
            }
        }
        let endless = format!("HTTP/1.1 200 OK\r\n\r\n{}", "x".repeat(11 << 20));
        assert!(matches!(
            read(endless.as_bytes(), 1 << 16),
            Err(Trouble::Other(_))
        ));
    }
}
