//! Errors for patterns that cannot be used.

use thiserror::Error;

use super::measure::{MAX_CHOICES, MAX_DEPTH, MAX_LENGTH, MAX_SIZE};

/// Why a pattern cannot be used: a syntax error, or a size that the C library cannot handle safely.
///
/// The limits are far above what a test needs, and low enough that compiling takes less than a second and 256 megabytes
/// in the worst case: 32 KiB of pattern; parentheses 100 deep; 32 768 characters with repetitions expanded (the library
/// copies: `x{3}` is `xxx`, `x+` is `xx*`); 2 000 choices (`|`, `?`, `*` and each optional copy); 16 anchors without a
/// required character between them, and fewer in a loop that can be empty. With an anchor or such a loop, there may be at
/// most 256 paths through nested optional parts: `x?` has one, `(x?)?` two, `(x?)?(y?)?` four.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum InvalidEre {
    /// It contains a NUL.
    #[error("a pattern cannot contain a NUL character")]
    Nul,
    /// It is too long.
    #[error("the pattern is {length} bytes long; the limit is {MAX_LENGTH}")]
    TooLong {
        /// In bytes.
        length: usize,
    },
    /// Its parentheses are nested too deep.
    #[error("the pattern's parentheses are nested more than {MAX_DEPTH} deep")]
    TooDeep,
    /// It is too large with its repetitions expanded.
    #[error(
        "with its repetitions expanded the pattern has more than {MAX_SIZE} characters: repeat less, or use `*`"
    )]
    TooLarge,
    /// It has too many choices.
    #[error(
        "with its repetitions expanded the pattern has more than {MAX_CHOICES} choices (`|`, `?`, `*`, `{{m,n}}`): \
         use fewer, or split the pattern"
    )]
    TooManyChoices,
    /// It has too many consecutive anchors or loops around parts that can be empty.
    #[error(
        "the pattern has more anchors (`^`, `$`, `\\b` and the like) and repetitions of parts that can be empty, such as \
         `(a*)+`, than the C library can handle safely: use fewer, or put something required between them"
    )]
    TooTangled,
    /// The library rejected it, with the cause.
    #[error("{0}")]
    Syntax(String),
}

/// The message for an error code. The library's own messages are localized and not specific to extended expressions.
pub(super) fn explanation(code: i32) -> Option<&'static str> {
    Some(match code {
        libc::REG_BADPAT => {
            "the pattern is not a POSIX extended regular expression: check that each `[` has its `]`, or for the \
             character itself write `\\[`"
        }
        libc::REG_ECOLLATE => {
            "unknown collating element: inside brackets, `[.` or `[=` names a character"
        }
        libc::REG_ECTYPE => {
            "unknown character class: `[[:alpha:]]`, `[[:digit:]]`, `[[:alnum:]]`, `[[:upper:]]`, `[[:lower:]]`, \
             `[[:space:]]`, `[[:blank:]]`, `[[:punct:]]`, `[[:print:]]`, `[[:graph:]]`, `[[:cntrl:]]` and \
             `[[:xdigit:]]` are known"
        }
        libc::REG_EESCAPE => "a backslash at the end: for the character itself write `\\\\`",
        libc::REG_ESUBREG => "a back-reference to a group that does not exist",
        libc::REG_EBRACK => "`[` without its `]`: for the character itself write `\\[`",
        libc::REG_EPAREN => "`(` without its `)`: for the character itself write `\\(`",
        libc::REG_EBRACE => "`{` without its `}`: for the character itself write `\\{`",
        libc::REG_BADBR => {
            "invalid repetition: write `{2}`, `{2,}` or `{2,5}`, or for the character itself `\\{`"
        }
        libc::REG_ERANGE => {
            "invalid range in brackets: its first character must not come after its last, as in `[z-a]`; a literal \
             `-` must be last, as in `[a-z-]`"
        }
        libc::REG_ESPACE => "the pattern is too large for the C library",
        libc::REG_BADRPT => {
            "nothing to repeat before `*`, `+`, `?` or `{`: for the character itself put a backslash before it"
        }
        _ => return None,
    })
}
