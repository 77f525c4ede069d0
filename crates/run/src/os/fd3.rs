//! Descriptor 3, on which tests of Bats talk past their captured output.

use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};

use rustix::io::{FdFlags, fcntl_dupfd_cloexec, fcntl_setfd};

/// Opens descriptor 3 as another way to that stream, for every process that is started while the result is held.
///
/// Asked before anything else is opened, because the number must be free. Where somebody has given us a descriptor 3
/// already, it stays what it is.
pub fn open_fd3(stream: impl AsFd) -> Option<OwnedFd> {
    let three = fcntl_dupfd_cloexec(stream, 3).ok()?;
    if three.as_raw_fd() != 3 {
        return None;
    }
    fcntl_setfd(&three, FdFlags::empty()).ok()?;
    Some(three)
}
