//! POSIX extended regular expressions with the results of bash's `[[ $text =~ $re ]]`.
//!
//! [`Ere`] uses the C library's `regcomp` and `regexec`, as bash does, so both agree on every pattern in the locale set
//! by [`adopt_locale`]. A search is unanchored; `^` and `$` match the ends of the complete text; `.` and negated brackets
//! match a newline; `find` returns the leftmost, then longest match.
//!
//! ```
//! use casebook_suite::ere::{Ere, lint};
//!
//! let version = Ere::new(r"[0-9]+\.[0-9]+").unwrap();
//! assert!(version.is_match(b"tool 1.10\n"));
//! assert_eq!(version.find(b"tool 1.10\n"), Some(5..9));
//!
//! assert!(Ere::new("a(b").is_err());
//! assert_eq!(lint(r"v\d")[0].replacement.as_deref(), Some("[0-9]"));
//! ```
//!
//! # Limits
//!
//! The GNU library crashes or uses all memory for hostile patterns (`((((…`, `x{1,32767}{1,32767}`, `x++++…`), so
//! [`Ere::new`] measures a pattern before it calls the library: see [`InvalidEre`] for the limits. The time to *match* is
//! not limited: a pattern with back-references, or `.{0,1000}` on megabytes, takes as long as in bash.

mod bracket;
mod error;
mod escape;
mod lint;
mod measure;
mod posix;
mod syntax;

use std::ffi::CString;
use std::fmt;
use std::ops::Range;

pub use error::InvalidEre;
pub use lint::{Level, PatternFinding, lint};
pub use posix::adopt_locale;

/// Whether the case of letters matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Case {
    Exact,
    Ignored,
}

/// A compiled expression.
///
/// It may move between threads, but only one thread may use it at a time: it is `Send`, but not `Sync`.
///
/// ```compile_fail
/// fn shared<T: Sync>() {}
/// shared::<casebook_suite::ere::Ere>();
/// ```
pub struct Ere {
    pattern: String,
    compiled: posix::Compiled,
}

impl Ere {
    /// Compiles a pattern in the locale of the process.
    pub fn new(pattern: &str) -> Result<Ere, InvalidEre> {
        Ere::with_case(pattern, Case::Exact)
    }

    /// Compiles a pattern that ignores the case of letters, as bash does with `shopt -s nocasematch`.
    pub fn ignoring_case(pattern: &str) -> Result<Ere, InvalidEre> {
        Ere::with_case(pattern, Case::Ignored)
    }

    /// The pattern that matches only this text.
    pub fn literal(text: &str) -> String {
        let mut pattern = String::with_capacity(text.len());
        for c in text.chars() {
            if r"\.[]{}()*+?|^$".contains(c) {
                pattern.push('\\');
            }
            pattern.push(c);
        }
        pattern
    }

    fn with_case(pattern: &str, case: Case) -> Result<Ere, InvalidEre> {
        let terminated = CString::new(pattern).map_err(|_| InvalidEre::Nul)?;
        measure::measure(pattern)?;
        let compiled = posix::Compiled::new(&terminated, syntax::groups(pattern), case)?;
        Ok(Ere {
            pattern: pattern.to_owned(),
            compiled,
        })
    }

    /// Whether it matches anywhere in the text. The text ends at its first NUL, as in bash.
    pub fn is_match(&self, text: &[u8]) -> bool {
        self.find(text).is_some()
    }

    /// The leftmost match; the longest one at that position.
    pub fn find(&self, text: &[u8]) -> Option<Range<usize>> {
        self.groups(text)?.swap_remove(0)
    }

    /// The leftmost match and its groups; `None` for a group that took no part in the match.
    pub fn groups(&self, text: &[u8]) -> Option<Vec<Option<Range<usize>>>> {
        self.groups_from(until_nul(text), 0)
    }

    /// The leftmost match that starts at this offset or later, and its groups. `^` matches only at the start of the whole text.
    pub fn groups_from(&self, text: &[u8], start: usize) -> Option<Vec<Option<Range<usize>>>> {
        self.compiled.groups_from(text, start)
    }

    /// The number of its groups.
    pub fn group_count(&self) -> usize {
        syntax::groups(&self.pattern)
    }

    /// The source of the pattern.
    pub fn pattern(&self) -> &str {
        &self.pattern
    }
}

impl fmt::Debug for Ere {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Ere").field(&self.pattern).finish()
    }
}

/// The text up to its first NUL.
fn until_nul(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|byte| *byte == 0);
    &text[..end.unwrap_or(text.len())]
}

/// Whether a pattern matches every text, so that an assertion with it cannot fail.
///
/// True is certain: the pattern matches the empty string at the start (`x*`, `^`, `^x*`) or at the end (`$`, `x?$`) of every
/// text. `^x*$` requires both ends and does not match every text. False is not certain: `a|[^a]|^$` also matches every
/// text, and `^.*$` every text that is valid in the locale.
///
/// ```
/// use casebook_suite::ere::matches_everything;
///
/// assert!(matches_everything("x*") && matches_everything("") && matches_everything("(a|b|)$"));
/// assert!(!matches_everything("^$") && !matches_everything("x+") && !matches_everything("(^|a)x*($|b)"));
/// ```
pub fn matches_everything(pattern: &str) -> bool {
    let is_nullable = measure::measure(pattern).is_ok_and(measure::PatternCost::empty_somewhere);
    is_nullable && Ere::new(pattern).is_ok_and(|ere| ere.is_match(b""))
}

#[cfg(test)]
mod tests;
