//! Converts the input to UTF-8: XML may also be UTF-16, ISO-8859-1 or Windows-1252.

use std::io::{BufRead, BufReader, Cursor, Read};

use super::JunitError;

/// Enough bytes for an XML declaration in UTF-16.
const DECLARATION: u64 = 512;

/// The characters 0x80 to 0x9f of Windows-1252. The five undefined bytes are control characters, as browsers read them.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Utf8,
    Utf16 { big_endian: bool },
    Latin1,
    Windows1252,
}

/// Returns the input in UTF-8. UTF-8 is passed through; other encodings are converted in memory.
pub(super) fn decoded<'a, R: BufRead + 'a>(
    mut reader: R,
) -> Result<Box<dyn BufRead + 'a>, JunitError> {
    let mut start = Vec::new();
    reader.by_ref().take(DECLARATION).read_to_end(&mut start)?;
    let encoding = detect(&start)?;
    let mut whole = Cursor::new(start).chain(reader);
    if encoding == Encoding::Utf8 {
        return Ok(Box::new(BufReader::new(whole)));
    }
    let mut bytes = Vec::new();
    whole.read_to_end(&mut bytes)?;
    Ok(Box::new(Cursor::new(convert(&bytes, encoding)?)))
}

/// A byte order mark or a null byte next to the first character identifies UTF-16; otherwise the declaration applies.
fn detect(start: &[u8]) -> Result<Encoding, JunitError> {
    match start {
        [0xff, 0xfe, ..] | [b'<', 0, ..] => return Ok(Encoding::Utf16 { big_endian: false }),
        [0xfe, 0xff, ..] | [0, b'<', ..] => return Ok(Encoding::Utf16 { big_endian: true }),
        _ => {}
    }
    let Some(name) = declared(start) else {
        return Ok(Encoding::Utf8);
    };
    match name.to_ascii_lowercase().as_str() {
        // .NET declares UTF-16 in text that was then written as UTF-8.
        "utf-8" | "utf8" | "us-ascii" | "ascii" | "utf-16" => Ok(Encoding::Utf8),
        "iso-8859-1" | "iso8859-1" | "iso_8859-1" | "latin1" | "latin-1" => Ok(Encoding::Latin1),
        "windows-1252" | "cp1252" => Ok(Encoding::Windows1252),
        _ => Err(invalid(&format!(
            "unsupported encoding {name}; convert the file to UTF-8"
        ))),
    }
}

/// The encoding in `<?xml version="1.0" encoding="…"?>`.
fn declared(start: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(start);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let (declaration, _) = text.strip_prefix("<?xml")?.split_once("?>")?;
    let (_, value) = declaration.split_once("encoding")?;
    let value = value.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let (name, _) = value[1..].split_once(quote)?;
    Some(name.to_owned())
}

fn convert(bytes: &[u8], encoding: Encoding) -> Result<String, JunitError> {
    Ok(match encoding {
        Encoding::Utf16 { big_endian } => {
            let units = bytes.chunks(2).map(|pair| match (pair, big_endian) {
                ([first, second], true) => u16::from_be_bytes([*first, *second]),
                ([first, second], false) => u16::from_le_bytes([*first, *second]),
                // Half a character at the end is invalid, as is a lone surrogate.
                _ => 0xd800,
            });
            let text: Result<String, _> = char::decode_utf16(units).collect();
            text.map_err(|_| invalid("not valid UTF-16; convert the file to UTF-8"))?
        }
        Encoding::Windows1252 => bytes.iter().copied().map(windows_1252).collect(),
        Encoding::Latin1 | Encoding::Utf8 => bytes.iter().copied().map(char::from).collect(),
    })
}

fn windows_1252(byte: u8) -> char {
    match byte {
        0x80..=0x9f => WINDOWS_1252[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

fn invalid(reason: &str) -> JunitError {
    JunitError::Xml {
        line: 1,
        reason: reason.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<String, String> {
        let mut text = String::new();
        let mut reader = decoded(bytes).map_err(|error| error.to_string())?;
        reader
            .read_to_string(&mut text)
            .map_err(|error| error.to_string())?;
        Ok(text)
    }

    #[test]
    fn declared_encodings() {
        for (name, text) in [
            ("ISO-8859-1", "caf\u{e9} \u{80}"),
            ("latin1", "caf\u{e9} \u{80}"),
            ("Windows-1252", "café €"),
        ] {
            let declaration = format!("<?xml version='1.0' encoding='{name}'?>");
            let bytes = [declaration.as_bytes(), b"caf\xe9 \x80"].concat();
            assert_eq!(read(&bytes), Ok(format!("{declaration}{text}")), "{name}");
        }
        let error = read(b"<?xml version=\"1.0\" encoding = \"EBCDIC\"?>").unwrap_err();
        assert_eq!(
            error,
            "line 1: unsupported encoding EBCDIC; convert the file to UTF-8"
        );
        let claimed = "<?xml version='1.0' encoding='utf-16'?><a>é</a>";
        assert_eq!(read(claimed.as_bytes()).as_deref(), Ok(claimed));
    }

    #[test]
    fn utf_16_with_and_without_a_mark() {
        let text = "<a>é 🦀</a>";
        for mark in ["", "\u{feff}"] {
            let marked = format!("{mark}{text}");
            let little: Vec<u8> = marked.encode_utf16().flat_map(u16::to_le_bytes).collect();
            let big: Vec<u8> = marked.encode_utf16().flat_map(u16::to_be_bytes).collect();
            assert_eq!(read(&little).as_ref(), Ok(&marked));
            assert_eq!(read(&big).as_ref(), Ok(&marked));
            assert!(read(&little[..little.len() - 1]).is_err(), "half a unit");
        }
    }

    #[test]
    fn a_long_file_is_passed_through() {
        let text = format!("<a>{}</a>", "é".repeat(5_000));
        assert_eq!(read(text.as_bytes()), Ok(text));
    }
}
