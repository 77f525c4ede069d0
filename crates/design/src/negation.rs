//! The word "not" (rule S5): loud in everything that is written, because the reviewer demands it.

/// What separates words; an apostrophe does not.
fn is_gap(letter: char) -> bool {
    !letter.is_alphanumeric() && letter != '_' && letter != '\''
}

/// The words of a text.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(is_gap).filter(|word| !word.is_empty())
}

/// Whether a text has a "not" that can be overlooked.
pub(crate) fn is_small(text: &str) -> bool {
    words(text).any(|word| word == "not")
}

/// The same text with a `NOT` that nobody overlooks.
pub(crate) fn loud(text: &str) -> String {
    let pieces = text.split_inclusive(is_gap);
    let loud = |piece: &str| match piece.trim_end_matches(is_gap) {
        "not" => piece.replacen("not", "NOT", 1),
        _ => piece.to_owned(),
    };
    pieces.map(loud).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_alone_is_loud() {
        for (text, expected) in [
            ("user not active", "user NOT active"),
            ("not", "NOT"),
            ("not-found, not.", "NOT-found, NOT."),
            (
                "cannot nothing not_found NOT",
                "cannot nothing not_found NOT",
            ),
            ("it's 'not' so", "it's 'not' so"),
            ("", ""),
        ] {
            assert_eq!(loud(text), expected);
            assert!(!is_small(&loud(text)), "{text}");
        }
    }
}
