//! Finds the examples of a `run.json` without keeping them in memory.

use std::io::{self, BufRead};
use std::ops::Range;

use memchr::memchr2;

/// A document split into its examples and everything else.
#[derive(Debug, PartialEq)]
pub(crate) struct Outline {
    /// The document without its `examples`.
    pub(crate) head: Vec<u8>,
    /// The bytes of each example in the document.
    pub(crate) examples: Vec<Range<u64>>,
}

/// Splits a document. The values are not parsed; the nesting is followed to find their ends. An error means that the
/// document is not the JSON of a run, or that it cannot be read.
pub(crate) fn outline(document: impl BufRead) -> io::Result<Outline> {
    let mut scanner = Scanner {
        document,
        offset: 0,
    };
    let mut head = b"{".to_vec();
    let mut examples = None;
    scanner.each_field(|scanner, key| {
        if key == b"\"examples\"" && examples.is_none() {
            examples = Some(scanner.examples()?);
            return Ok(());
        }
        if head.len() > 1 {
            head.push(b',');
        }
        head.extend_from_slice(key);
        head.push(b':');
        scanner.value(Some(&mut head))?;
        Ok(())
    })?;
    head.push(b'}');
    scanner.expect_end()?;
    Ok(Outline {
        head,
        examples: examples.unwrap_or_default(),
    })
}

struct Scanner<R> {
    document: R,
    offset: u64,
}

impl<R: BufRead> Scanner<R> {
    fn examples(&mut self) -> io::Result<Vec<Range<u64>>> {
        let mut examples = Vec::new();
        self.each_field(|scanner, _| {
            examples.push(scanner.value(None)?);
            Ok(())
        })?;
        Ok(examples)
    }

    /// Reads an object; `value` is called with each key, in its quotes, and reads the value.
    fn each_field(
        &mut self,
        mut value: impl FnMut(&mut Self, &[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        self.expect(b'{')?;
        if self.peek()? == b'}' {
            return self.expect(b'}');
        }
        let mut key = Vec::new();
        loop {
            key.clear();
            if self.peek()? != b'"' {
                return Err(invalid());
            }
            self.value(Some(&mut key))?;
            self.expect(b':')?;
            value(self, &key)?;
            if self.peek()? == b'}' {
                return self.expect(b'}');
            }
            self.expect(b',')?;
        }
    }

    /// Skips one value; returns its bytes, which are also appended to `copy`.
    fn value(&mut self, mut copy: Option<&mut Vec<u8>>) -> io::Result<Range<u64>> {
        self.peek()?;
        let start = self.offset;
        let mut nesting = Nesting::default();
        loop {
            let bytes = self.document.fill_buf()?;
            if bytes.is_empty() {
                return Err(invalid());
            }
            let (length, is_complete) = nesting.follow(bytes);
            if let Some(copy) = &mut copy {
                copy.extend_from_slice(&bytes[..length]);
            }
            self.skip(length);
            if is_complete {
                return Ok(start..self.offset);
            }
        }
    }

    fn expect(&mut self, byte: u8) -> io::Result<()> {
        if self.peek()? != byte {
            return Err(invalid());
        }
        self.skip(1);
        Ok(())
    }

    fn expect_end(&mut self) -> io::Result<()> {
        match self.next_token()? {
            None => Ok(()),
            Some(_) => Err(invalid()),
        }
    }

    fn peek(&mut self) -> io::Result<u8> {
        self.next_token()?.ok_or_else(invalid)
    }

    /// The first byte after white space; `None` at the end.
    fn next_token(&mut self) -> io::Result<Option<u8>> {
        loop {
            let bytes = self.document.fill_buf()?;
            if bytes.is_empty() {
                return Ok(None);
            }
            let blank = bytes.iter().take_while(|byte| byte.is_ascii_whitespace());
            let blank = blank.count();
            let byte = bytes.get(blank).copied();
            self.skip(blank);
            if byte.is_some() {
                return Ok(byte);
            }
        }
    }

    fn skip(&mut self, length: usize) {
        self.document.consume(length);
        self.offset += length as u64;
    }
}

fn invalid() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "not the JSON of a run")
}

