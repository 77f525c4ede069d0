//! POSIX extended regular expressions, with the verdicts of bash's `[[ $text =~ $re ]]`.
//!
//! The C library's own `regcomp` and `regexec` do the work, as they do for bash, so that both agree on every pattern
//! in the locale that [`adopt_locale`] took from the environment. A search is unanchored; `^` and `$` are the ends of
//! the whole text; `.` and negated brackets match a newline; `find` is leftmost, then longest.
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
//! The GNU library crashes or eats all memory over hostile patterns (`((((…`, `x{1,32767}{1,32767}`, `x++++…`), so
//! that [`Ere::new`] measures a pattern before the library sees it: see [`InvalidEre`] for the limits. What a pattern
//! costs to *run* is not bounded: one with back-references, or `.{0,1000}` over megabytes, takes here as long as it
//! takes in bash.

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

/// A compiled expression.
///
/// It may move between threads and is used by one at a time: it is `Send`, and not `Sync`.
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
        let terminated = CString::new(pattern).map_err(|_| InvalidEre::Nul)?;
        measure::measure(pattern)?;
        let compiled = posix::Compiled::new(&terminated, syntax::groups(pattern))?;
        Ok(Ere {
            pattern: pattern.to_owned(),
            compiled,
        })
    }

    /// Whether it matches anywhere in the text. A text ends at its first NUL, as bash's do.
    pub fn is_match(&self, text: &[u8]) -> bool {
        self.find(text).is_some()
    }

    /// The leftmost match, the longest of those.
    pub fn find(&self, text: &[u8]) -> Option<Range<usize>> {
        self.compiled.find(&until_nul(text))
    }

    /// The pattern as it was given.
    pub fn pattern(&self) -> &str {
        &self.pattern
    }
}

impl fmt::Debug for Ere {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Ere").field(&self.pattern).finish()
    }
}

/// The library reads up to a NUL.
fn until_nul(text: &[u8]) -> CString {
    let end = text.iter().position(|byte| *byte == 0);
    CString::new(&text[..end.unwrap_or(text.len())]).expect("it is cut before its first NUL")
}

/// Whether a pattern matches whatever the text: an assertion that cannot fail.
///
/// True is certain: the pattern can match the empty text at the start of every text (`x*`, `^`, `^x*`), or at the end
/// of every text (`$`, `x?$`). `^x*$` asks for both ends at once and is no such pattern. False is not certain:
/// `a|[^a]|^$` matches everything too, and `^.*$` everything but text that is invalid in the locale.
///
/// ```
/// use casebook_suite::ere::matches_everything;
///
/// assert!(matches_everything("x*") && matches_everything("") && matches_everything("(a|b|)$"));
/// assert!(!matches_everything("^$") && !matches_everything("x+") && !matches_everything("(^|a)x*($|b)"));
/// ```
pub fn matches_everything(pattern: &str) -> bool {
    let structure = measure::measure(pattern).is_ok_and(measure::PatternCost::empty_somewhere);
    structure && Ere::new(pattern).is_ok_and(|ere| ere.is_match(b""))
}

#[cfg(test)]
mod tests;
