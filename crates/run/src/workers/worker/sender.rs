//! The way to the controller.

use std::io::Write as _;
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use casebook_record::{Event, encode_line};
use parking_lot::{Mutex, MutexGuard};

use crate::workers::frame::Frame;

/// So much waits at most to be sent with something else.
const FLUSH_BYTES: usize = 1 << 16;

/// The way to the controller, for all threads.
#[derive(Clone)]
pub(super) struct FrameSender(Arc<Mutex<SendBuffer>>);

struct SendBuffer {
    socket: UnixStream,
    /// Lines that need not be sent alone.
    waiting: Vec<u8>,
}

impl FrameSender {
    pub(super) fn new(socket: UnixStream) -> FrameSender {
        FrameSender(Arc::new(Mutex::new(SendBuffer {
            socket,
            waiting: Vec::new(),
        })))
    }

    /// Sends a frame, and all that has waited for it.
    pub(super) fn send(&self, frame: &Frame) {
        let mut way = self.way();
        way.waiting.extend_from_slice(&frame.line());
        way.flush();
    }

    /// Sends the event with what comes next, or in a moment. Whatever is sent wakes the controller, which takes time
    /// from the tests; most of them are over before that moment is.
    pub(super) fn event(&self, event: &Event) {
        let mut way = self.way();
        encode_line(event, &mut way.waiting);
        if way.waiting.len() > FLUSH_BYTES {
            way.flush();
        }
    }

    fn way(&self) -> MutexGuard<'_, SendBuffer> {
        self.0.lock()
    }

    /// Sends what waits.
    pub(super) fn flush(&self) {
        self.way().flush();
    }
}

impl SendBuffer {
    /// A controller that is gone is noticed where it is read from.
    fn flush(&mut self) {
        if !self.waiting.is_empty() {
            let _ = self.socket.write_all(&self.waiting);
            self.waiting.clear();
        }
    }
}
