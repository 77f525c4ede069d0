//! Reads keys from a terminal in raw mode.
//!
//! Not with a library, because reading must stop when the terminal was closed.

use std::time::Duration;

use casebook_report::interactive::Key;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, read};
use rustix::stdio::stdin;

/// Buffer size for one read.
const MOST: usize = 256;

/// The terminal was closed.
pub(crate) struct KeyboardClosed;

/// Reads the keys pressed within this time.
pub(crate) fn read_keys(time: Duration) -> Result<Vec<Key>, KeyboardClosed> {
    let keyboard = stdin();
    let mut ready = [PollFd::new(&keyboard, PollFlags::IN)];
    let time = Timespec::try_from(time).map_err(|_| KeyboardClosed)?;
    match poll(&mut ready, Some(&time)) {
        Ok(0) | Err(Errno::INTR) => return Ok(Vec::new()),
        Ok(_) if ready[0].revents().contains(PollFlags::IN) => {}
        _ => return Err(KeyboardClosed),
    }
    let mut bytes = [0; MOST];
    match read(keyboard, &mut bytes) {
        Ok(0) => Err(KeyboardClosed),
        Ok(length) => Ok(keys(&bytes[..length])),
        Err(Errno::INTR | Errno::AGAIN) => Ok(Vec::new()),
        Err(_) => Err(KeyboardClosed),
    }
}

/// Decodes keys; unknown bytes are ignored.
fn keys(mut bytes: &[u8]) -> Vec<Key> {
    let mut keys = Vec::new();
    while let Some((first, rest)) = bytes.split_first() {
        bytes = rest;
        match first {
            0x1b if rest.is_empty() => keys.push(Key::Escape),
            0x1b => {
                let (key, rest) = sequence(rest);
                bytes = rest;
                keys.extend(key);
            }
            0x03 => keys.push(Key::Interrupt),
            0x0c => keys.push(Key::Redraw),
            b'\t' => keys.push(Key::Right),
            b'\r' | b'\n' => keys.push(Key::Enter),
            0x08 | 0x7f => keys.push(Key::Backspace),
            _ => {
                let (character, rest) = character(*first, rest);
                bytes = rest;
                keys.extend(character.filter(|c| !c.is_control()).map(Key::Char));
            }
        }
    }
    keys
}

/// Decodes a character of UTF-8, and returns the bytes after it.
fn character(first: u8, rest: &[u8]) -> (Option<char>, &[u8]) {
    let following = match first {
        0xc0..=0xdf => 1,
        0xe0..=0xef => 2,
        0xf0..=0xf7 => 3,
        _ => 0,
    };
    let mut bytes = vec![first];
    bytes.extend(rest.iter().take(following));
    match std::str::from_utf8(&bytes) {
        Ok(text) => (text.chars().next(), &rest[bytes.len() - 1..]),
        Err(_) => (None, rest),
    }
}

/// Decodes the bytes after an escape: `[A`, `OA`, `[5~`, `[1;2A`.
fn sequence(bytes: &[u8]) -> (Option<Key>, &[u8]) {
    let Some((b'[' | b'O', rest)) = bytes.split_first() else {
        return (None, bytes);
    };
    let is_end = |byte: &u8| (b'@'..=b'~').contains(byte);
    let Some(end) = rest.iter().position(is_end) else {
        return (None, &[]);
    };
    let number = rest[..end].split(|byte| *byte == b';').next();
    let key = match (rest[end], number) {
        (b'A', _) => Some(Key::Up),
        (b'B', _) => Some(Key::Down),
        (b'C', _) => Some(Key::Right),
        (b'D', _) => Some(Key::Left),
        (b'H', _) | (b'~', Some(b"1" | b"7")) => Some(Key::Home),
        (b'F', _) | (b'~', Some(b"4" | b"8")) => Some(Key::End),
        (b'~', Some(b"5")) => Some(Key::PageUp),
        (b'~', Some(b"6")) => Some(Key::PageDown),
        _ => None,
    };
    (key, &rest[end + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_as_terminals_send_them() {
        for (bytes, expected) in [
            (&b"q"[..], vec![Key::Char('q')]),
            (b"jG ", vec![Key::Char('j'), Key::Char('G'), Key::Char(' ')]),
            (b"\x1b[A\x1bOB", vec![Key::Up, Key::Down]),
            (b"\x1b[5~\x1b[6~", vec![Key::PageUp, Key::PageDown]),
            (
                b"\x1b[H\x1b[4~\x1b[1;5C",
                vec![Key::Home, Key::End, Key::Right],
            ),
            (b"\x03\x0c\t", vec![Key::Interrupt, Key::Redraw, Key::Right]),
            // No part of an unknown sequence is taken for a key.
            (b"\x1b[3~q", vec![Key::Char('q')]),
            (b"\x1b", vec![Key::Escape]),
            (b"\r\x7f", vec![Key::Enter, Key::Backspace]),
            (b"\x1b[", vec![]),
            (b"\x1b[1;", vec![]),
            ("ä".as_bytes(), vec![Key::Char('ä')]),
            (b"\x00\xff\xc3q", vec![Key::Char('q')]),
        ] {
            assert_eq!(keys(bytes), expected, "{bytes:?}");
        }
    }
}
