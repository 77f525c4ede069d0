//! Encodes strings of the operating system, which need not be UTF-8, as JSON strings.
//!
//! They contain no NUL, so NUL marks the two hexadecimal digits of a byte that is not UTF-8.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

/// Encodes a string.
pub(super) fn to_text(text: &OsStr) -> String {
    let mut out = String::new();
    for chunk in text.as_bytes().utf8_chunks() {
        out.push_str(chunk.valid());
        for byte in chunk.invalid() {
            write!(out, "\0{byte:02x}").expect("writing to a string succeeds");
        }
    }
    out
}

/// Decodes a string.
pub(super) fn from_text(text: &str) -> OsString {
    let mut parts = text.split('\0');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2).unwrap_or((part, ""));
        bytes.extend(u8::from_str_radix(digits, 16));
        bytes.extend_from_slice(rest.as_bytes());
    }
    OsString::from_vec(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoded_strings_are_decoded_unchanged() {
        for bytes in [
            &b"plain"[..],
            b"caf\xc3\xa9",
            b"\xff\xfe00",
            b"",
            b"a\xf0\x9f",
            b"\x80\x80",
        ] {
            let text = OsStr::from_bytes(bytes);
            assert_eq!(from_text(&to_text(text)), text);
        }
    }
}
