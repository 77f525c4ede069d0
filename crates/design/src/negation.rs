//! The word "not" (rule S5): written as `NOT` in all generated text, because the reviewer requires it.

/// Whether a character separates words; an apostrophe does not.
fn is_gap(letter: char) -> bool {
    !letter.is_alphanumeric() && letter != '_' && letter != '\''
}

/// The words of a text.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(is_gap).filter(|word| !word.is_empty())
}

/// Whether a text contains a lowercase "not", which is easily overlooked.
pub(crate) fn has_lowercase_not(text: &str) -> bool {
    words(text).any(|word| word == "not")
}

/// The text with every "not" written as `NOT`.
pub(crate) fn uppercase_not(text: &str) -> String {
    let pieces = text.split_inclusive(is_gap);
    let replaced = |piece: &str| match piece.trim_end_matches(is_gap) {
        "not" => piece.replacen("not", "NOT", 1),
        _ => piece.to_owned(),
    };
    pieces.map(replaced).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_word_is_replaced() {
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
            assert_eq!(uppercase_not(text), expected);
            assert!(!has_lowercase_not(&uppercase_not(text)), "{text}");
        }
    }
}
