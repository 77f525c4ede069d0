//! Pattern matching in bounded time.
//!
//! The system's regex library may take time quadratic in the length of the text, and it cannot be interrupted.

use std::ops::Range;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use casebook_suite::ere::Ere;

/// Texts up to this many bytes are matched without a thread, because no pattern takes long on them.
const SHORT: usize = 4 << 10;
/// The timeout of a match.
const LIMIT: Duration = Duration::from_secs(10);

/// Why a pattern could not be matched.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MatchError {
    #[error("the pattern takes more than {} seconds on {bytes} bytes; simplify it or shorten the output", LIMIT.as_secs())]
    Slow { bytes: usize },
    #[error("invalid pattern: {0}")]
    Bad(String),
}

/// The ranges of a match and its groups; `None` for a group that took no part in it.
pub(super) type Groups = Vec<Option<Range<usize>>>;

/// Returns the offset of the first match.
pub(super) fn check(
    pattern: &str,
    text: &[u8],
    ignore_case: bool,
) -> Result<Option<usize>, MatchError> {
    let groups = groups(pattern, text, ignore_case)?;
    let complete = groups.and_then(|mut groups| groups.swap_remove(0));
    Ok(complete.map(|complete| complete.start))
}

/// Returns the range of the first match.
pub(crate) fn find_first(pattern: &str, text: &[u8]) -> Result<Option<Range<usize>>, MatchError> {
    let groups = find(pattern, text)?;
    Ok(groups.and_then(|mut groups| groups.swap_remove(0)))
}

/// Returns the first match and its groups.
pub(super) fn find(pattern: &str, text: &[u8]) -> Result<Option<Groups>, MatchError> {
    groups(pattern, text, false)
}

fn groups(pattern: &str, text: &[u8], ignore_case: bool) -> Result<Option<Groups>, MatchError> {
    let pattern = pattern.to_owned();
    within_limit(text, move |text| find_now(&pattern, text, ignore_case))
}

/// The result of matching, or an error if it takes too long.
pub(super) fn within_limit<R: Send + 'static>(
    text: &[u8],
    find: impl FnOnce(&[u8]) -> Result<R, MatchError> + Send + 'static,
) -> Result<R, MatchError> {
    if text.len() <= SHORT {
        return find(text);
    }
    let (sender, receiver) = channel();
    thread::spawn({
        let text = text.to_owned();
        // Sending fails after the timeout, because the receiver is gone.
        move || drop(sender.send(find(&text)))
    });
    match receiver.recv_timeout(LIMIT) {
        Ok(result) => result,
        Err(RecvTimeoutError::Timeout) => Err(MatchError::Slow { bytes: text.len() }),
        Err(RecvTimeoutError::Disconnected) => Err(MatchError::Bad("matching crashed".into())),
    }
}

/// Whether the pattern matches; false also on an error.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    check(pattern, text.as_bytes(), false).is_ok_and(|found| found.is_some())
}

fn find_now(pattern: &str, text: &[u8], ignore_case: bool) -> Result<Option<Groups>, MatchError> {
    let compile = if ignore_case {
        Ere::ignoring_case
    } else {
        Ere::new
    };
    let pattern = compile(pattern).map_err(|error| MatchError::Bad(error.to_string()))?;
    Ok(pattern.groups(text))
}
