//! Encodes numbers and texts as bytes for the index. Small numbers take one byte. Decoding arbitrary bytes never
//! panics: it returns a value or `None`.

pub(super) fn put_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    out.push(number.to_le_bytes()[0]);
}

/// Zigzag encoding: numbers close to zero, positive or negative, take few bytes.
pub(super) fn put_signed(out: &mut Vec<u8>, number: i64) {
    put_number(
        out,
        (number.cast_unsigned() << 1) ^ (number >> 63).cast_unsigned(),
    );
}

pub(super) fn put_text(out: &mut Vec<u8>, text: &str) {
    put_number(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

pub(super) fn put_optional<T>(
    out: &mut Vec<u8>,
    value: Option<T>,
    put: impl FnOnce(&mut Vec<u8>, T),
) {
    out.push(u8::from(value.is_some()));
    if let Some(value) = value {
        put(out, value);
    }
}

/// The bytes that have not been read yet.
pub(super) struct Bytes<'b>(pub(super) &'b [u8]);

impl Bytes<'_> {
    pub(super) fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    pub(super) fn signed(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }

    pub(super) fn text(&mut self) -> Option<String> {
        let length = usize::try_from(self.number()?).ok()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        String::from_utf8(text.to_vec()).ok()
    }

    #[expect(
        clippy::option_option,
        reason = "the outer option is `None` for invalid bytes"
    )]
    pub(super) fn optional<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<Option<T>> {
        match self.byte()? {
            0 => Some(None),
            1 => read(self).map(Some),
            _ => None,
        }
    }

    /// Reads a length and that many elements. A length above the number of remaining bytes is invalid, so that
    /// damaged data cannot cause a huge allocation.
    pub(super) fn list<T>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        let length = usize::try_from(self.number()?).ok()?;
        if length > self.0.len() {
            return None;
        }
        (0..length).map(|_| read(self)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_survive_encoding_and_decoding() {
        for number in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX] {
            let mut out = Vec::new();
            put_number(&mut out, number);
            assert_eq!(Bytes(&out).number(), Some(number));
        }
        for number in [0, -1, 1, 63, -64, 64, i64::MIN, i64::MAX] {
            let mut out = Vec::new();
            put_signed(&mut out, number);
            assert_eq!(Bytes(&out).signed(), Some(number));
            assert!(out.len() == 1 || !(-64..64).contains(&number));
        }
    }

    #[test]
    fn truncated_or_oversized_values_are_none() {
        assert_eq!(Bytes(&[0x80]).number(), None);
        assert_eq!(Bytes(&[0xff; 11]).number(), None);
        assert_eq!(Bytes(&[5, b'a']).text(), None);
        assert_eq!(Bytes(&[1, 0xff]).text(), None);
        assert_eq!(Bytes(&[0xff, 0xff, 0xff, 0x7f]).list(Bytes::byte), None);
        assert_eq!(Bytes(&[2, 1]).optional(Bytes::byte), None);
    }
}
