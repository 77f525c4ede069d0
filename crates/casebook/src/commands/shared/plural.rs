//! Plural forms for messages.

/// The word as it is for one, with an `s` for any other count.
pub(crate) fn plural(count: u64, word: &str) -> String {
    if count == 1 {
        word.into()
    } else {
        format!("{word}s")
    }
}
