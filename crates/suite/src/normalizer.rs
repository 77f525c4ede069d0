//! Normalizers: they replace what differs from run to run, such as times and temporary directories, before complete texts are
//! compared.
//!
//! Each line of a text is normalized on its own, by all normalizers in their order. The native engine uses the patterns of
//! [`BUILT_IN`] with the `regex` crate and compiled suites use them with `sed -E`, so they are written in what both understand, and
//! for both the leftmost match is also the longest.

use crate::ere::Ere;
use crate::fields::{Field, Shape, field};
use crate::run_time::substitute;

/// Replaces parts of each line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Normalizer {
    /// One that Casebook has.
    BuiltIn(&'static BuiltIn),
    /// Replaces the path of a directory by its name in angle brackets.
    Directory(Directory),
    /// One that the suite defines.
    Own {
        /// A POSIX ERE.
        pattern: String,
        /// The new text; `\1` to `\9` are the groups of the pattern.
        replacement: String,
    },
}

/// A normalizer that Casebook has.
#[derive(Debug, PartialEq, Eq)]
pub struct BuiltIn {
    /// Its name in a suite.
    pub name: &'static str,
    /// What it replaces.
    pub pattern: &'static str,
    /// The new text; `\1` to `\9` are the groups of the pattern.
    pub replacement: &'static str,
}

/// A directory whose path differs from run to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Directory {
    /// The home directory.
    Home,
    /// The temporary directory of the test.
    Temporary,
    /// The working directory of the command.
    Working,
}

const fn built_in(name: &'static str, pattern: &'static str, replacement: &'static str) -> BuiltIn {
    BuiltIn {
        name,
        pattern,
        replacement,
    }
}

macro_rules! months {
    () => {
        "(Jan(uary)?|Feb(ruary)?|Mar(ch)?|Apr(il)?|May|June?|July?|Aug(ust)?|Sept?(ember)?|Oct(ober)?|Nov(ember)?|Dec(ember)?)"
    };
}

/// A number and its unit. `m` and `h` are units only without a space before them.
macro_rules! amount {
    () => {
        "[0-9]+([.,][0-9]+)?( ?(nanoseconds?|microseconds?|milliseconds?|seconds?|minutes?|hours?|days?|secs?|mins?|hrs?|ns|us|µs|ms|s)|[mh])"
    };
}

/// The normalizers with a pattern.
#[rustfmt::skip]
pub const BUILT_IN: [BuiltIn; 9] = [
    // A clock time, after a date in ISO 8601, or after one that `dates` has replaced. What is before it must not make it a part of a number,
    // or a line and a column of a file (`main.c:12:30`).
    built_in(
        "times",
        concat!(
            r"((\b[0-9]{4}-[0-9]{2}-[0-9]{2}|<date>)[T ]|(^|[^.:0-9A-Za-z]))",
            r"([01]?[0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.,][0-9]+)?)?( ?[AaPp][Mm]\b)?( ?(Z|UTC|GMT)\b| ?[+-][0-9]{2}:?[0-9]{2})?",
        ),
        r"\3<time>",
    ),
    // Several amounts in a row are one duration: `1m 23.4s`.
    built_in(
        "durations",
        concat!("(^|[^.,0-9A-Za-z_])(", amount!(), " ?)*", amount!(), r"\b"),
        r"\1<duration>",
    ),
    built_in(
        "dates",
        concat!(
            r"\b[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])",
            r"|\b[0-9]{4}/[0-9]{2}/[0-9]{2}\b",
            r"|\b[0-9]{1,2}[./][0-9]{1,2}[./][0-9]{4}\b",
            r"|\b((Mon|Tues?|Wed(nes)?|Thu(rs)?|Fri|Sat(ur)?|Sun)(day)?,? )?(",
            months!(), r" +[0-9]{1,2}(,? [0-9]{4})?|[0-9]{1,2} ", months!(), r" [0-9]{4})\b",
        ),
        "<date>",
    ),
    built_in(
        "uuids",
        r"\b[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}\b",
        "<uuid>",
    ),
    // The lengths of MD5, SHA-1, SHA-224, SHA-256, SHA-384 and SHA-512.
    built_in(
        "hashes",
        r"\b([0-9A-Fa-f]{128}|[0-9A-Fa-f]{96}|[0-9A-Fa-f]{64}|[0-9A-Fa-f]{56}|[0-9A-Fa-f]{40}|[0-9A-Fa-f]{32})\b",
        "<hash>",
    ),
    built_in(
        "ports",
        concat!(
            r"((://[^ /:@]+|\blocalhost|\b[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}|\[[0-9A-Fa-f:.]*\]):",
            r"|(\b|_)([Pp]ort|PORT)[ =:#]+)[0-9]{1,5}\b",
        ),
        r"\1<port>",
    ),
    built_in("addresses", r"\b0x[0-9A-Fa-f]{6,16}\b", "<address>"),
    // Control sequences, operating system commands such as titles, and other escape sequences.
    built_in(
        "ansi",
        "\u{1b}\\[[0-?]*[ -/]*[@-~]|\u{1b}\\][^\u{7}\u{1b}]*(\u{7}|\u{1b}\\\\)|\u{1b}[ -/]*[0-~]",
        "",
    ),
    built_in("crlf", "\r$", ""),
];

