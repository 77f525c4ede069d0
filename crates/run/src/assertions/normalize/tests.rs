//! What each normalizer replaces, compared with `sed`, which compiled suites use.

use std::io::{Seek as _, Write as _};
use std::process::Command;

use super::*;

/// The text as one normalizer changes it.
fn normalized(normalizer: Normalizer, text: &[u8]) -> Vec<u8> {
    let normalizers = Normalizers::new(&[normalizer], Directories::default);
    normalizers.apply(text).unwrap().into_owned()
}

/// The text as `sed -E` changes it.
fn sed(pattern: &str, replacement: &str, text: &[u8]) -> Vec<u8> {
    let mut input = tempfile::tempfile().unwrap();
    input.write_all(text).unwrap();
    input.rewind().unwrap();
    let output = Command::new("sed")
        .args(["-E", &format!("s\u{1}{pattern}\u{1}{replacement}\u{1}g")])
        .env("LC_ALL", "C")
        .stdin(input)
        .output()
        .unwrap();
    output.stdout
}

const UUID: &str = "123e4567-e89b-12d3-a456-426614174000";
const SHA1: &str = "da39a3ee5e6b4b0d3255bfef95601890afd80709";

/// A text, and what it becomes.
#[rustfmt::skip]
const TABLE: &[(&str, &str, &str)] = &[
    ("times", "2026-11-18T06:35:56.123Z", "<time>"),
    ("times", "at 2026-11-18 06:35:56,123 +0100.", "at <time>."),
    ("times", "06:35 07:40:01", "<time> <time>"),
    ("times", "6:35 PM, 18:00 UTC, (12:30)", "<time>, <time>, (<time>)"),
    ("times", "<date>T06:35:00+01:00", "<time>"),
    ("times", "main.c:12:30: error", "main.c:12:30: error"),
    ("times", "25:00 12:60 1.2:30 a12:30", "25:00 12:60 1.2:30 a12:30"),
    ("durations", "took 1.5s, 20 ms and 3 µs", "took <duration>, <duration> and <duration>"),
    ("durations", "1m 23.4s", "<duration>"),
    ("durations", "1h2m3s 2 hours, 3 minutes", "<duration>, <duration>"),
    ("durations", "Finished in 0.00012 seconds (files took 0,3 seconds to load)", "Finished in <duration> (files took <duration> to load)"),
    ("durations", "v1.5s 5 m 3 mice 7months x5s", "v1.5s 5 m 3 mice 7months x5s"),
    ("durations", "3s 5 apples", "<duration> 5 apples"),
    ("dates", "2026-11-18, 2026/11/18, 18.11.2026, 11/18/2026", "<date>, <date>, <date>, <date>"),
    ("dates", "Wed, 18 Nov 2026; Nov  8; November 18, 2026; Tuesday, March 3", "<date>; <date>; <date>; <date>"),
    ("dates", "2026-11-18T06:35", "<date>T06:35"),
    ("dates", "Market 5, 2026-13-01, 1.2.3", "Market 5, 2026-13-01, 1.2.3"),
    ("uuids", "id=123e4567-e89b-12d3-a456-426614174000,", "id=<uuid>,"),
    ("uuids", "x123e4567-e89b-12d3-a456-426614174000", "x123e4567-e89b-12d3-a456-426614174000"),
    ("hashes", "commit da39a3ee5e6b4b0d3255bfef95601890afd80709!", "commit <hash>!"),
    ("hashes", "d41d8cd98f00b204e9800998ecf8427e da39a3e", "<hash> da39a3e"),
    ("hashes", "da39a3ee5e6b4b0d3255bfef95601890afd807091", "da39a3ee5e6b4b0d3255bfef95601890afd807091"),
    ("ports", "http://127.0.0.1:54321/a https://ex.org:8443", "http://127.0.0.1:<port>/a https://ex.org:<port>"),
    ("ports", "localhost:80 [::1]:80 API_PORT=80 on port 80 --port=80", "localhost:<port> [::1]:<port> API_PORT=<port> on port <port> --port=<port>"),
    ("ports", "main.c:12 report 5 port 123456", "main.c:12 report 5 port 123456"),
    ("addresses", "#<Object:0x000076a1b2c3d4e5> 0x7f3c12ab90", "#<Object:<address>> <address>"),
    ("addresses", "0xff 10x7f3c12", "0xff 10x7f3c12"),
    ("ansi", "\u{1b}[1;31mred\u{1b}[0m \u{1b}]0;title\u{7}x\u{1b}]8;;a\u{1b}\\y\u{1b}(B\u{1b}7", "red xy"),
    ("crlf", "a\r\nb\rc\r", "a\nb\rc"),
];