/// The position within a value that arrives in pieces.
#[derive(Default)]
struct Nesting {
    depth: usize,
    in_string: bool,
    /// Whether a backslash was the last byte of the string so far.
    escaped: bool,
}

impl Nesting {
    /// The number of bytes that belong to the value, and whether it ends after them.
    fn follow(&mut self, bytes: &[u8]) -> (usize, bool) {
        let mut at = 0;
        while at < bytes.len() {
            if self.in_string {
                at += self.string(&bytes[at..]);
                if !self.in_string && self.depth == 0 {
                    return (at, true);
                }
                continue;
            }
            match bytes[at] {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                // The byte after a number or a word.
                b'}' | b']' | b',' | b':' if self.depth == 0 => return (at, true),
                byte if self.depth == 0 && byte.is_ascii_whitespace() => return (at, true),
                b'}' | b']' => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        return (at + 1, true);
                    }
                }
                _ => {}
            }
            at += 1;
        }
        (at, false)
    }

    /// The number of bytes up to and including the next quote or backslash of the string.
    fn string(&mut self, bytes: &[u8]) -> usize {
        if std::mem::take(&mut self.escaped) {
            return 1;
        }
        let Some(found) = memchr2(b'"', b'\\', bytes) else {
            return bytes.len();
        };
        self.escaped = bytes[found] == b'\\';
        self.in_string = self.escaped;
        found + 1
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    fn split(document: &str) -> Option<(String, Vec<String>)> {
        // A tiny buffer, so that every value arrives in pieces.
        let outline = outline(BufReader::with_capacity(2, document.as_bytes())).ok()?;
        let text = |range: &Range<u64>| {
            let range = usize::try_from(range.start).unwrap()..usize::try_from(range.end).unwrap();
            document[range].to_owned()
        };
        Some((
            String::from_utf8(outline.head).unwrap(),
            outline.examples.iter().map(text).collect(),
        ))
    }

    #[test]
    fn examples_are_found_in_any_layout() {
        for (document, head, examples) in [
            ("{}", "{}", &[][..]),
            (r#"{"examples": {}}"#, "{}", &[]),
            (
                r#"{"a":1,"examples":{"x":{"y":[1,{}]},"z\"}":"q"},"b": [true]}"#,
                r#"{"a":1,"b":[true]}"#,
                &[r#"{"y":[1,{}]}"#, r#""q""#],
            ),
            (
                "\n{ \"a\" : \"}\\\\\" ,\n\"examples\" : { \"1\" : {\"t\": \"\\\"{\"} , \"2\": 7 } , \"b\":\tnull }\n",
                r#"{"a":"}\\","b":null}"#,
                &[r#"{"t": "\"{"}"#, "7"],
            ),
        ] {
            let (actual_head, actual_examples) = split(document).unwrap();
            assert_eq!(actual_head, head, "{document}");
            assert_eq!(actual_examples, examples, "{document}");
        }
    }

    #[test]
    fn other_documents_are_rejected() {
        for document in [
            "",
            "[]",
            "{",
            r#"{"a""#,
            r#"{"a":"#,
            r#"{"a":1"#,
            r#"{"a":1}}"#,
            r#"{"a":1,}"#,
            r#"{"examples":[]}"#,
            r#"{"examples":{"x":{"y":"}"#,
            r#"{"examples":{},"examples":{}}"#,
            "{a:1}",
        ] {
            let is_split = split(document).is_some();
            let is_duplicate = document.matches("examples").count() == 2;
            // The second list remains in the head, which is not a run then.
            assert_eq!(is_split, is_duplicate, "{document}");
        }
    }
}
