//! Assertions: the fields of a command test that must be true after the command.
//!
//! [`ASSERTIONS`] has one row for each field, [`FILE_ASSERTIONS`] one for each field of a file in `files`. A row names the field, how
//! its value is decoded, and an example that passes and one that fails, which a test runs natively and in Bats. What a decoded assertion
//! checks is a [`Check`]; every match on it is exhaustive, so the compiler reports every match that a new variant needs.

mod bats;
pub(crate) mod decode;
mod texts;

use std::time::Duration;

use casebook_source::Span;
use serde_json::Value;

use crate::fields::{Field, Shape, field};
use crate::model::conversation::{Bounds, Pattern};
use crate::signal::Signal;

pub(crate) use bats::{bats_code, json_keys};

/// An assertion of a test.
#[derive(Debug, Clone, PartialEq)]
pub struct Assertion {
    /// The field, such as `outputContains`.
    pub field: &'static str,
    /// Its location; that of the test for an exit code of 0 that is not written.
    pub span: Span,
    /// The check.
    pub check: Check,
    /// Whether the case of letters is ignored where texts are searched for and patterns matched.
    pub ignore_case: bool,
}

/// What an assertion checks.
#[derive(Debug, Clone, PartialEq)]
pub enum Check {
    /// The command's exit code.
    ExitCode(ExitCodes),
    /// The signal that ended the command.
    Signal(Signal),
    /// The command takes at most this long.
    MaxDuration(Duration),
    /// A stream written by the command.
    Text(Stream, TextCheck),
    /// The number of lines of the output.
    Lines(Bounds),
    /// One line of the output.
    Line {
        /// From 1; negative numbers count from the end.
        number: i32,
        /// The expected line.
        expected: String,
    },
    /// The value at a JSON Pointer into standard output.
    Json {
        /// The pointer.
        pointer: String,
        /// The expected value.
        expected: Value,
    },
    /// The value at a JSON Pointer into standard output matches a pattern.
    JsonMatches {
        /// The pointer.
        pointer: String,
        /// The pattern: one condition or several.
        pattern: Pattern,
    },
    /// A file.
    File {
        /// Its path, relative to the working directory.
        path: String,
        /// The check on the file.
        check: FileCheck,
    },
    /// The output equals the snapshot with this name; `None`: it is named after the test.
    Snapshot(Option<String>),
}

/// The exit codes that a command may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExitCodes {
    /// One of these.
    OneOf(Vec<u8>),
    /// Any except 0.
    Nonzero,
}

impl ExitCodes {
    /// Whether the command may exit with this code.
    pub fn contains(&self, code: i32) -> bool {
        match self {
            ExitCodes::OneOf(codes) => codes.iter().any(|one| i32::from(*one) == code),
            ExitCodes::Nonzero => code != 0,
        }
    }
}

impl From<u8> for ExitCodes {
    fn from(code: u8) -> ExitCodes {
        ExitCodes::OneOf(vec![code])
    }
}

/// A stream written by the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stream {
    /// Both streams in order; standard output alone where the test captures them separately.
    Output,
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
    /// What the terminal shows at the end.
    Screen,
}

impl Stream {
    /// Whether it is one of the two streams of a command without a terminal.
    pub(crate) fn is_separate(self) -> bool {
        matches!(self, Stream::Stdout | Stream::Stderr)
    }
}

/// A comparison of a string.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextCheck {
    /// The text equals this.
    Equals(String),
    /// The text equals the content of this file, relative to the suite's directory.
    EqualsFile(String),
    /// The text contains this.
    Contains(String),
    /// The text does not contain this.
    NotContains(String),
    /// This POSIX ERE matches in the text.
    Matches(String),
    /// This POSIX ERE does not match in the text.
    NotMatches(String),
}

impl TextCheck {
    /// Whether it compares the complete text.
    fn is_complete(&self) -> bool {
        matches!(self, TextCheck::Equals(_) | TextCheck::EqualsFile(_))
    }
}

impl Check {
    /// The comparison of the output or of a file's content.
    fn text_check(&self) -> Option<&TextCheck> {
        match self {
            Check::Text(_, check)
            | Check::File {
                check: FileCheck::Content(check),
                ..
            } => Some(check),
            _ => None,
        }
    }

    /// Whether `ignoreCase` applies to it.
    pub(crate) fn depends_on_case(&self) -> bool {
        self.text_check().is_some_and(|check| !check.is_complete())
    }

