//! [`decoded`]: text of a URI.

/// A part of a URI without its `%XX`.
pub(crate) fn decoded(part: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = part.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escaped = after.get(..2).filter(|_| *first == b'%');
        let escaped = escaped.and_then(|digits| std::str::from_utf8(digits).ok());
        let escaped = escaped.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() {
            &after[2..]
        } else {
            after
        };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_decoded() {
        for (part, expected) in [
            ("a%20b", "a b"),
            ("%C3%BC", "ü"),
            ("100%", "100%"),
            ("%zz", "%zz"),
        ] {
            assert_eq!(decoded(part), expected);
        }
    }
}
