//! What the keys of a terminal send, as in xterm.

use casebook_suite::model::key::Key;

/// The bytes that a key sends. `application_mode`: the program has switched the cursor keys to application mode.
pub(crate) fn key_bytes(key: Key, application_mode: bool) -> Vec<u8> {
    let cursor = |letter: u8| vec![0x1b, if application_mode { b'O' } else { b'[' }, letter];
    let numbered = |number: &str| format!("\x1b[{number}~").into_bytes();
    match key {
        Key::Enter => b"\r".to_vec(),
        Key::Tab => b"\t".to_vec(),
        Key::Escape => b"\x1b".to_vec(),
        Key::Space => b" ".to_vec(),
        Key::Backspace => b"\x7f".to_vec(),
        Key::Delete => numbered("3"),
        Key::Up => cursor(b'A'),
        Key::Down => cursor(b'B'),
        Key::Right => cursor(b'C'),
        Key::Left => cursor(b'D'),
        Key::Home => cursor(b'H'),
        Key::End => cursor(b'F'),
        Key::PageUp => numbered("5"),
        Key::PageDown => numbered("6"),
        Key::Function(number @ 1..=4) => vec![0x1b, b'O', b'O' + number],
        Key::Function(number) => numbered(FROM_F5[usize::from(number.min(12)) - 5]),
        Key::Control(letter) => vec![letter & 0x1f],
    }
}

/// The numbers of F5 to F12; xterm leaves out some.
const FROM_F5: [&str; 8] = ["15", "17", "18", "19", "20", "21", "23", "24"];

#[cfg(test)]
mod tests {
    use casebook_suite::model::key::KEY_NAMES;

    use super::*;

    fn bytes(name: &str, application_mode: bool) -> String {
        let key = Key::named(name).unwrap();
        String::from_utf8(key_bytes(key, application_mode)).unwrap()
    }

    #[test]
    fn keys_send_what_xterm_sends() {
        for (name, expected) in [
            ("enter", "\r"),
            ("ctrl-c", "\x03"),
            ("ctrl-z", "\x1a"),
            ("f1", "\x1bOP"),
            ("f4", "\x1bOS"),
            ("f5", "\x1b[15~"),
            ("f12", "\x1b[24~"),
            ("up", "\x1b[A"),
            ("page-down", "\x1b[6~"),
        ] {
            assert_eq!(bytes(name, false), expected, "{name}");
        }
        assert_eq!(bytes("up", true), "\x1bOA");
    }

    #[test]
    fn every_key_sends_something() {
        for name in KEY_NAMES {
            assert!(!bytes(name, false).is_empty(), "{name}");
        }
    }
}