    /// Whether `normalize` applies to it.
    pub(crate) fn is_normalized(&self) -> bool {
        let is_folder = |check: &FileCheck| matches!(check, FileCheck::EqualsFolder(_));
        self.text_check().is_some_and(TextCheck::is_complete)
            || matches!(self, Check::Snapshot(_))
            || matches!(self, Check::File { check, .. } if is_folder(check))
    }
}

/// A comparison of a file.
#[derive(Debug, Clone, PartialEq)]
pub enum FileCheck {
    /// Whether the file must exist.
    Exists(bool),
    /// A comparison of its content.
    Content(TextCheck),
    /// It is a folder with the same entries as this one, relative to the suite's directory.
    EqualsFolder(String),
    /// Its permissions.
    Mode(u32),
    /// The value at a JSON Pointer into its content.
    Json {
        /// The pointer.
        pointer: String,
        /// The expected value.
        expected: Value,
    },
}

/// A field with assertions on a command.
#[derive(Debug, Clone, Copy)]
pub struct AssertionField {
    /// Its name, shape and description.
    pub field: Field,
    /// How its value becomes checks.
    pub(crate) decode: Decode,
    /// Values that pass and fail.
    pub example: Example,
}

/// How the value of a field becomes checks.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Decode {
    ExitCode,
    Signal,
    MaxDuration,
    Lines,
    Line,
    /// Each text or pattern becomes one comparison of the stream.
    Text(Stream, fn(String) -> TextCheck),
    Json,
    JsonMatches,
    Files,
    Snapshot,
}

/// A field with assertions on a file.
#[derive(Debug, Clone, Copy)]
pub struct FileField {
    /// Its name, shape and description.
    pub field: Field,
    /// How its value becomes checks.
    pub(crate) decode: DecodeFile,
    /// Values that pass and fail.
    pub example: Example,
}

/// How the value of a file's field becomes checks.
#[derive(Debug, Clone, Copy)]
pub(crate) enum DecodeFile {
    Exists,
    Content(fn(String) -> TextCheck),
    Folder,
    Mode,
    Json,
}

/// A command, a value of the field with which its test passes, and one with which it fails. The values are YAML.
///
/// For snapshots, `one` is accepted under the name `accepted` and something else under the name `outdated`. The file to check is `out.txt`.
/// The files `one.txt` and `folder/one.txt` contain `one`, `two.txt` and `other/one.txt` contain `two`.
#[derive(Debug, Clone, Copy)]
pub struct Example {
    /// What the test runs.
    pub command: &'static str,
    /// A value that passes.
    pub passes: &'static str,
    /// A value that fails.
    pub fails: &'static str,
}

const fn example(command: &'static str, passes: &'static str, fails: &'static str) -> Example {
    Example {
        command,
        passes,
        fails,
    }
}

const fn row(
    name: &'static str,
    shape: Shape,
    about: &'static str,
    decode: Decode,
    example: Example,
) -> AssertionField {
    AssertionField {
        field: field(name, shape, about),
        decode,
        example,
    }
}

const fn file_row(
    name: &'static str,
    shape: Shape,
    about: &'static str,
    decode: DecodeFile,
    example: Example,
) -> FileField {
    FileField {
        field: field(name, shape, about),
        decode,
        example,
    }
}

const EXIT_CODES: Shape = Shape::Either(
    &Shape::Integer(255),
    &Shape::Either(
        &Shape::Choice(&["nonzero"]),
        &Shape::Many(&Shape::Integer(255)),
    ),
);

/// The fields of `outputLines`.
pub(crate) const LINES: &[Field] = &[
    field("count", Shape::Integer(1_000_000_000), "The exact number"),
    field("min", Shape::Integer(1_000_000_000), "The minimum"),
    field("max", Shape::Integer(1_000_000_000), "The maximum"),
];

const STDOUT: &str = "echo one";
const STDERR: &str = "echo one >&2";
const FILE: &str = "echo one >out.txt";

