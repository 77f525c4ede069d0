//! Descriptor 3, to which Bats tests write to bypass the captured output.

use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};

use rustix::io::{FdFlags, fcntl_dupfd_cloexec, fcntl_setfd};

/// Opens descriptor 3 as a duplicate of `stream`, inherited by every process that is started while the result lives.
///
/// Must be called before any other file is opened, because the number must be free. If descriptor 3 is already open, it
/// is left unchanged and the result is `None`.
pub fn open_fd3(stream: impl AsFd) -> Option<OwnedFd> {
    let three = fcntl_dupfd_cloexec(stream, 3).ok()?;
    if three.as_raw_fd() != 3 {
        return None;
    }
    fcntl_setfd(&three, FdFlags::empty()).ok()?;
    Some(three)
}
