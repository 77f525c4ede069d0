//! What comes from the controller.

use std::collections::VecDeque;
use std::io;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use crate::stop::StopToken;
use crate::workers::frame::Frame;
use crate::workers::local::LineSocket;
use parking_lot::{Mutex, MutexGuard};

/// A controller may think for as long as it likes.
const IDLE_TIMEOUT: Duration = Duration::from_secs(3600);

/// Frames for the thread that runs the tests. While it runs one, another thread can look what came.
pub(super) struct FrameReceiver(Mutex<Frames>);

struct Frames {
    channel: LineSocket,
    /// Came during a test and can wait for its end.
    early: VecDeque<Frame>,
    /// Nothing will come any more.
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

    /// Another way to send on the same channel.
    pub(super) fn sender(&self) -> io::Result<UnixStream> {
        self.frames().channel.sender()
    }

    /// The next frame; none when there will be no more that can be understood.
    pub(super) fn next(&self) -> Option<Frame> {
        let mut frames = self.frames();
        match frames.early.pop_front() {
            Some(frame) => Some(frame),
            None => frames.read(),
        }
    }

    /// Hears what came during a test. Between tests there is nothing to do: who waits for a frame gets it.
    pub(super) fn poll_stop(&self, stop: &StopToken) {
        let Some(mut frames) = self.0.try_lock() else {
            return;
        };
        while !frames.ended && frames.channel.is_readable() {
            match frames.read() {
                Some(Frame::Stop) => stop.request(),
                Some(frame) => frames.early.push_back(frame),
                // The controller is gone: nobody wants to know how the test ends.
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
