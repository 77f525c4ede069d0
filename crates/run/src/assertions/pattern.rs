//! Matching in bounded time.
//!
//! The system's library may take time that grows with the square of the text, and it cannot be interrupted.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use casebook_suite::ere::Ere;

/// A text so short that no pattern takes long.
const SHORT: usize = 4 << 10;
/// Nobody waits longer for a verdict.
const LIMIT: Duration = Duration::from_secs(10);

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum MatchError {
    #[error("the pattern takes more than {} seconds on {bytes} bytes: make it simpler, or the output shorter", LIMIT.as_secs())]
    Slow { bytes: usize },
    #[error("the pattern cannot be used: {0}")]
    Bad(String),
}

/// Where the pattern matches first.
pub(super) fn check(pattern: &str, text: &[u8]) -> Result<Option<usize>, MatchError> {
    if text.len() <= SHORT {
        return find_now(pattern, text);
    }
    let (answer, answered) = channel();
    thread::spawn({
        let (pattern, text) = (pattern.to_owned(), text.to_owned());
        // Nobody may be there any more to be answered.
        move || drop(answer.send(find_now(&pattern, &text)))
    });
    match answered.recv_timeout(LIMIT) {
        Ok(answer) => answer,
        Err(RecvTimeoutError::Timeout) => Err(MatchError::Slow { bytes: text.len() }),
        Err(RecvTimeoutError::Disconnected) => Err(MatchError::Bad("matching broke off".into())),
    }
}

/// Whether the pattern matches; no, if that cannot be told.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    check(pattern, text.as_bytes()).is_ok_and(|found| found.is_some())
}

fn find_now(pattern: &str, text: &[u8]) -> Result<Option<usize>, MatchError> {
    let pattern = Ere::new(pattern).map_err(|error| MatchError::Bad(error.to_string()))?;
    Ok(pattern.find(text).map(|found| found.start))
}