fn named(name: &str) -> &'static BuiltIn {
    let mut all = BUILT_IN.iter();
    all.find(|built_in| built_in.name == name).unwrap()
}

#[test]
fn each_normalizer_replaces_what_its_name_says_as_sed_does() {
    for (name, text, expected) in TABLE {
        let built_in = named(name);
        let actual = normalized(Normalizer::BuiltIn(built_in), text.as_bytes());
        assert_eq!(
            String::from_utf8_lossy(&actual),
            *expected,
            "{name}: {text}"
        );
        let by_sed = sed(built_in.pattern, built_in.replacement, text.as_bytes());
        assert_eq!(
            String::from_utf8_lossy(&by_sed),
            *expected,
            "sed, {name}: {text}"
        );
    }
    for built_in in &BUILT_IN {
        assert!(
            TABLE.iter().any(|(name, ..)| *name == built_in.name),
            "{}",
            built_in.name
        );
    }
}

/// Random texts made of parts that normalizers look for.
#[test]
fn all_normalizers_agree_with_sed() {
    let parts = [
        "2026-11-18",
        "T",
        " ",
        "06:35",
        ":12",
        "Z",
        "+0100",
        "1",
        "5",
        "ms",
        "s",
        "m",
        "h",
        ".",
        ",",
        "23",
        "-",
        "Nov",
        "Wed, ",
        "18",
        "2026",
        "/",
        UUID,
        SHA1,
        "localhost",
        ":",
        "127.0.0.1",
        "[::1]",
        "port ",
        "0x7f3c12",
        "\u{1b}",
        "[",
        "]0;",
        "\u{7}",
        "\\",
        "31m",
        "\r",
        "\n",
        "_",
        "a",
        "µs",
        "\u{e9}",
        "PM",
        "minutes",
        "<date>",
        "(",
        ")",
    ];
    let mut state = 7_u64;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % parts.len()
    };
    let mut text = String::new();
    for _ in 0..4000 {
        for _ in 0..8 {
            text.push_str(parts[next()]);
        }
        text.push('\n');
    }
    for built_in in &BUILT_IN {
        let actual = normalized(Normalizer::BuiltIn(built_in), text.as_bytes());
        let by_sed = sed(built_in.pattern, built_in.replacement, text.as_bytes());
        let lines = |text: &[u8]| {
            String::from_utf8_lossy(text)
                .lines()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        for (actual, by_sed) in lines(&actual).iter().zip(lines(&by_sed)) {
            assert_eq!(*actual, by_sed, "{}", built_in.name);
        }
    }
}

#[test]
fn own_patterns_agree_with_sed() {
    for (pattern, replacement, text) in [
        ("a", "b", "banana"),
        ("(a)(n)", r"\2\1", "banana"),
        ("^b|a$", "", "banana"),
        (r"\<a", "x", "aa a ba"),
        ("(x)?n", r"[\1]", "banana"),
        (r"\b", "|", "two words"),
        ("[0-9]*x", "-", "12x3xx"),
    ] {
        let own = Normalizer::Own {
            pattern: pattern.to_owned(),
            replacement: replacement.to_owned(),
        };
        let actual = normalized(own, text.as_bytes());
        assert_eq!(
            actual,
            sed(pattern, replacement, text.as_bytes()),
            "{pattern} in {text}"
        );
    }
}

#[test]
fn the_path_of_a_directory_is_replaced_but_not_a_longer_name() {
    let directories = || Directories {
        home: vec!["/real/h.me".to_owned(), "/h.me".to_owned(), "/".to_owned()],
        ..Directories::default()
    };
    let normalizers = Normalizers::new(&[Normalizer::Directory(Directory::Home)], directories);
    for (text, expected) in [
        ("/h.me/a:/h.me", "<home>/a:<home>"),
        ("/real/h.me.", "<home>."),
        ("/h.me2 /h.me-2 /hxme /other", "/h.me2 /h.me-2 /hxme /other"),
    ] {
        let actual = normalizers.apply(text.as_bytes()).unwrap();
        assert_eq!(String::from_utf8_lossy(&actual), expected);
    }
}

#[test]
fn an_invalid_pattern_is_an_error() {
    let own = Normalizer::Own {
        pattern: "(".to_owned(),
        replacement: String::new(),
    };
    let normalizers = Normalizers::new(&[own], Directories::default);
    let error = normalizers.apply(b"text").unwrap_err().to_string();
    assert!(error.starts_with("invalid pattern: "), "{error}");
}
