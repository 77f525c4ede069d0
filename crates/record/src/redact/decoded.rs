//! [`Decoded`]: text whose escapes are decoded, and where its parts were. One search in it finds a secret whatever
//! characters a program chose to escape.

use std::ops::Range;

use memchr::memchr;

/// Decoded text.
pub(super) struct Decoded {
    pub(super) bytes: Vec<u8>,
    /// Positions in `bytes` and in the source, at both ends of each escape.
    positions: Vec<(usize, usize)>,
}

impl Decoded {
    /// The range of the source that became this range.
    pub(super) fn source(&self, range: Range<usize>) -> Range<usize> {
        self.source_index(range.start)..self.source_index(range.end)
    }

    fn source_index(&self, index: usize) -> usize {
        let following = self
            .positions
            .partition_point(|(decoded, _)| *decoded <= index);
        let before = following.checked_sub(1).map(|last| self.positions[last]);
        before.map_or(index, |(decoded, source)| source + (index - decoded))
    }
}

/// Decodes `%2F`; `None` if there is none.
pub(super) fn percent_encoding(text: &[u8]) -> Option<Decoded> {
    decode(text, b'%', |rest, bytes| {
        bytes.push(u8::try_from(digits(rest.get(1..3)?, 16)?).ok()?);
        Some(3)
    })
}

/// Decodes escapes with a backslash, as in JSON, shells and programming languages: `\n`, `\"`, `\u00e9`, `\u{e9}`,
/// `\xe9`, `\351`; `None` if there are none.
pub(super) fn backslashes(text: &[u8]) -> Option<Decoded> {
    decode(text, b'\\', |rest, bytes| {
        unicode(rest, bytes)
            .or_else(|| byte(rest, bytes))
            .or_else(|| {
                bytes.push(control(*rest.get(1)?));
                Some(2)
            })
    })
}

/// Replaces escapes, which begin with `mark`. `escape` appends the decoded bytes and returns the length of the escape.
fn decode(
    text: &[u8],
    mark: u8,
    escape: impl Fn(&[u8], &mut Vec<u8>) -> Option<usize>,
) -> Option<Decoded> {
    let mut from = memchr(mark, text)?;
    let mut bytes = Vec::with_capacity(text.len());
    bytes.extend_from_slice(&text[..from]);
    let mut positions = Vec::new();
    while from < text.len() {
        let start = bytes.len();
        let length = escape(&text[from..], &mut bytes);
        if let Some(length) = length {
            positions.push((start, from));
            positions.push((bytes.len(), from + length));
        } else {
            bytes.push(mark);
        }
        from += length.unwrap_or(1);
        let next = memchr(mark, &text[from..]).map_or(text.len(), |found| from + found);
        bytes.extend_from_slice(&text[from..next]);
        from = next;
    }
    (!positions.is_empty()).then_some(Decoded { bytes, positions })
}

/// `\u00e9`, also as a surrogate pair, `\u{e9}` and `\U000000e9`.
fn unicode(rest: &[u8], bytes: &mut Vec<u8>) -> Option<usize> {
    let (code, length) = match rest.get(1..3)? {
        b"u{" => {
            let end = memchr(b'}', rest.get(..11).unwrap_or(rest))?;
            (digits(&rest[3..end], 16)?, end + 1)
        }
        [b'u', _] => match (utf16(rest)?, rest.get(6..).and_then(utf16)) {
            (high @ 0xD800..0xDC00, Some(low @ 0xDC00..0xE000)) => {
                (0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00), 12)
            }
            (unit, _) => (unit, 6),
        },
        [b'U', _] => (digits(rest.get(2..10)?, 16)?, 10),
        _ => return None,
    };
    let character = char::from_u32(code)?;
    bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    Some(length)
}

fn utf16(rest: &[u8]) -> Option<u32> {
    let digits_of_unit = rest.get(..6)?.strip_prefix(b"\\u")?;
    digits(digits_of_unit, 16)
}

/// `\xe9` and `\351`.
fn byte(rest: &[u8], bytes: &mut Vec<u8>) -> Option<usize> {
    let value = match rest.get(1)? {
        b'x' => digits(rest.get(2..4)?, 16)?,
        b'0'..=b'3' => digits(rest.get(1..4)?, 8)?,
        _ => return None,
    };
    bytes.push(u8::try_from(value).ok()?);
    Some(4)
}

fn digits(text: &[u8], radix: u32) -> Option<u32> {
    let is_number = text.iter().all(|byte| char::from(*byte).is_digit(radix));
    let text = std::str::from_utf8(text).ok().filter(|_| is_number)?;
    u32::from_str_radix(text, radix).ok()
}

/// What a backslash and this byte mean: most characters mean themselves.
fn control(byte: u8) -> u8 {
    match byte {
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'b' => 0x08,
        b'f' => 0x0C,
        b'v' => 0x0B,
        b'a' => 0x07,
        b'e' | b'E' => 0x1B,
        b'0' => 0,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_decoded() {
        for (text, decoded) in [
            (r#"a\"b\\c\/d\ne"#, "a\"b\\c/d\ne"),
            (r"\u00e9\u00E9\u{e9}\xc3\xa9\303\251\U000000e9", "éééééé"),
            (r"\ud83d\ude00 \u{1F600}", "😀 😀"),
            (r"\ud83d \u12 \u{x} \x1 \", "ud83d u12 u{x} x1 \\"),
        ] {
            let bytes = backslashes(text.as_bytes()).unwrap().bytes;
            assert_eq!(String::from_utf8(bytes).unwrap(), decoded, "{text}");
        }
        let bytes = percent_encoding("%2f%C3%a9% %zz%4".as_bytes())
            .unwrap()
            .bytes;
        assert_eq!(String::from_utf8(bytes).unwrap(), "/é% %zz%4");
        assert!(percent_encoding(b"100 %").is_none() && backslashes(b"none").is_none());
    }

    #[test]
    fn positions_lead_back_to_the_source() {
        let text = r#"x\"a\u00e9b\ny"#;
        let decoded = backslashes(text.as_bytes()).unwrap();
        let whole = decoded.source(0..decoded.bytes.len());
        assert_eq!(&text[whole], text);
        let found = std::str::from_utf8(&decoded.bytes).unwrap().find("\"aéb\n");
        let range = decoded.source(found.unwrap()..found.unwrap() + "\"aéb\n".len());
        assert_eq!(&text[range], r#"\"a\u00e9b\n"#);
    }
}
