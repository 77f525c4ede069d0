//! [`DeclaredSecret`]: a value that a suite declares to be secret, and that may therefore be shorter than other secrets.

use super::{DECLARED_VARIABLE, MIN_DECLARED_CHARS, MIN_SECRET_CHARS};

/// A value that a suite declares to be secret.
#[derive(Debug, Clone, Copy)]
pub struct DeclaredSecret<'v>(&'v str);

/// A value is too short to be redacted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a secret must have at least {MIN_DECLARED_CHARS} characters to be redacted")]
pub struct TooShort;

impl<'v> DeclaredSecret<'v> {
    /// The value, unless it is too short to be redacted. Spaces around it do not count.
    pub fn new(value: &'v str) -> Result<DeclaredSecret<'v>, TooShort> {
        let is_redacted = value.trim().chars().count() >= MIN_DECLARED_CHARS;
        is_redacted.then_some(DeclaredSecret(value)).ok_or(TooShort)
    }

    /// The value as a variable that is secret.
    pub fn variable(self) -> (String, String) {
        (DECLARED_VARIABLE.to_owned(), self.0.to_owned())
    }
}

/// The form of a declared secret that is too short for the other forms, which would occur in unrelated text.
pub(super) fn form(name: &str, value: &str) -> Option<String> {
    let value = value.trim();
    let length = value.chars().count();
    let is_short = (MIN_DECLARED_CHARS..MIN_SECRET_CHARS).contains(&length);
    (name == DECLARED_VARIABLE && is_short).then(|| value.to_owned())
}

/// Whether a found secret is a short declared one.
pub(super) fn is_short(found: &[u8]) -> bool {
    String::from_utf8_lossy(found).chars().count() < MIN_SECRET_CHARS
}

#[cfg(test)]
mod tests {
    use crate::redact::{KnownSecrets, Redactor};

    use super::*;

    #[test]
    fn a_short_declared_secret_is_redacted_as_a_whole_word() {
        for value in ["abc", " abc\n", ""] {
            assert_eq!(DeclaredSecret::new(value).unwrap_err(), TooShort, "{value}");
        }
        let variables = ["4711", "abcde", "lång", "long-enough"]
            .map(|value| DeclaredSecret::new(value).unwrap().variable());
        let variables = || {
            variables
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str()))
        };
        let mut known = KnownSecrets::new([]).unwrap();
        assert!(known.add(variables()) && !known.add(variables()));
        for redactor in [Redactor::new([], variables()).unwrap(), known.redactor()] {
            for (text, redacted) in [
                ("PIN: 4711, abcde.", "PIN: [redacted], [redacted]."),
                ("example:924d47115a71 abcdef", "example:924d47115a71 abcdef"),
                (
                    r#"{"pin":"4711","text":"a\n4711"}"#,
                    r#"{"pin":"[redacted]","text":"a\n[redacted]"}"#,
                ),
                ("lång long-enough", "[redacted] [redacted]"),
                ("xlong-enoughx", "x[redacted]x"),
            ] {
                assert_eq!(redactor.text(text), redacted);
            }
        }
        let undeclared = Redactor::new([], [("PIN_TOKEN", "4711")]).unwrap();
        assert_eq!(undeclared.text("4711"), "4711");
    }
}
