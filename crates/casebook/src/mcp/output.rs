//! [`Output`]: writes messages to the client, one per line.

use std::fs::File;
use std::io::Write as _;
use std::os::fd::AsFd as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::{Value, json};

/// The client's end. Messages wait for a client that does not read; the server does not.
pub(super) struct Output {
    lines: Sender<String>,
    file: File,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    waiting: AtomicUsize,
    is_closed: AtomicBool,
}

impl Output {
    /// Begins to write. `closed` is called if the client does not read any more.
    pub(super) fn new(
        mut file: File,
        closed: impl FnOnce() + Send + 'static,
    ) -> std::io::Result<Output> {
        let (lines, waiting) = channel::<String>();
        let state = Arc::new(State::default());
        let output = Output {
            lines,
            file: file.try_clone()?,
            state: Arc::clone(&state),
        };
        thread::spawn(move || {
            for line in waiting {
                if file.write_all(line.as_bytes()).is_err() {
                    state.is_closed.store(true, Ordering::SeqCst);
                    return closed();
                }
                state.waiting.fetch_sub(1, Ordering::SeqCst);
            }
        });
        Ok(output)
    }

    pub(super) fn send(&self, message: &Value) {
        let mut line = message.to_string();
        line.push('\n');
        self.state.waiting.fetch_add(1, Ordering::SeqCst);
        // The thread has ended if the client does not read any more.
        let _ = self.lines.send(line);
    }

    pub(super) fn notify(&self, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Whether the client has everything.
    pub(super) fn is_written(&self) -> bool {
        self.state.waiting.load(Ordering::SeqCst) == 0
    }

    /// Whether the client does not read any more.
    pub(super) fn is_closed(&self) -> bool {
        let mut ends = [PollFd::from_borrowed_fd(
            self.file.as_fd(),
            PollFlags::empty(),
        )];
        let at_once = Timespec::default();
        let has_error = poll(&mut ends, Some(&at_once)).is_ok_and(|count| count > 0);
        has_error || self.state.is_closed.load(Ordering::SeqCst)
    }
}
