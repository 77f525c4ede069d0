//! Reads XML as elements and text, with limits and line numbers.
//!
//! Entities of a DTD are not expanded: an unknown `&name;` is kept verbatim.

use std::borrow::Cow;
use std::io::{self, BufRead, Read};

use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, XmlVersion, escape::resolve_predefined_entity};

use super::JunitError;

/// The maximum nesting of elements.
const MAX_DEPTH: usize = 256;

/// Reads the elements of a document.
pub(super) struct Xml<R> {
    reader: Reader<LineCounter<R>>,
    buffer: Vec<u8>,
    depth: usize,
    /// The line where the last token started.
    line: u64,
}

#[derive(Debug)]
pub(super) enum Token {
    Open(Element),
    Text(String),
    Close,
    End,
}

/// An element's name and attributes, without namespaces.
#[derive(Debug)]
pub(super) struct Element {
    pub(super) name: String,
    pub(super) line: u64,
    attributes: Vec<(String, String)>,
}

impl Element {
    /// The value of an attribute; `None` if it is missing or blank.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let (_, value) = self.attributes.iter().find(|(key, _)| key == name)?;
        Some(value.trim()).filter(|value| !value.is_empty())
    }
}

impl<R: BufRead> Xml<R> {
    pub(super) fn new(reader: R) -> Xml<R> {
        let mut reader = Reader::from_reader(LineCounter { reader, line: 1 });
        let config = reader.config_mut();
        config.expand_empty_elements = true;
        // Some tools do not escape `&`; the intended text is unambiguous.
        config.allow_dangling_amp = true;
        Xml {
            reader,
            buffer: Vec::new(),
            depth: 0,
            line: 1,
        }
    }

    pub(super) fn next(&mut self) -> Result<Token, JunitError> {
        loop {
            if let Some(token) = self.read()? {
                return Ok(token);
            }
        }
    }

    /// Skips the rest of the element whose start tag was read last.
    pub(super) fn skip(&mut self) -> Result<(), JunitError> {
        self.text(&mut |_| ())
    }

    /// Reads the rest of the element whose start tag was read last; passes the text at any depth to `sink`.
    pub(super) fn text(&mut self, sink: &mut dyn FnMut(&str)) -> Result<(), JunitError> {
        let outside = self.depth - 1;
        while self.depth > outside {
            if let Token::Text(text) = self.next()? {
                sink(&text);
            }
        }
        Ok(())
    }

    pub(super) fn error(&self, reason: impl Into<String>) -> JunitError {
        JunitError::Xml {
            line: self.line,
            reason: reason.into(),
        }
    }

    /// Reads one token; `None` if it is irrelevant, such as a comment.
    fn read(&mut self) -> Result<Option<Token>, JunitError> {
        self.buffer.clear();
        let line = self.reader.get_ref().line;
        self.line = line;
        let event = self.reader.read_event_into(&mut self.buffer);
        let event = event.map_err(|error| readable(error, line))?;
        Ok(match event {
            Event::Start(start) => {
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    let reason = format!("elements are nested deeper than {MAX_DEPTH} levels");
                    return Err(JunitError::Xml { line, reason });
                }
                Some(Token::Open(element(&start, line)?))
            }
            Event::End(_) => {
                self.depth -= 1;
                Some(Token::Close)
            }
            Event::Text(text) => Some(Token::Text(text.xml10_content().into_owned())),
            Event::CData(text) => Some(Token::Text(text.xml10_content().into_owned())),
            Event::GeneralRef(reference) => Some(Token::Text(resolve(&reference))),
            Event::Eof if self.depth > 0 => {
                let reason = "the document ends before all elements are closed".into();
                return Err(JunitError::Xml { line, reason });
            }
            Event::Eof => Some(Token::End),
            _ => None,
        })
    }
}

fn element(start: &BytesStart<'_>, line: u64) -> Result<Element, JunitError> {
    let mut attributes = Vec::new();
    // Without the check for duplicates, whose cost is quadratic in the number of attributes.
    for attribute in start.attributes().with_checks(false) {
        let attribute = attribute.map_err(|error| JunitError::Xml {
            line,
            reason: error.to_string(),
        })?;
        let value = attribute.normalized_value(XmlVersion::Implicit1_0);
        let value = value.map_or_else(|_| attribute.value.to_string(), Cow::into_owned);
        attributes.push((attribute.key.local_name().as_ref().to_owned(), value));
    }
    Ok(Element {
        name: start.local_name().as_ref().to_owned(),
        line,
        attributes,
    })
}

fn resolve(reference: &BytesRef<'_>) -> String {
    match reference.resolve_char_ref() {
        Ok(Some(character)) => character.into(),
        _ => resolve_predefined_entity(reference)
            .map_or_else(|| format!("&{};", &**reference), str::to_owned),
    }
}

fn readable(error: quick_xml::Error, line: u64) -> JunitError {
    match error {
        quick_xml::Error::Io(error) => JunitError::Io(io::Error::new(error.kind(), error)),
        quick_xml::Error::Encoding(_) => JunitError::Xml {
            line,
            reason: "not valid UTF-8; convert the file to UTF-8".into(),
        },
        other => JunitError::Xml {
            line,
            reason: other.to_string(),
        },
    }
}

/// Counts the lines that were consumed from the reader.
struct LineCounter<R> {
    reader: R,
    line: u64,
}

impl<R: BufRead> Read for LineCounter<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

impl<R: BufRead> BufRead for LineCounter<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.reader.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        // The bytes are already buffered, so this call reads nothing.
        if let Ok(buffer) = self.reader.fill_buf() {
            let taken = &buffer[..amount.min(buffer.len())];
            self.line += taken
                .iter()
                .map(|byte| u64::from(*byte == b'\n'))
                .sum::<u64>();
        }
        self.reader.consume(amount);
    }
}
