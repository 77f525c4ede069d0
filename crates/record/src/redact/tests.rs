use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};

use super::*;
use crate::metadata::Metadata;
use crate::wire::{decode, encode};

#[test]
fn names_select_values_and_short_values_are_not_redacted() {
    let environment = [
        ("API_KEY", "abcdef"),
        ("my_token", "lower-case-name"),
        ("SHORT_SECRET", "abc"),
        ("PLAIN", "plain-value"),
        ("EMPTY_PASSWORD", ""),
    ];
    let redactor = Redactor::new([], environment).unwrap();
    assert_eq!(
        redactor.text("abcdef lower-case-name abc plain-value"),
        "[redacted] [redacted] abc plain-value"
    );
    assert_eq!(
        Redactor::new(["PL?IN"], environment)
            .unwrap()
            .text("plain-value"),
        REDACTED
    );
    assert!(Redactor::new(["[z-"], environment).is_err());
}

#[test]
fn the_longest_matching_secret_is_redacted() {
    let redactor = Redactor::of(["secret", "secret-and-more"]);
    assert_eq!(
        redactor.text("secret-and-more, secret-and"),
        "[redacted], [redacted]-and"
    );
}

#[test]
fn a_secret_truncated_in_the_middle_is_redacted() {
    let redactor = Redactor::of(["s3cr3t-value-1234"]);
    for (text, redacted) in [
        ("it is s3cr3t-val…", "it is [redacted]…"),
        ("it is s3cr3… (9 bytes)", "it is s3cr3… (9 bytes)"),
        ("…value-1234 was it", "…[redacted] was it"),
        (
            "a s3cr3t-\n[… 9 bytes left out …]\nlue-1234 b",
            "a [redacted]\n[… 9 bytes left out …]\n[redacted] b",
        ),
        ("wait… then s3cr3t-val", "wait… then s3cr3t-val"),
        ("…………s3cr3t-v…………e-1234…", "…………[redacted]…………[redacted]…"),
    ] {
        assert_eq!(redactor.text(text), redacted);
    }
}

#[test]
fn a_secret_is_redacted_in_the_keys_of_a_tool_result() {
    let redactor = Redactor::of(["s3cr3t-value", "password"]);
    let mut value = serde_json::json!({"s3cr3t-value": [{"for s3cr3t-value": 1}], "password": 2});
    value.redact(&redactor);
    assert_eq!(
        value,
        serde_json::json!({"[redacted]": [{"for [redacted]": 1}], "password": 2})
    );
    let mut metadata = Metadata::from_iter([("s3cr3t-value", 1), ("S3CR3T-VALUE", 2)]);
    let redactor = Redactor::of(["s3cr3t-value", "S3CR3T-VALUE"]);
    metadata.redact(&redactor);
    let kept = Metadata::from_iter([("[redacted]", 1), ("[redacted] 2", 2)]);
    assert_eq!(metadata, kept);
}

#[test]
fn every_text_of_an_event_is_redacted_and_the_json_structure_is_not() {
    // Secrets that look like JSON syntax or a field's name must not change the structure.
    let redactor = Redactor::of([r#"":{"x"#, "payload", "tool_calls", "hidden-value"]);
    let line = r#"{"event_type":"AgentResponse","payload":{"time":"2026-11-15T08:40:51.000+00:00",
        "example_id":"1","turn_number":1,"text":"say hidden-value","tool_calls":[{"name":"hidden-value",
        "arguments":{"payload":["hidden-value",{"deep":"a payload"}]},"result":"hidden-value","error":null,
        "metadata":{"k":"hidden-value"}}],"metadata":{"tracing":{"prompt":"hidden-value"}}}}"#;
    let mut event = decode(line).unwrap();
    redactor.apply(&mut event);
    let written = encode(&event);
    assert_eq!(decode(&written).unwrap(), event);
    assert!(!written.contains("hidden-value"), "{written}");
    assert_eq!(written.matches(REDACTED).count(), 7, "{written}");
}

/// A secret with characters that every encoding changes.
const SECRET: &str = "pa\"ss/wö\\rd ?>'~é😀";

