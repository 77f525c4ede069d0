//! Numbers with nouns.

/// “1 example”, “2 examples”. Only for nouns with a plural in -s.
pub(crate) fn count(number: usize, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{ending}")
}

/// “1,204”: a number with thousands separators.
pub(crate) fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
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

    #[test]
    fn large_numbers_are_grouped() {
        for (number, text) in [
            (7, "7"),
            (999, "999"),
            (1_204, "1,204"),
            (1_000_000, "1,000,000"),
        ] {
            assert_eq!(thousands(number), text);
        }
    }
}
