//! Whether a descriptor is readable.

use std::os::fd::AsFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// Whether a read or accept would return immediately.
pub(crate) fn is_readable(stream: &impl AsFd) -> bool {
    let mut ready = [PollFd::new(stream, PollFlags::IN)];
    poll(&mut ready, Some(&Timespec::default())).is_ok_and(|count| count > 0)
}