/// All fields with assertions on a command.
#[rustfmt::skip]
pub const ASSERTIONS: &[AssertionField] = {
    use Decode::{ExitCode, Files, Json, JsonMatches, Line, Lines, MaxDuration, Signal, Snapshot, Text};
    use Shape::{BoolOrText, Patterns, Texts};
    use Stream::{Output, Screen, Stderr, Stdout};
    use TextCheck::{Contains, Equals, EqualsFile, Matches, NotContains, NotMatches};
    &[
        row("exitCode", EXIT_CODES, "The required exit code, a list of them, or nonzero (default: 0)", ExitCode, example("exit 3", "[1, 3]", "[0, 4]")),
        row("signal", Shape::NonEmptyText, "The signal that must end the command, such as TERM; replaces the requirement of exit code 0", Signal, example("kill -TERM $$", "TERM", "KILL")),
        row("maxDuration", Shape::Duration, "The longest time that the command may take: seconds, or 500ms, 2m", MaxDuration, example("sleep 0.2", "60s", "50ms")),
        row("outputEquals", Shape::Text, "The complete output", Text(Output, Equals), example(STDOUT, "one", "on")),
        row("outputEqualsFile", Shape::NonEmptyText, "The file that contains the complete output, relative to the suite's directory", Text(Output, EqualsFile), example(STDOUT, "one.txt", "two.txt")),
        row("outputContains", Texts, "Strings that the output must contain", Text(Output, Contains), example(STDOUT, "[on, ne]", "[on, two]")),
        row("outputNotContains", Texts, "Strings that the output must not contain", Text(Output, NotContains), example(STDOUT, "[two, three]", "[two, ne]")),
        row("outputMatches", Patterns, "POSIX EREs that must match in the output", Text(Output, Matches), example(STDOUT, "[^o, e$]", "[^o, ^n]")),
        row("outputNotMatches", Patterns, "POSIX EREs that must not match in the output", Text(Output, NotMatches), example(STDOUT, "[^n, o$]", "[^n, ^o]")),
        row("stdoutEquals", Shape::Text, "The complete standard output", Text(Stdout, Equals), example(STDOUT, "one", "on")),
        row("stdoutEqualsFile", Shape::NonEmptyText, "The file that contains the complete standard output, relative to the suite's directory", Text(Stdout, EqualsFile), example(STDOUT, "one.txt", "two.txt")),
        row("stdoutContains", Texts, "Strings that standard output must contain", Text(Stdout, Contains), example(STDOUT, "[on, ne]", "[on, two]")),
        row("stdoutNotContains", Texts, "Strings that standard output must not contain", Text(Stdout, NotContains), example(STDOUT, "[two, three]", "[two, ne]")),
        row("stdoutMatches", Patterns, "POSIX EREs that must match in standard output", Text(Stdout, Matches), example(STDOUT, "[^o, e$]", "[^o, ^n]")),
        row("stdoutNotMatches", Patterns, "POSIX EREs that must not match in standard output", Text(Stdout, NotMatches), example(STDOUT, "[^n, o$]", "[^n, ^o]")),
        row("stderr", Shape::Text, "Another name of stderrEquals", Text(Stderr, Equals), example(STDERR, "one", "on")),
        row("stderrEquals", Shape::Text, "The complete standard error", Text(Stderr, Equals), example(STDERR, "one", "on")),
        row("stderrEqualsFile", Shape::NonEmptyText, "The file that contains the complete standard error, relative to the suite's directory", Text(Stderr, EqualsFile), example(STDERR, "one.txt", "two.txt")),
        row("stderrContains", Texts, "Strings that standard error must contain", Text(Stderr, Contains), example(STDERR, "[on, ne]", "[on, two]")),
        row("stderrNotContains", Texts, "Strings that standard error must not contain", Text(Stderr, NotContains), example(STDERR, "[two, three]", "[two, ne]")),
        row("stderrMatches", Patterns, "POSIX EREs that must match in standard error", Text(Stderr, Matches), example(STDERR, "[^o, e$]", "[^o, ^n]")),
        row("stderrNotMatches", Patterns, "POSIX EREs that must not match in standard error", Text(Stderr, NotMatches), example(STDERR, "[^n, o$]", "[^n, ^o]")),
        row("screenEquals", Shape::Text, "The complete final screen of the terminal", Text(Screen, Equals), example(STDOUT, "one", "on")),
        row("screenContains", Texts, "Strings that the final screen of the terminal must contain", Text(Screen, Contains), example(STDOUT, "[on, ne]", "[on, two]")),
        row("screenMatches", Patterns, "POSIX EREs that must match in the final screen of the terminal", Text(Screen, Matches), example(STDOUT, "[^o, e$]", "[^o, ^n]")),
        row("outputJson", Shape::Json, "JSON Pointers into standard output and the required values", Json, example(r#"echo '{"a": [1]}'"#, "{/a/0: 1}", "{/a/0: 2}")),
        row("outputJsonMatches", Shape::JsonConditions, "JSON Pointers into standard output and conditions on the values", JsonMatches, example(r#"echo '{"a": [1]}'"#, "{/a: {type: array, length: 1}, /b: {absent: true}}", "{/a/0: {min: 2}}")),
        row("outputLines", Shape::Object(LINES), "The number of lines of the output", Lines, example("printf 'a\\nb\\n'", "{count: 2}", "{min: 3}")),
        row("outputLine", Shape::Each(&Shape::Text), "Lines of the output by number; negative numbers count from the end", Line, example("printf 'a\\nb\\n'", "{1: a, -1: b}", "{2: a}")),
        row("files", Shape::Files, "Files after the command: exists, equals, contains, matches and others", Files, example(FILE, "{out.txt: {equals: one}}", "{out.txt: {equals: two}}")),
        row("snapshot", BoolOrText, "Compare the output with the accepted output (--update accepts the current output)", Snapshot, example(STDOUT, "accepted", "outdated")),
    ]
};

/// All fields with assertions on a file.
#[rustfmt::skip]
pub const FILE_ASSERTIONS: &[FileField] = {
    use DecodeFile::{Content, Exists, Folder, Json, Mode};
    use TextCheck::{Contains, Equals, EqualsFile, Matches, NotContains};
    &[
        file_row("exists", Shape::Bool, "Whether the file must exist", Exists, example(FILE, "true", "false")),
        file_row("equals", Shape::Text, "The complete content", Content(Equals), example(FILE, "one", "on")),
        file_row("equalsFile", Shape::NonEmptyText, "The file with the same content, relative to the suite's directory", Content(EqualsFile), example(FILE, "one.txt", "two.txt")),
        file_row("contains", Shape::Texts, "Strings that the file must contain", Content(Contains), example(FILE, "[on, ne]", "[on, two]")),
        file_row("notContains", Shape::Texts, "Strings that the file must not contain", Content(NotContains), example(FILE, "[two, three]", "[two, ne]")),
        file_row("matches", Shape::Patterns, "POSIX EREs that must match in the file", Content(Matches), example(FILE, "[^o, e$]", "[^o, ^n]")),
        file_row("mode", Shape::NonEmptyText, "The permissions, in octal: \"0644\"", Mode, example("echo one >out.txt; chmod 640 out.txt", "'0640'", "'0644'")),
        file_row("json", Shape::Json, "JSON Pointers into the file and the required values", Json, example("echo '{\"a\": [1]}' >out.txt", "{/a/0: 1}", "{/a/0: 2}")),
        file_row("equalsFolder", Shape::NonEmptyText, "The folder with the same entries, relative to the suite's directory", Folder, example("rm -rf out.txt; mkdir out.txt; echo one >out.txt/one.txt", "folder", "other")),
    ]
};

impl AssertionField {
    /// Whether it checks the screen of a terminal, which only the native engine has.
    pub fn is_about_screen(&self) -> bool {
        matches!(self.decode, Decode::Text(Stream::Screen, _))
    }
}

impl Check {
    /// Whether it checks the screen of a terminal.
    pub(crate) fn is_about_screen(&self) -> bool {
        matches!(self, Check::Text(Stream::Screen, _))
    }

    /// Whether Bats code needs `jq` for it.
    pub fn needs_jq(&self) -> bool {
        match self {
            Check::Json { .. } | Check::JsonMatches { .. } => true,
            Check::File { check, .. } => matches!(check, FileCheck::Json { .. }),
            _ => false,
        }
    }

    /// Whether it requires standard output and standard error to be captured separately.
    pub(crate) fn separates_streams(&self) -> bool {
        match self {
            Check::Text(stream, _) => stream.is_separate(),
            Check::Json { .. } | Check::JsonMatches { .. } => true,
            Check::ExitCode(_)
            | Check::Signal(_)
            | Check::MaxDuration(_)
            | Check::Lines(_)
            | Check::Line { .. }
            | Check::File { .. }
            | Check::Snapshot(_) => false,
        }
    }
}

impl TextCheck {
    /// The name of the comparison, which the names of fields and Bats code contain.
    pub fn name(&self) -> &'static str {
        match self {
            TextCheck::Equals(_) => "Equals",
            TextCheck::EqualsFile(_) => "EqualsFile",
            TextCheck::Contains(_) => "Contains",
            TextCheck::NotContains(_) => "NotContains",
            TextCheck::Matches(_) => "Matches",
            TextCheck::NotMatches(_) => "NotMatches",
        }
    }

    /// The expected text or pattern, or the path of the file that contains it.
    pub fn expected(&self) -> &str {
        match self {
            TextCheck::Equals(expected)
            | TextCheck::EqualsFile(expected)
            | TextCheck::Contains(expected)
            | TextCheck::NotContains(expected)
            | TextCheck::Matches(expected)
            | TextCheck::NotMatches(expected) => expected,
        }
    }

    /// Whether [`TextCheck::expected`] is a pattern.
    pub fn is_pattern(&self) -> bool {
        matches!(self, TextCheck::Matches(_) | TextCheck::NotMatches(_))
    }
}
