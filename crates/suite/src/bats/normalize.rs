//! The normalizers of a test as Bats code: commands of `sed -E`.

use super::quote::quote;
use crate::model::Test;
use crate::normalizer::Normalizer;

/// Separates the parts of a command of `sed`. Patterns do not contain it.
const DELIMITER: char = '\u{1}';

/// The command that sets the normalizers of the assertions after it; `None` without any.
pub(super) fn code(test: &Test) -> Option<String> {
    let words: Vec<_> = test.normalize.iter().map(word).collect();
    (!words.is_empty()).then(|| format!("casebook_normalize {}", words.join(" ")))
}

/// What `casebook_normalize` takes: the name of a directory, or the locale and the command.
fn word(normalizer: &Normalizer) -> String {
    match normalizer {
        Normalizer::Directory(directory) => directory.name().to_owned(),
        Normalizer::BuiltIn(built_in) => {
            format!("C {}", substitution(built_in.pattern, built_in.replacement))
        }
        Normalizer::Own {
            pattern,
            replacement,
        } => format!(
            "\"$CASEBOOK_LOCALE\" {}",
            substitution(pattern, replacement)
        ),
    }
}

fn substitution(pattern: &str, replacement: &str) -> String {
    let replacement = escaped(replacement);
    quote(&format!(
        "s{DELIMITER}{pattern}{DELIMITER}{replacement}{DELIMITER}g"
    ))
}

/// The new text as `sed` reads it: only references to groups keep their backslash.
fn escaped(replacement: &str) -> String {
    let mut escaped = String::new();
    let mut rest = replacement.chars().peekable();
    while let Some(character) = rest.next() {
        let is_reference = matches!(rest.peek(), Some('1'..='9'));
        if character == '&' || character == '\\' && !is_reference {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}
