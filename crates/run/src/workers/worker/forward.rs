//! [`ForwardingSink`]: sends the events of a worker to the controller.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use casebook_record::{Bus, Event, InlineListener, ListenerError, RunDir};

use super::sender::FrameSender;
use crate::event_sink::EventSink;
use crate::workers::frame::{Frame, SaveOutput};

/// The worker's event sink: everything goes to the controller.
pub(super) struct ForwardingSink {
    bus: Bus,
    out: FrameSender,
    keeps_output: bool,
    prefix: PathBuf,
    kept: AtomicU64,
}

impl ForwardingSink {
    pub(super) fn new(out: FrameSender, keeps_output: bool, prefix: PathBuf) -> ForwardingSink {
        let bus = Bus::new();
        bus.subscribe_inline(Forwarder { out: out.clone() });
        ForwardingSink {
            bus,
            out,
            keeps_output,
            prefix,
            kept: AtomicU64::new(0),
        }
    }

    fn write(&self, name: &str, bytes: &[u8]) -> io::Result<(String, String)> {
        let number = self.kept.fetch_add(1, Ordering::Relaxed);
        let mut path = self.prefix.clone().into_os_string();
        path.push(format!("output-{number}"));
        fs::write(&path, bytes)?;
        Ok((name.to_owned(), path.to_string_lossy().into_owned()))
    }
}

struct Forwarder {
    out: FrameSender,
}

impl InlineListener for Forwarder {
    fn name(&self) -> &'static str {
        "controller"
    }

    fn on_event(&self, event: &Event) -> Result<(), ListenerError> {
        self.out.event(event);
        Ok(())
    }
}

impl EventSink for ForwardingSink {
    fn publish(&self, event: Event) {
        self.bus.publish(event);
    }

    fn wants_full_output(&self) -> bool {
        self.keeps_output
    }

    fn save_output(&self, example_id: &str, streams: &[(&str, &[u8])]) -> Option<String> {
        if !self.keeps_output {
            return None;
        }
        let written = streams.iter().map(|(name, bytes)| self.write(name, bytes));
        let streams = written.collect::<io::Result<_>>().ok()?;
        self.out.send(&Frame::Keep(SaveOutput {
            example_id: example_id.to_owned(),
            streams,
        }));
        Some(RunDir::output_file(example_id))
    }

    fn warn(&self, message: &str) {
        self.out.send(&Frame::Warn(message.to_owned()));
    }

    fn register_secrets(&self, exported: &[(String, String)]) {
        self.out.send(&Frame::Learn(exported.to_vec()));
    }
}
