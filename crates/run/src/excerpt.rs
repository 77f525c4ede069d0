//! Excerpts: the head and the tail of a long text.

/// The longest text that a record keeps complete, in bytes.
pub(crate) const LIMIT: usize = 64 << 10;

/// Returns the text, or its head and tail with a line between them that counts the omitted bytes; and whether it was
/// truncated. The redactor of the `record` crate recognizes that line.
pub(crate) fn excerpt_of(text: &[u8], limit: usize) -> (String, bool) {
    if text.len() <= limit {
        return (String::from_utf8_lossy(text).into_owned(), false);
    }
    // The line between head and tail counts too.
    let half = limit.saturating_sub(64) / 2;
    let head = &text[..boundary(text, half)];
    let tail = &text[boundary(text, text.len() - half)..];
    let missing = text.len() - head.len() - tail.len();
    let joined = format!(
        "{}\n[… {missing} bytes left out …]\n{}",
        String::from_utf8_lossy(head),
        String::from_utf8_lossy(tail)
    );
    (joined, true)
}

/// The next position at which a character may begin, so that none is split.
fn boundary(text: &[u8], at: usize) -> usize {
    let ahead = text[at..].iter().take(4);
    at + ahead.take_while(|byte| **byte & 0xc0 == 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_keeps_its_ends() {
        let text = "ä".repeat(500);
        let (cut, is_truncated) = excerpt_of(text.as_bytes(), 164);
        assert!(is_truncated && cut.len() <= 170, "{cut}");
        assert!(
            cut.starts_with("ää") && cut.ends_with("ää") && cut.contains("[… 9"),
            "{cut}"
        );
        assert!(!cut.contains('\u{fffd}'));
        assert_eq!(excerpt_of(b"abc", 3), ("abc".to_owned(), false));
    }
}
