//! Why a pattern is no good.

use thiserror::Error;

use super::measure::{MAX_CHOICES, MAX_DEPTH, MAX_LENGTH, MAX_SIZE};

/// Why a pattern cannot be used: a mistake in it, or a size beyond what the C library can be trusted with.
///
/// The limits are far above what a test needs, and low enough that compiling takes less than a second and 256
/// megabytes at the very worst: 32 KiB of pattern; parentheses 100 deep; 32 768 characters once repetitions are
/// written out (the library copies: `x{3}` is `xxx`, `x+` is `xx*`); 2 000 choices (`|`, `?`, `*` and each optional
/// copy); and with no required character in between, 16 anchors, many fewer in a loop that can be empty. Where there is
/// an anchor or such a loop, there may also be no more than 256 ways through optional parts of optional parts: `x?` has
/// one, `(x?)?` two, `(x?)?(y?)?` four.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum InvalidEre {
    /// There is a NUL in it.
    #[error("a pattern cannot contain a NUL character")]
    Nul,
    /// It is too long.
    #[error("the pattern is {length} bytes long, and {MAX_LENGTH} is the most there can be")]
    TooLong {
        /// In bytes.
        length: usize,
    },
    /// Its parentheses are nested too deep.
    #[error("the pattern's parentheses are nested more than {MAX_DEPTH} deep")]
    TooDeep,
    /// It is too large with its repetitions written out.
    #[error(
        "with its repetitions written out the pattern has more than {MAX_SIZE} characters: repeat less, or use `*`"
    )]
    TooLarge,
    /// It has too many ways to match.
    #[error(
        "with its repetitions written out the pattern has more than {MAX_CHOICES} choices (`|`, `?`, `*`, `{{m,n}}`): \
         use fewer, or split the pattern"
    )]
    TooManyChoices,
    /// It has too many anchors, or loops around what can be empty, in a row.
    #[error(
        "the pattern has more anchors (`^`, `$`, `\\b` and the like) and repetitions of what can be empty, such as \
         `(a*)+`, than the C library can be trusted with: use fewer, or put something required between them"
    )]
    TooTangled,
    /// The library refused it.
    #[error("{0}")]
    Syntax(String),
}

/// What the library's code means, in words of ours: its own are translated and speak of other kinds of expressions.
pub(super) fn explanation(code: i32) -> Option<&'static str> {
    Some(match code {
        libc::REG_BADPAT => "the pattern is not a POSIX extended regular expression",
        libc::REG_ECOLLATE => {
            "unknown collating element: inside brackets, `[.` or `[=` names a character"
        }
        libc::REG_ECTYPE => {
            "unknown character class: `[[:alpha:]]`, `[[:digit:]]`, `[[:alnum:]]`, `[[:upper:]]`, `[[:lower:]]`, \
             `[[:space:]]`, `[[:blank:]]`, `[[:punct:]]`, `[[:print:]]`, `[[:graph:]]`, `[[:cntrl:]]` and \
             `[[:xdigit:]]` are known"
        }
        libc::REG_EESCAPE => "a backslash at the end: for the character itself write `\\\\`",
        libc::REG_ESUBREG => "a back-reference to a group that is not there",
        libc::REG_EBRACK => "`[` without its `]`: for the character itself write `\\[`",
        libc::REG_EPAREN => "`(` without its `)`: for the character itself write `\\(`",
        libc::REG_EBRACE => "`{` without its `}`: for the character itself write `\\{`",
        libc::REG_BADBR => {
            "wrong content between `{` and `}`: a repetition is `{2}`, `{2,}` or `{2,5}`; for the character itself \
             write `\\{`"
        }
        libc::REG_ERANGE => {
            "a range in brackets has a wrong end: the first character must not come after the last; put a literal \
             `-` last, as in `[a-z-]`"
        }
        libc::REG_ESPACE => "the pattern is too large for the C library",
        libc::REG_BADRPT => {
            "nothing to repeat before `*`, `+`, `?` or `{`: for the character itself put a backslash before it"
        }
        _ => return None,
    })
}
