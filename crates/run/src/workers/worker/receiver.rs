//! [`FrameReceiver`]: receives frames from the controller.

use std::collections::VecDeque;
use std::io;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use crate::stop::StopToken;
use crate::workers::frame::Frame;
use crate::workers::local::LineSocket;
use parking_lot::{Mutex, MutexGuard};

/// The time between two tests is not limited, so this only bounds one read.
const IDLE_TIMEOUT: Duration = Duration::from_secs(3600);

/// Frames for the thread that runs the tests. During a test, another thread polls for stop requests.
pub(super) struct FrameReceiver(Mutex<Frames>);

struct Frames {
    channel: LineSocket,
    /// Frames that arrived during a test and are handled after it.
    early: VecDeque<Frame>,
    /// Whether the connection is closed.
    ended: bool,
}

impl FrameReceiver {
    pub(super) fn new(channel: LineSocket) -> FrameReceiver {
        FrameReceiver(Mutex::new(Frames {
            channel,
            early: VecDeque::new(),
            ended: false,
        }))
    }

    /// A second handle for sending.
    pub(super) fn sender(&self) -> io::Result<UnixStream> {
        self.frames().channel.sender()
    }

    /// Receives the next frame; `None` if the connection is closed or the line is invalid.
    pub(super) fn next(&self) -> Option<Frame> {
        let mut frames = self.frames();
        match frames.early.pop_front() {
            Some(frame) => Some(frame),
            None => frames.read(),
        }
    }

    /// Receives frames during a test. Between tests, [`FrameReceiver::next`] holds the lock and receives them itself.
    pub(super) fn poll_stop(&self, stop: &StopToken) {
        let Some(mut frames) = self.0.try_lock() else {
            return;
        };
        while !frames.ended && frames.channel.is_readable() {
            match frames.read() {
                Some(Frame::Stop) => stop.request(),
                Some(frame) => frames.early.push_back(frame),
                // The controller is gone, so the result of the test is not needed.
                None => {
                    stop.request();
                    stop.request();
                }
            }
        }
    }

    fn frames(&self) -> MutexGuard<'_, Frames> {
        self.0.lock()
    }
}

impl Frames {
    fn read(&mut self) -> Option<Frame> {
        let frame = loop {
            match self.channel.receive(IDLE_TIMEOUT) {
                Ok(Some(line)) => break serde_json::from_str(line).ok(),
                Ok(None) => {}
                Err(_) => break None,
            }
        };
        self.ended = frame.is_none();
        frame
    }
}
