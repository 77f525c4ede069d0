//! The C library's regular expressions and locale: the only unsafe code there is.
#![expect(
    unsafe_code,
    reason = "bash's verdicts come from the C library, and so do ours"
)]

use std::ffi::{CStr, CString};
use std::ops::Range;
use std::os::raw::c_int;
use std::os::unix::ffi::OsStringExt;
use std::ptr;
use std::sync::Once;

use libc::{regex_t, regmatch_t};

use super::error::{InvalidEre, explanation};

/// A `regex_t` that compiled.
pub(super) struct Compiled {
    /// Boxed: POSIX does not say that one may be moved in memory.
    regex: Box<regex_t>,
    /// How many parts of a match to ask for.
    parts: usize,
}

// SAFETY: a `regex_t` owns its memory and knows nothing of the thread that made it; POSIX requires `regexec` and
// `regfree` to work from any thread. It is not `Sync`: older libraries change it while matching.
unsafe impl Send for Compiled {}

impl Compiled {
    /// Compiles a pattern with that many groups.
    ///
    /// Every match asks where all groups are, as bash's do, even if nobody wants to know: GNU's library finds matches
    /// that it would otherwise rule out when it looks less closely (`($[^a])` in a text with a newline).
    pub(super) fn new(pattern: &CStr, groups: usize) -> Result<Compiled, InvalidEre> {
        let mut regex = Box::<regex_t>::new_uninit();
        // SAFETY: `regex` is writable memory for a `regex_t`, `pattern` ends in NUL; both outlive the call.
        let code =
            unsafe { libc::regcomp(regex.as_mut_ptr(), pattern.as_ptr(), libc::REG_EXTENDED) };
        if code == 0 {
            // SAFETY: a successful `regcomp` has initialised it.
            let regex = unsafe { regex.assume_init() };
            let parts = groups + 1;
            return Ok(Compiled { regex, parts });
        }
        let text = explanation(code).map_or_else(|| library_text(code), str::to_owned);
        Err(InvalidEre::Syntax(text))
    }

    /// The leftmost, longest match. Like bash, takes every other outcome for none: there is but being out of memory.
    pub(super) fn find(&self, text: &CStr) -> Option<Range<usize>> {
        let mut parts = vec![regmatch_t { rm_so: 0, rm_eo: 0 }; self.parts];
        let regex: *const regex_t = &raw const *self.regex;
        // SAFETY: `regex` compiled, `text` ends in NUL, and `parts` is as long as it says; all outlive the call, and no
        // other thread uses `regex` meanwhile, for `Compiled` is not `Sync`.
        let code =
            unsafe { libc::regexec(regex, text.as_ptr(), parts.len(), parts.as_mut_ptr(), 0) };
        let whole = parts.first().filter(|_| code == 0)?;
        Some(usize::try_from(whole.rm_so).ok()?..usize::try_from(whole.rm_eo).ok()?)
    }
}

impl Drop for Compiled {
    fn drop(&mut self) {
        // SAFETY: it compiled, and is freed once: here.
        unsafe { libc::regfree(&raw mut *self.regex) }
    }
}

/// The library's own words for a code that is not of POSIX.
fn library_text(code: c_int) -> String {
    let mut buffer = [0_u8; 256];
    // SAFETY: the library writes at most as many bytes as it is told there are; it wants no compiled expression to
    // explain a code.
    unsafe { libc::regerror(code, ptr::null(), buffer.as_mut_ptr().cast(), buffer.len()) };
    let text = CStr::from_bytes_until_nul(&buffer).unwrap_or_default();
    text.to_string_lossy().into_owned()
}

/// Takes the locale from the environment, as bash does when it starts. Only the first call does anything.
///
/// The binary calls it before it starts any thread: the locale belongs to the whole process. Patterns that were
/// compiled before keep the old one. Where the environment names a locale that is not installed, the outcome is bash's
/// too: `LANG` counts for what cannot be had, and without `LANG`, or with a wrong `LC_ALL`, the locale stays `C`.
pub fn adopt_locale() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        if set(libc::LC_ALL, c"") {
            return;
        }
        let (Some(lang), None) = (variable("LANG"), variable("LC_ALL")) else {
            return;
        };
        if set(libc::LC_ALL, &lang) {
            set(libc::LC_CTYPE, c"");
            set(libc::LC_COLLATE, c"");
        }
    });
}

/// Whether there is such a locale.
fn set(category: c_int, locale: &CStr) -> bool {
    // SAFETY: `locale` ends in NUL and outlives the call. The caller of `adopt_locale` has started no thread yet; the
    // result is compared and not kept.
    !unsafe { libc::setlocale(category, locale.as_ptr()) }.is_null()
}

/// A variable of the environment, if it is set and not empty.
fn variable(name: &str) -> Option<CString> {
    #[expect(
        clippy::disallowed_methods,
        reason = "`setlocale` reads the environment too: these are the same variables"
    )]
    let value = std::env::var_os(name)?;
    CString::new(value.into_vec())
        .ok()
        .filter(|value| !value.is_empty())
}
