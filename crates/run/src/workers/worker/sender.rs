//! [`FrameSender`]: sends events and frames to the controller.

use std::io::Write as _;
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use casebook_record::{Event, encode_line};
use parking_lot::{Mutex, MutexGuard};

use crate::workers::frame::Frame;

/// At most this many bytes are buffered.
const FLUSH_BYTES: usize = 1 << 16;

/// Sends to the controller; shared by all threads.
#[derive(Clone)]
pub(super) struct FrameSender(Arc<Mutex<SendBuffer>>);

struct SendBuffer {
    socket: UnixStream,
    /// Lines to be sent together.
    waiting: Vec<u8>,
}

impl FrameSender {
    pub(super) fn new(socket: UnixStream) -> FrameSender {
        FrameSender(Arc::new(Mutex::new(SendBuffer {
            socket,
            waiting: Vec::new(),
        })))
    }

    /// Sends a frame, after all buffered events.
    pub(super) fn send(&self, frame: &Frame) {
        let mut buffer = self.buffer();
        buffer.waiting.extend_from_slice(&frame.line());
        buffer.flush();
    }

    /// Buffers an event, to be sent with the next frame or at the next poll. Each send wakes the controller, which takes CPU
    /// time from the tests; most tests are finished before the next poll.
    pub(super) fn event(&self, event: &Event) {
        let mut buffer = self.buffer();
        encode_line(event, &mut buffer.waiting);
        if buffer.waiting.len() > FLUSH_BYTES {
            buffer.flush();
        }
    }

    fn buffer(&self) -> MutexGuard<'_, SendBuffer> {
        self.0.lock()
    }

    /// Sends the buffered events.
    pub(super) fn flush(&self) {
        self.buffer().flush();
    }
}

impl SendBuffer {
    /// Sends everything. A closed connection is noticed by the receiver.
    fn flush(&mut self) {
        if !self.waiting.is_empty() {
            let _ = self.socket.write_all(&self.waiting);
            self.waiting.clear();
        }
    }
}
