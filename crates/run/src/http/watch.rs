//! Ends requests that are in progress when the run stops.

use std::io;
use std::os::fd::OwnedFd;
use std::thread::{self, JoinHandle};

use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};
use ureq::Agent;

use crate::stop::StopToken;

/// Closes all connections of an agent as soon as the run stops, which ends the requests that wait for a response.
pub(super) struct Watch {
    quit: OwnedFd,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    pub(super) fn new(agent: Agent, stop: &StopToken) -> io::Result<Watch> {
        let stop_fd = stop.wake().try_clone_to_owned()?;
        let quit = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        let quit_fd = quit.try_clone()?;
        let watch = move || {
            if is_stop_requested(&stop_fd, &quit_fd) {
                agent.shutdown();
            }
        };
        let thread = thread::Builder::new().name("http stop".to_owned());
        Ok(Watch {
            quit,
            thread: Some(thread.spawn(watch)?),
        })
    }
}

/// Waits until one of the two is readable. Returns whether it is `stop_fd`.
fn is_stop_requested(stop_fd: &OwnedFd, quit: &OwnedFd) -> bool {
    loop {
        let mut fds = [
            PollFd::new(stop_fd, PollFlags::IN),
            PollFd::new(quit, PollFlags::IN),
        ];
        match poll(&mut fds, None) {
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return false,
            Ok(_) => return !fds[0].revents().is_empty(),
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // A full counter is readable too, so a failed write does no harm.
        let _ = rustix::io::write(&self.quit, &1_u64.to_ne_bytes());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
