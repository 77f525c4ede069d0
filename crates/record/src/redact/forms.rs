//! The forms in which a secret is searched for. Escapes are decoded before the search and have no form here.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::MIN_SECRET_CHARS;

/// Shorter lines of a secret with several lines are not redacted.
const MIN_LINE_CHARS: usize = 8;

/// The widths at which programs wrap base64: Ruby, PEM files, MIME and the `base64` command.
const WRAP_WIDTHS: [usize; 3] = [60, 64, 76];

/// All forms of a secret, none if it is too short.
pub(super) fn forms(secret: &str) -> Vec<String> {
    let secret = secret.trim();
    let mut forms = encoded(secret);
    // A key with several lines is often stored in one, with `\n` between them.
    if secret.contains(r"\n") {
        forms.extend(encoded(secret.replace(r"\n", "\n").trim()));
    }
    forms
}

fn encoded(secret: &str) -> Vec<String> {
    if secret.chars().count() < MIN_SECRET_CHARS {
        return Vec::new();
    }
    let mut forms = vec![secret.to_owned()];
    forms.extend(lines(secret));
    if secret.contains(' ') {
        forms.push(secret.replace(' ', "+"));
    }
    if secret.contains('\'') {
        forms.extend([r"'\''", r#"'"'"'"#].map(|quote| secret.replace('\'', quote)));
    }
    if !secret.is_ascii() {
        forms.extend(
            ["?", "\u{FFFD}"]
                .into_iter()
                .flat_map(|mark| replaced(secret, mark)),
        );
    }
    for form in base64_forms(secret.as_bytes()) {
        forms.push(form.replace('+', "-").replace('/', "_"));
        forms.push(form);
    }
    forms
}

/// The lines of a text that has several.
fn lines(text: &str) -> impl Iterator<Item = String> {
    let lines = text
        .lines()
        .map(str::trim)
        .filter(move |line| *line != text);
    lines
        .filter(|line| line.chars().count() >= MIN_LINE_CHARS)
        .map(str::to_owned)
}

/// As programs print it in a locale without these characters, with a mark for each character or each byte.
fn replaced(secret: &str, mark: &str) -> [String; 2] {
    let with = |marks: fn(char) -> usize| {
        let characters = secret.chars().map(|c| match c {
            c if c.is_ascii() => c.to_string(),
            c => mark.repeat(marks(c)),
        });
        characters.collect()
    };
    [with(|_| 1), with(char::len_utf8)]
}

/// How the bytes appear in base64 data that contains them: at each of the three alignments, followed by other bytes or
/// at the end of the data; and wrapped, if they are long.
fn base64_forms(bytes: &[u8]) -> Vec<String> {
    let mut forms = Vec::new();
    for before in 0..3_usize {
        let mut data = vec![0; before];
        data.extend_from_slice(bytes);
        let encoded = STANDARD.encode(&data);
        // Characters that also depend on the bytes before or after are not part of the form.
        let first = (before * 8).div_ceil(6);
        forms.push(encoded[first..data.len() * 8 / 6].to_owned());
        forms.push(encoded[first..].trim_end_matches('=').to_owned());
        forms.push(encoded[first..].to_owned());
    }
    let encoded = STANDARD.encode(bytes);
    for width in WRAP_WIDTHS
        .into_iter()
        .filter(|width| encoded.len() > *width)
    {
        let wrapped = wrap(&encoded, width);
        forms.extend(lines(&wrapped));
        forms.push(wrapped);
    }
    forms
}

fn wrap(ascii: &str, width: usize) -> String {
    let starts = (0..ascii.len()).step_by(width);
    let lines: Vec<_> = starts
        .map(|start| &ascii[start..ascii.len().min(start + width)])
        .collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_contains_a_form_whatever_surrounds_the_secret() {
        for secret in ["s3cr3t", "s3cr3t-", "s3cr3t-v", "~~~???>>>"] {
            let forms = base64_forms(secret.as_bytes());
            for before in ["", "a", "ab", "abc", "user:"] {
                for after in ["", "\n", "yz", "xyz"] {
                    let encoded = STANDARD.encode(format!("{before}{secret}{after}"));
                    let found = forms.iter().filter(|form| encoded.contains(*form));
                    let longest = found.map(String::len).max();
                    let longest = longest.unwrap_or_else(|| panic!("{secret} in {encoded}"));
                    assert!(
                        longest >= (secret.len() - 1) * 8 / 6,
                        "{longest}: {encoded}"
                    );
                }
            }
        }
    }

    #[test]
    fn short_secrets_and_short_lines_have_no_form() {
        assert!(forms(" 12345\n").is_empty());
        let forms = forms("--begin--\n  12345678\n1234567\n");
        assert!(forms.contains(&"12345678".to_owned()) && forms.contains(&"--begin--".to_owned()));
        assert!(!forms.contains(&"1234567".to_owned()));
    }
}
