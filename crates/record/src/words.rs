//! Text in words of eight bytes, of which all are looked at together.

const ONES: u64 = u64::from_ne_bytes([1; 8]);
const HIGHEST: u64 = ONES << 7;

/// The words of a text; the last one is filled up with spaces.
pub(crate) fn words(text: &[u8]) -> impl Iterator<Item = u64> {
    let (words, rest) = text.as_chunks();
    let mut last = [b' '; 8];
    last[..rest.len()].copy_from_slice(rest);
    let words = words.iter().copied().chain([last]);
    words.map(u64::from_le_bytes)
}

/// The highest bit of each byte that is less; for ASCII characters only.
pub(crate) fn less(word: u64, than: u8) -> u64 {
    let enough = u64::from(0x80 - than) * ONES;
    !(((word & !HIGHEST) + enough) | word) & HIGHEST
}

/// The highest bit of each byte that is equal to an ASCII character.
pub(crate) fn equal(word: u64, to: u8) -> u64 {
    less(word ^ (u64::from(to) * ONES), 1)
}

/// Each byte as the lower-case letter it may be.
pub(crate) fn lower(word: u64) -> u64 {
    word | (0x20 * ONES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_is_seen_at_each_place() {
        for byte in 0..=u8::MAX {
            for place in 0..8 {
                let mut text = [b'"', 0x1f, b' ', 0xff, b'a', 0x80, b'\\', 0];
                text[place] = byte;
                let word = words(&text).next().unwrap();
                let bits = |holds: fn(u8) -> bool| {
                    let bits = text.iter().map(|byte| u8::from(holds(*byte)) << 7);
                    u64::from_le_bytes(bits.collect::<Vec<_>>().try_into().unwrap())
                };
                assert_eq!(less(word, b' '), bits(|byte| byte < b' '));
                assert_eq!(less(word, 1), bits(|byte| byte == 0));
                assert_eq!(equal(word, b'"'), bits(|byte| byte == b'"'));
                assert_eq!(equal(lower(word), b'{'), bits(|byte| byte | 0x20 == b'{'));
            }
        }
        let text = |length| words(&b"0123456789abcdef"[..length]).map(u64::to_le_bytes);
        assert_eq!(text(9).collect::<Vec<_>>(), [*b"01234567", *b"8       "]);
        assert_eq!(text(8).last(), Some(*b"        "));
    }
}
