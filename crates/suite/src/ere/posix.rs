//! Bindings to the C library's regular expressions and locale; the only unsafe code of the crate.
#![expect(
    unsafe_code,
    reason = "bash uses the C library, and the results must be the same"
)]

use std::ffi::{CStr, CString};
use std::ops::Range;
use std::os::raw::c_int;
use std::os::unix::ffi::OsStringExt;
use std::ptr;
use std::sync::Once;

use libc::{regex_t, regmatch_t};

use super::Case;
use super::error::{InvalidEre, explanation};

/// A `regex_t` that compiled.
pub(super) struct Compiled {
    /// Boxed, because POSIX does not guarantee that it can be moved in memory.
    regex: Box<regex_t>,
    /// The number of positions to request: the complete match and all groups.
    positions: usize,
}

// SAFETY: a `regex_t` owns its memory and is not tied to the thread that created it; POSIX requires `regexec` and
// `regfree` to work from any thread. It is not `Sync`: older libraries modify it while matching.
unsafe impl Send for Compiled {}

impl Compiled {
    /// Compiles a pattern with this number of groups.
    ///
    /// Every match requests the positions of all groups, as bash does, although they are not used: without them the GNU
    /// library misses some matches (`($[^a])` in a string with a newline).
    pub(super) fn new(pattern: &CStr, groups: usize, case: Case) -> Result<Compiled, InvalidEre> {
        let flags = match case {
            Case::Exact => libc::REG_EXTENDED,
            Case::Ignored => libc::REG_EXTENDED | libc::REG_ICASE,
        };
        let mut regex = Box::<regex_t>::new_uninit();
        // SAFETY: `regex` is writable memory for a `regex_t`, `pattern` ends in NUL; both outlive the call.
        let code = unsafe { libc::regcomp(regex.as_mut_ptr(), pattern.as_ptr(), flags) };
        if code == 0 {
            // SAFETY: a successful `regcomp` has initialized it.
            let regex = unsafe { regex.assume_init() };
            let positions = groups + 1;
            return Ok(Compiled { regex, positions });
        }
        let text = explanation(code).map_or_else(|| library_text(code), str::to_owned);
        Err(InvalidEre::Syntax(text))
    }

    /// The leftmost, longest match that starts at this offset or later, and its groups; `None` for a group that took no part in the
    /// match. As in bash, an error (only out of memory is possible) counts as no match.
    pub(super) fn groups_from(
        &self,
        text: &[u8],
        start: usize,
    ) -> Option<Vec<Option<Range<usize>>>> {
        let mut positions = vec![regmatch_t { rm_so: 0, rm_eo: 0 }; self.positions];
        positions[0].rm_so = start.min(text.len()).try_into().ok()?;
        positions[0].rm_eo = text.len().try_into().ok()?;
        let regex: *const regex_t = &raw const *self.regex;
        // SAFETY: `regex` compiled; with `REG_STARTEND`, `text` is read only between the two offsets of the first position, which
        // are inside of it, and `positions` has the given length; all outlive the call, and no other thread uses `regex`
        // meanwhile, because `Compiled` is not `Sync`.
        let code = unsafe {
            libc::regexec(
                regex,
                text.as_ptr().cast(),
                positions.len(),
                positions.as_mut_ptr(),
                libc::REG_STARTEND,
            )
        };
        let range = |position: &regmatch_t| {
            Some(usize::try_from(position.rm_so).ok()?..usize::try_from(position.rm_eo).ok()?)
        };
        (code == 0).then(|| positions.iter().map(range).collect())
    }
}

impl Drop for Compiled {
    fn drop(&mut self) {
        // SAFETY: it compiled, and it is freed only here.
        unsafe { libc::regfree(&raw mut *self.regex) }
    }
}

/// The library's message for an error code that POSIX does not define.
fn library_text(code: c_int) -> String {
    let mut buffer = [0_u8; 256];
    // SAFETY: the library writes at most `buffer.len()` bytes, and `regerror` accepts a null pointer as the expression.
    unsafe { libc::regerror(code, ptr::null(), buffer.as_mut_ptr().cast(), buffer.len()) };
    let text = CStr::from_bytes_until_nul(&buffer).unwrap_or_default();
    text.to_string_lossy().into_owned()
}

/// Sets the locale from the environment, as bash does when it starts. Only the first call has an effect.
///
/// The binary calls it before it starts any thread, because the locale belongs to the process. Patterns compiled before
/// keep the old locale. If a locale is not installed, the result is the same as in bash: `LANG` replaces it, and without
/// `LANG`, or with an invalid `LC_ALL`, the locale stays `C`.
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

/// Sets the locale; returns whether it exists.
fn set(category: c_int, locale: &CStr) -> bool {
    // SAFETY: `locale` ends in NUL and outlives the call. The caller of `adopt_locale` has started no thread yet; the
    // result is not kept.
    !unsafe { libc::setlocale(category, locale.as_ptr()) }.is_null()
}

/// An environment variable, if it is set and not empty.
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