/// The directories and their names in a suite.
pub const DIRECTORIES: [(&str, Directory); 3] = [
    ("home", Directory::Home),
    ("tempdir", Directory::Temporary),
    ("workdir", Directory::Working),
];

/// The names of all normalizers that Casebook has.
pub(crate) const NAMES: &[&str] = &[
    "times",
    "durations",
    "dates",
    "uuids",
    "hashes",
    "ports",
    "addresses",
    "home",
    "tempdir",
    "workdir",
    "ansi",
    "crlf",
];

/// The fields of a normalizer that the suite defines.
pub(crate) const OWN: &[Field] = &[
    field(
        "matches",
        Shape::NonEmptyText,
        "POSIX ERE; what it matches in a line is replaced",
    ),
    field(
        "with",
        Shape::Text,
        "The new text; \\1 to \\9 are the groups of the pattern",
    ),
];

pub(crate) const NORMALIZE: Field = field(
    "normalize",
    Shape::Many(&Shape::Either(&Shape::Choice(NAMES), &Shape::Object(OWN))),
    "What to replace before complete texts are compared (...Equals, ...EqualsFile, snapshot, equalsFolder)",
);

impl Normalizer {
    /// The one with this name.
    pub(crate) fn named(name: &str) -> Option<Normalizer> {
        let mut built_in = BUILT_IN.iter();
        let mut directories = DIRECTORIES.iter();
        match directories.find(|(known, _)| *known == name) {
            Some((_, directory)) => Some(Normalizer::Directory(*directory)),
            None => built_in
                .find(|known| known.name == name)
                .map(Normalizer::BuiltIn),
        }
    }

    /// The normalizer with the values that are known at run time. A value that is missing is empty.
    #[must_use]
    pub fn with_values<'v>(&self, value: impl Fn(&str) -> Option<&'v str>) -> Normalizer {
        self.map_texts(|text| substitute(text, &value).into_owned())
    }

    /// The normalizer with its texts changed.
    pub(crate) fn map_texts(&self, change: impl Fn(&str) -> String) -> Normalizer {
        match self {
            Normalizer::Own {
                pattern,
                replacement,
            } => Normalizer::Own {
                pattern: change(pattern),
                replacement: change(replacement),
            },
            other => other.clone(),
        }
    }
}

impl Directory {
    /// Its name in a suite.
    pub fn name(self) -> &'static str {
        let mut all = DIRECTORIES.iter();
        let found = all.find(|(_, directory)| *directory == self);
        found.map_or("", |(name, _)| name)
    }

    /// The pattern that matches its path, but not a longer name, and its replacement.
    pub fn pattern(self, path: &str) -> (String, String) {
        let pattern = format!("{}($|[^0-9A-Za-z_-])", Ere::literal(path));
        (pattern, format!(r"<{}>\1", self.name()))
    }
}
