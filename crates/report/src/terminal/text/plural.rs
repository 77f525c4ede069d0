//! Counting things in English.

/// “1 example”, “2 examples”. For nouns that only add an s.
pub(in crate::terminal) fn count(number: usize, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular() {
        for (number, text) in [(0, "0 turns"), (1, "1 turn"), (2, "2 turns")] {
            assert_eq!(count(number, "turn"), text);
        }
    }
}