/// The secret in each encoding, with the name of the encoding.
fn encodings() -> Vec<(&'static str, String)> {
    let json = |text: &str| {
        let quoted = serde_json::to_string(text).unwrap();
        quoted[1..quoted.len() - 1].to_owned()
    };
    let percent = |unchanged: &str| {
        let bytes = SECRET.bytes();
        bytes
            .map(|byte| {
                let c = char::from(byte);
                let is_kept = c.is_ascii_alphanumeric() || unchanged.contains(c);
                if is_kept {
                    c.to_string()
                } else {
                    format!("%{byte:02X}")
                }
            })
            .collect::<String>()
    };
    let units: Vec<_> = SECRET
        .encode_utf16()
        .map(|unit| format!("\\u{unit:04x}"))
        .collect();
    let ascii: String = json(SECRET)
        .encode_utf16()
        .map(|unit| match u8::try_from(unit) {
            Ok(byte) if byte.is_ascii() => char::from(byte).to_string(),
            _ => format!("\\u{unit:04X}"),
        })
        .collect();
    vec![
        ("verbatim", SECRET.to_owned()),
        (
            "in a locale without these characters",
            SECRET.replace(|c: char| !c.is_ascii(), "?"),
        ),
        ("base64, alignment 0", STANDARD.encode(SECRET)),
        (
            "base64, alignment 1",
            STANDARD.encode(format!("a{SECRET}\n")),
        ),
        (
            "base64, alignment 2",
            STANDARD.encode(format!("ab{SECRET}yz")),
        ),
        ("base64url", URL_SAFE_NO_PAD.encode(format!("a{SECRET}"))),
        (
            "base64 in a URL",
            STANDARD
                .encode(SECRET)
                .replace('/', "%2F")
                .replace('=', "%3d"),
        ),
        ("percent-encoded", percent("-_.~")),
        (
            "percent-encoded in lower case",
            percent("").to_lowercase().replace("%e9", "%E9"),
        ),
        (
            "percent-encoded, reserved kept",
            percent("-_.~/?:@!$&'()*+,;="),
        ),
        ("percent-encoded twice", percent("-_.~").replace('%', "%25")),
        ("form-encoded", percent("-_.~").replace("%20", "+")),
        ("JSON", json(SECRET)),
        ("JSON twice", json(&json(SECRET))),
        ("JSON with \\/", json(SECRET).replace('/', "\\/")),
        ("JSON, ASCII", ascii.clone()),
        ("JSON, ASCII, twice", json(&ascii)),
        ("every character as \\u", units.concat()),
        ("quoted by Rust", SECRET.escape_debug().to_string()),
        ("quoted by Ruby", SECRET.escape_default().to_string()),
        ("single quotes of a shell", SECRET.replace('\'', "'\\''")),
        ("shlex of Python", SECRET.replace('\'', "'\"'\"'")),
        (
            "backslashes of a shell",
            SECRET
                .chars()
                .map(|c| {
                    if c.is_alphanumeric() {
                        c.to_string()
                    } else {
                        format!("\\{c}")
                    }
                })
                .collect(),
        ),
    ]
}

#[test]
fn a_secret_is_redacted_in_every_encoding() {
    let redactor = Redactor::of([SECRET]);
    for (name, encoded) in encodings() {
        let redacted = redactor.text(&format!("before {encoded} after, {encoded}"));
        let parts: Vec<_> = redacted.split(REDACTED).collect();
        assert_eq!(parts.len(), 3, "{name}: {encoded} became {redacted}");
        // In base64, characters that the bytes around a secret also determine remain.
        let most = if name.starts_with("base64") { 4 } else { 0 };
        assert!(
            parts[0].len() <= "before ".len() + most,
            "{name}: {redacted}"
        );
        assert!(
            parts[1].len() <= " after, ".len() + 2 * most,
            "{name}: {redacted}"
        );
        assert!(parts[2].len() <= most, "{name}: {redacted}");
    }
}

#[test]
fn the_lines_of_a_key_are_redacted_alone_and_together() {
    let key = "-----BEGIN KEY-----\nMIIEpAIBAAKCAQEA1234\nshort\nabcdefgh\n-----END KEY-----\n";
    for stored in [key.to_owned(), key.replace('\n', "\\n")] {
        let redactor = Redactor::of([stored.as_str()]);
        assert_eq!(redactor.text(&format!("<{key}>")), "<[redacted]\n>");
        assert_eq!(
            redactor.text("> MIIEpAIBAAKCAQEA1234\n> short\n> abcdefgh"),
            "> [redacted]\n> short\n> [redacted]"
        );
        let quoted = redactor.text(&format!("{key:?}"));
        assert_eq!(quoted.replace(r"\n", ""), "\"[redacted]\"");
        assert_eq!(
            redactor.text(&STANDARD.encode(key)).len(),
            REDACTED.len() + 2
        );
    }
}

#[test]
fn wrapped_base64_is_redacted() {
    let secret = "0123456789".repeat(12);
    let redactor = Redactor::of([secret.as_str()]);
    let encoded = STANDARD.encode(&secret);
    for width in [60, 64, 76] {
        let lines: Vec<_> = encoded
            .as_bytes()
            .chunks(width)
            .map(String::from_utf8_lossy)
            .collect();
        assert_eq!(redactor.text(&lines.join("\n")), REDACTED, "{width}");
        let indented = redactor.text(&lines.join("\n    "));
        assert!(
            indented.lines().all(|line| line.trim() == REDACTED),
            "{indented}"
        );
    }
}

#[test]
fn overlapping_secrets_are_both_redacted() {
    let redactor = Redactor::of(["abcdefgh", "fghijklm"]);
    assert_eq!(redactor.text("abcdefghijklm"), REDACTED);
    assert_eq!(redactor.text("abcdefghabcdefgh"), "[redacted][redacted]");
}

#[test]
fn text_without_secrets_is_unchanged() {
    let redactor = Redactor::of([SECRET, "s3cr3t-value"]);
    for text in [
        "",
        "100 %",
        "50%20off",
        r"C:\new\u00e9\",
        "…",
        "......",
        "é…s3cr3t",
        "a%C3",
    ] {
        assert_eq!(redactor.text(text), text);
    }
    assert_eq!(
        Redactor::of(["é-secret"]).text("%C3é-secret\\xC3é-secret"),
        "%C3[redacted]\\xC3[redacted]"
    );
}
