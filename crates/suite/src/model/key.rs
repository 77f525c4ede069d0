//! [`Key`]: a key that a dialogue presses.

/// A key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the keys are named as on a keyboard")]
pub enum Key {
    Enter,
    Tab,
    Escape,
    Space,
    Backspace,
    Delete,
    Up,
    Down,
    Left,
    Right,
    Home,
    End,
    PageUp,
    PageDown,
    /// F1 to F12.
    Function(u8),
    /// Ctrl and a letter from `a` to `z`.
    Control(u8),
}

/// The names of all keys.
#[rustfmt::skip]
pub const KEY_NAMES: &[&str] = &[
    "enter", "tab", "escape", "space", "backspace", "delete",
    "up", "down", "left", "right", "home", "end", "page-up", "page-down",
    "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12",
    "ctrl-a", "ctrl-b", "ctrl-c", "ctrl-d", "ctrl-e", "ctrl-f", "ctrl-g", "ctrl-h", "ctrl-i",
    "ctrl-j", "ctrl-k", "ctrl-l", "ctrl-m", "ctrl-n", "ctrl-o", "ctrl-p", "ctrl-q", "ctrl-r",
    "ctrl-s", "ctrl-t", "ctrl-u", "ctrl-v", "ctrl-w", "ctrl-x", "ctrl-y", "ctrl-z",
];

impl Key {
    /// The key with this name.
    pub fn named(name: &str) -> Option<Key> {
        let key = match name {
            "enter" => Key::Enter,
            "tab" => Key::Tab,
            "escape" => Key::Escape,
            "space" => Key::Space,
            "backspace" => Key::Backspace,
            "delete" => Key::Delete,
            "up" => Key::Up,
            "down" => Key::Down,
            "left" => Key::Left,
            "right" => Key::Right,
            "home" => Key::Home,
            "end" => Key::End,
            "page-up" => Key::PageUp,
            "page-down" => Key::PageDown,
            _ => return function_key(name).or_else(|| control_key(name)),
        };
        Some(key)
    }
}

fn function_key(name: &str) -> Option<Key> {
    let number = name.strip_prefix('f')?;
    let is_plain = !number.starts_with(['0', '+']);
    let number = number.parse().ok().filter(|_| is_plain)?;
    (1..=12).contains(&number).then_some(Key::Function(number))
}

fn control_key(name: &str) -> Option<Key> {
    match name.strip_prefix("ctrl-")?.as_bytes() {
        [letter @ b'a'..=b'z'] => Some(Key::Control(*letter)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_a_key_of_its_own() {
        let keys: Vec<_> = KEY_NAMES
            .iter()
            .map(|name| Key::named(name).unwrap_or_else(|| panic!("{name}")))
            .collect();
        for (index, key) in keys.iter().enumerate() {
            assert!(!keys[..index].contains(key), "{}", KEY_NAMES[index]);
        }
    }

    #[test]
    fn other_names_are_no_keys() {
        for name in [
            "", "f0", "f13", "f01", "f+1", "ctrl-", "ctrl-A", "ctrl-aa", "Enter", "f",
        ] {
            assert_eq!(Key::named(name), None, "{name}");
        }
    }
}
