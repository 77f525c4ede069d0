//! The fields of the suite format, used by the checker and for the JSON Schema.

pub mod agent;
pub mod conversation;
pub mod service;
pub mod step;
pub mod terminal;

use conversation::{BUDGET_FIELD, CONVERSATION_TEST, SHARED, SIMULATOR};
use service::{SERVICES, USES};
use step::{EVENTUALLY, STEPS};
use terminal::TERMINAL;

use crate::assertion::{ASSERTIONS, FILE_ASSERTIONS};
use crate::normalizer::NORMALIZE;

/// A field that a suite or a test may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// The values it accepts.
    pub shape: Shape,
    /// A description in one line, for the JSON Schema.
    pub about: &'static str,
}

/// The values that a field accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A string.
    Text,
    /// A string that is not empty.
    NonEmptyText,
    /// A string or a list of strings.
    Texts,
    /// A POSIX ERE or a list of them.
    Patterns,
    /// A list of strings.
    List,
    /// A mapping from names to strings.
    TextMap,
    /// `true` or `false`.
    Bool,
    /// `true`, `false` or a string.
    BoolOrText,
    /// A whole number from 0 to this one.
    Integer(u32),
    /// Seconds, or `500ms`, `2m`.
    Duration,
    /// A mapping from JSON Pointers to any value.
    Json,
    /// A mapping from JSON Pointers to conditions on values.
    JsonConditions,
    /// Any value.
    Any,
    /// A mapping from paths to the assertions on each file.
    Files,
    /// A mapping from names to fragments.
    Fragments,
    /// A list of tests.
    Tests,
    /// References to fragments.
    References,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A whole number from 1 to this one.
    Count(u32),
    /// A number that is not negative.
    Number,
    /// A minimum, a maximum or both.
    Bounds,
    /// A check of a conversation.
    Check,
    /// A mapping of any kind.
    Mapping,
    /// A mapping with these fields.
    Object(&'static [Field]),
    /// A mapping from names to values of this shape.
    Each(&'static Shape),
    /// A list of values of this shape, at least one.
    Many(&'static Shape),
    /// A value of this shape, or a list of them.
    OneOrMany(&'static Shape),
    /// A value of one shape or the other.
    Either(&'static Shape, &'static Shape),
}

pub(crate) const fn field(name: &'static str, shape: Shape, about: &'static str) -> Field {
    Field { name, shape, about }
}

/// Concatenates groups of fields; `N` is the total number. A `const fn`, because the field lists are constants.
const fn concat<const N: usize>(groups: &[&[Field]]) -> [Field; N] {
    let mut all = [SIMULATOR; N];
    let (mut group, mut filled) = (0, 0);
    while group < groups.len() {
        let mut index = 0;
        while index < groups[group].len() {
            all[filled] = groups[group][index];
            filled += 1;
            index += 1;
        }
        group += 1;
    }
    assert!(filled == N, "N must be the number of all fields");
    all
}

/// The fields of a suite.
pub const SUITE: &[Field] = &concat::<{ SUITE_ONLY.len() + SHARED.len() + 3 }>(&[
    SUITE_ONLY,
    &SHARED,
    &[SIMULATOR],
    &[BUDGET_FIELD],
    &[TESTS],
]);

const SUITE_ONLY: &[Field] = &[
    field(
        "name",
        Shape::NonEmptyText,
        "Name of the suite (default: the stem of the file name)",
    ),
    field("description", Shape::Text, "Description of the suite"),
    field(
        "include",
        Shape::List,
        "Files with definitions that several suites share, relative to this file",
    ),
    field(
        "variables",
        Shape::TextMap,
        "Values of the variables used as {{name}}",
    ),
    field(
        "fragments",
        Shape::Fragments,
        "Fields of tests, reused with $ref",
    ),
    field(
        "setupFile",
        Shape::Text,
        "Bash code, run once before the first test; exported variables are visible in all later hooks and commands",
    ),
    field(
        "teardownFile",
        Shape::Text,
        "Bash code, run once after the last test",
    ),
    field(
        "setup",
        Shape::Text,
        "Bash code, run before each test; cd and export affect the command",
    ),
    field("teardown", Shape::Text, "Bash code, run after each test"),
    field("setupEach", Shape::Text, "Another name of setup"),
    field("teardownEach", Shape::Text, "Another name of teardown"),
    field(
        "env",
        Shape::TextMap,
        "Environment variables of all hooks and commands",
    ),
    ISOLATE,
    UNSET,
    NORMALIZE,
    field(
        "timeout",
        Shape::Duration,
        "Timeout of each test: seconds, or 500ms, 2m",
    ),
    field(
        "parallel",
        Shape::Bool,
        "false: run the tests one after another, in order",
    ),
    field("locks", LOCKS, "Locks of all tests and of the file hooks"),
    field("tags", Shape::List, "Tags of all tests"),
    field(
        "redact",
        Shape::List,
        "Name patterns of environment variables whose values are redacted",
    ),
    field(
        "matrix",
        Shape::Each(&Shape::Many(&Shape::Any)),
        "Run each test once for every combination of these values",
    ),
    SERVICES,
];

const IGNORE_CASE: Field = field(
    "ignoreCase",
    Shape::Bool,
    "true: ignore the case of letters in ...Contains, ...NotContains, ...Matches and ...NotMatches",
);

const ISOLATE: Field = field(
    "isolate",
    Shape::Bool,
    "true: own HOME, XDG directories and TMPDIR, and no other inherited variables than PATH, LANG, LC_* and TERM",
);

const UNSET: Field = field(
    "unset",
    Shape::List,
    "Names of environment variables to remove",
);

/// The fields of a new working directory.
pub const WORKDIR: &[Field] = &[
    field(
        "copy",
        Shape::NonEmptyText,
        "Folder to copy, relative to the suite's directory",
    ),
    field("empty", Shape::Bool, "true: an empty directory"),
];
/// Names, or mappings from a name to `shared`.
const LOCKS: Shape = Shape::Many(&Shape::Either(
    &Shape::NonEmptyText,
    &Shape::Each(&Shape::Choice(&["shared"])),
));

const TESTS: Field = field("tests", Shape::Tests, "The tests of the suite");

/// The fields of a test or a fragment.
pub const TEST: &[Field] = &concat::<
    {
        TEST_ACTION.len()
            + TERMINAL.len()
            + TEST_ASSERTIONS.len()
            + TEST_SETTINGS.len()
            + CONVERSATION_TEST.len()
            + SHARED.len()
    },
>(&[
    TEST_ACTION,
    &TERMINAL,
    &TEST_ASSERTIONS,
    TEST_SETTINGS,
    &CONVERSATION_TEST,
    &SHARED,
]);

const TEST_ACTION: &[Field] = &[
    field("name", Shape::NonEmptyText, "Name of the test"),
    field("command", Shape::NonEmptyText, "Command, run with bash -c"),
    STEPS,
    EVENTUALLY,
];

const TEST_ASSERTIONS: [Field; ASSERTIONS.len()] = {
    let mut fields = [SIMULATOR; ASSERTIONS.len()];
    let mut index = 0;
    while index < fields.len() {
        fields[index] = ASSERTIONS[index].field;
        index += 1;
    }
    fields
};

const TEST_SETTINGS: &[Field] = &[
    field(
        "stdin",
        Shape::Text,
        "Standard input of the command (default: empty)",
    ),
    field("env", Shape::TextMap, "Environment variables of this test"),
    field(
        "workdir",
        Shape::Either(&Shape::NonEmptyText, &Shape::Object(WORKDIR)),
        "Working directory of the command, relative to the suite's directory; or a new one: {copy: FOLDER} or {empty: true}",
    ),
    ISOLATE,
    UNSET,
    field(
        "skip",
        Shape::BoolOrText,
        "Skip the test: true, or the reason",
    ),
    field(
        "fails",
        Shape::NonEmptyText,
        "Why the test is expected to fail; it must then fail",
    ),
    field(
        "requires",
        Shape::Texts,
        "Programs without which the test is skipped",
    ),
    field(
        "skipUnless",
        Shape::NonEmptyText,
        "Command, run with bash -c before the test; the test is skipped if it fails",
    ),
    IGNORE_CASE,
    NORMALIZE,
    field("only", Shape::Bool, "Run only the tests with only: true"),
    field(
        "timeout",
        Shape::Duration,
        "Timeout of the test: seconds, or 500ms, 2m",
    ),
    field(
        "retries",
        Shape::Integer(100),
        "Maximum number of retries after a failure",
    ),
    field(
        "locks",
        LOCKS,
        "Tests that have a lock in common never run at the same time; NAME: shared lets those run together that all share it",
    ),
    field("tags", Shape::List, "Tags, in addition to the suite's"),
    field(
        "matrix",
        Shape::Each(&Shape::Many(&Shape::Any)),
        "Run the test once for every combination of these values",
    ),
    field(
        "covers",
        Shape::TextMap,
        "The states of characteristics that the test covers",
    ),
    USES,
    field(
        "$ref",
        Shape::References,
        "Fragments that provide defaults for the fields of this test",
    ),
];

/// The fields of a file in `files`.
pub const FILE: &[Field] = &{
    let mut fields = [SIMULATOR; FILE_ASSERTIONS.len()];
    let mut index = 0;
    while index < fields.len() {
        fields[index] = FILE_ASSERTIONS[index].field;
        index += 1;
    }
    fields
};

/// Alternative names of fields: the alias, then the name used by the model.
pub const ALIASES: [(&str, &str); 3] = [
    ("setupEach", "setup"),
    ("teardownEach", "teardown"),
    ("stderr", "stderrEquals"),
];
