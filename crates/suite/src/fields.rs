//! The fields of the format: the one source of the checker's knowledge and of the JSON Schema.

pub mod conversation;

use conversation::{CONVERSATION_TEST, SHARED, SIMULATOR};

use crate::assertion::{ASSERTIONS, FILE_ASSERTIONS};

/// A field that a suite or a test may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// What it takes.
    pub shape: Shape,
    /// What it is for, in a line.
    pub about: &'static str,
}

/// What a field takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A text.
    Text,
    /// A text that is not empty.
    NonEmptyText,
    /// A text or a list of texts.
    Texts,
    /// A POSIX ERE or a list of them.
    Patterns,
    /// A list of texts.
    List,
    /// A mapping from names to texts.
    TextMap,
    /// A mapping from names to lists of texts.
    ListMap,
    /// `true` or `false`.
    Bool,
    /// `true`, `false` or a text.
    BoolOrText,
    /// A whole number from 0 to this one.
    Integer(u32),
    /// Seconds, or `500ms`, `2m`.
    Duration,
    /// A mapping from JSON Pointers to any value.
    Json,
    /// A mapping from paths to what the file must be like.
    Files,
    /// Fragments.
    Fragments,
    /// Tests.
    Tests,
    /// References to fragments.
    References,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A whole number from 1 to this one.
    Count(u32),
    /// A number that is not negative.
    Number,
    /// A smallest number, a largest, or both.
    Bounds,
    /// Checks of a conversation: one, or a list of them.
    Checks,
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
    /// This or that.
    Either(&'static Shape, &'static Shape),
}

pub(crate) const fn field(name: &'static str, shape: Shape, about: &'static str) -> Field {
    Field { name, shape, about }
}

/// The fields of these groups in order. `N` is their number.
const fn concat<const N: usize>(groups: &[&[Field]]) -> [Field; N] {
    let mut all = [SIMULATOR; N];
    let (mut group, mut place) = (0, 0);
    while group < groups.len() {
        let mut index = 0;
        while index < groups[group].len() {
            all[place] = groups[group][index];
            place += 1;
            index += 1;
        }
        group += 1;
    }
    assert!(place == N, "N is the number of all fields");
    all
}

/// What a suite may say.
pub const SUITE: &[Field] =
    &concat::<{ OF_SUITE.len() + SHARED.len() + 2 }>(&[OF_SUITE, &SHARED, &[SIMULATOR], &[TESTS]]);

const OF_SUITE: &[Field] = &[
    field(
        "name",
        Shape::NonEmptyText,
        "What the suite is called (default: the file's stem)",
    ),
    field("description", Shape::Text, "What the suite is about"),
    field(
        "variables",
        Shape::TextMap,
        "Values that {{name}} stands for",
    ),
    field(
        "fragments",
        Shape::Fragments,
        "Parts of tests, to be used with $ref",
    ),
    field(
        "setupFile",
        Shape::Text,
        "Bash, once before the first test; what it exports is in every environment after it",
    ),
    field(
        "teardownFile",
        Shape::Text,
        "Bash, once after the last test",
    ),
    field(
        "setup",
        Shape::Text,
        "Bash, before each test; cd and export reach the command",
    ),
    field("teardown", Shape::Text, "Bash, after each test"),
    field("setupEach", Shape::Text, "Another name of setup"),
    field("teardownEach", Shape::Text, "Another name of teardown"),
    field(
        "env",
        Shape::TextMap,
        "Added to the environment of every script and command",
    ),
    field(
        "timeout",
        Shape::Duration,
        "How long each test may take: seconds, or 500ms, 2m",
    ),
    field(
        "parallel",
        Shape::Bool,
        "false: the tests run one after another, in order",
    ),
    field("tags", Shape::List, "Tags of every test"),
    field(
        "redact",
        Shape::List,
        "Name patterns of environment variables whose values are never recorded",
    ),
    field(
        "matrix",
        Shape::ListMap,
        "Every test runs once for each combination of these values",
    ),
];

const TESTS: Field = field("tests", Shape::Tests, "The tests");

/// What a test or a fragment may say.
pub const TEST: &[Field] = &concat::<
    {
        WHAT_RUNS.len()
            + OF_ASSERTIONS.len()
            + HOW_IT_RUNS.len()
            + CONVERSATION_TEST.len()
            + SHARED.len()
    },
>(&[
    WHAT_RUNS,
    &OF_ASSERTIONS,
    HOW_IT_RUNS,
    &CONVERSATION_TEST,
    &SHARED,
]);

const WHAT_RUNS: &[Field] = &[
    field("name", Shape::NonEmptyText, "What the test is called"),
    field("command", Shape::NonEmptyText, "What bash -c runs"),
];

const OF_ASSERTIONS: [Field; ASSERTIONS.len()] = {
    let mut fields = [SIMULATOR; ASSERTIONS.len()];
    let mut index = 0;
    while index < fields.len() {
        fields[index] = ASSERTIONS[index].field;
        index += 1;
    }
    fields
};

const HOW_IT_RUNS: &[Field] = &[
    field(
        "stdin",
        Shape::Text,
        "What the command reads (default: nothing)",
    ),
    field(
        "env",
        Shape::TextMap,
        "Added to the environment of this test",
    ),
    field(
        "workdir",
        Shape::NonEmptyText,
        "The folder the command runs in, relative to the suite's",
    ),
    field(
        "skip",
        Shape::BoolOrText,
        "Do not run it: true, or the reason",
    ),
    field("only", Shape::Bool, "Run only tests like this"),
    field(
        "timeout",
        Shape::Duration,
        "How long it may take: seconds, or 500ms, 2m",
    ),
    field(
        "retries",
        Shape::Integer(100),
        "How often it may be tried again",
    ),
    field("tags", Shape::List, "Tags, besides the suite's"),
    field(
        "matrix",
        Shape::ListMap,
        "Run once for each combination of these values",
    ),
    field(
        "covers",
        Shape::TextMap,
        "The states of characteristics that it covers",
    ),
    field(
        "$ref",
        Shape::References,
        "Fragments whose fields are this test's defaults",
    ),
];

/// What may be said of a file.
pub const FILE: &[Field] = &{
    let mut fields = [SIMULATOR; FILE_ASSERTIONS.len()];
    let mut index = 0;
    while index < fields.len() {
        fields[index] = FILE_ASSERTIONS[index].field;
        index += 1;
    }
    fields
};

/// Fields that are one under two names: the other name, then the one that the model uses.
pub const ALIASES: [(&str, &str); 3] = [
    ("setupEach", "setup"),
    ("teardownEach", "teardown"),
    ("stderr", "stderrEquals"),
];
