//! Whether anything is there to read.

use std::os::fd::AsFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// Whether to read, or to accept, would not wait.
pub(crate) fn is_readable(stream: &impl AsFd) -> bool {
    let mut ready = [PollFd::new(stream, PollFlags::IN)];
    poll(&mut ready, Some(&Timespec::default())).is_ok_and(|count| count > 0)
}
