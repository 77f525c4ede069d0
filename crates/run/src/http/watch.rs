//! What ends requests that are under way when the run is to stop.

use std::io;
use std::os::fd::OwnedFd;
use std::thread::{self, JoinHandle};

use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};
use ureq::Agent;

use crate::stop::Stop;

/// Closes all connections as soon as the run is to stop, which ends whatever waits for them.
pub(super) struct Watch {
    quit: OwnedFd,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    pub(super) fn new(agent: Agent, stop: &Stop) -> io::Result<Watch> {
        let asked = stop.wake().try_clone_to_owned()?;
        let quit = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        let heard = quit.try_clone()?;
        let watch = move || {
            if is_asked(&asked, &heard) {
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

/// Waits for one of them, and says whether it is the first.
fn is_asked(asked: &OwnedFd, quit: &OwnedFd) -> bool {
    loop {
        let mut fds = [
            PollFd::new(asked, PollFlags::IN),
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
        // A counter that is full is readable all the same.
        let _ = rustix::io::write(&self.quit, &1_u64.to_ne_bytes());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
