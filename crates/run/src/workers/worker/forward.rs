//! What happens in a worker, on its way to the controller.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use casebook_record::{Bus, Event, ListenerError, RunFolder, Witness};

use super::outlet::Outlet;
use crate::evidence::Evidence;
use crate::workers::frame::{Frame, Keep};

/// The worker's own bus: everything on it goes to the controller.
pub(super) struct Forward {
    bus: Bus,
    out: Outlet,
    keeps_output: bool,
    prefix: PathBuf,
    kept: AtomicU64,
}

impl Forward {
    pub(super) fn new(out: Outlet, keeps_output: bool, prefix: PathBuf) -> Forward {
        let bus = Bus::new();
        bus.subscribe_inline(Forwarder { out: out.clone() });
        Forward {
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
    out: Outlet,
}

impl Witness for Forwarder {
    fn name(&self) -> &'static str {
        "controller"
    }

    fn on_event(&self, event: &Event) -> Result<(), ListenerError> {
        self.out.event(event);
        Ok(())
    }
}

impl Evidence for Forward {
    fn publish(&self, event: Event) {
        self.bus.publish(event);
    }

    fn keeps_output(&self) -> bool {
        self.keeps_output
    }

    fn keep_output(&self, example_id: &str, streams: &[(&str, &[u8])]) -> Option<String> {
        if !self.keeps_output {
            return None;
        }
        let written = streams.iter().map(|(name, bytes)| self.write(name, bytes));
        let streams = written.collect::<io::Result<_>>().ok()?;
        self.out.send(&Frame::Keep(Keep {
            example_id: example_id.to_owned(),
            streams,
        }));
        Some(RunFolder::output_file(example_id))
    }

    fn warn(&self, message: &str) {
        self.out.send(&Frame::Warn(message.to_owned()));
    }

    fn learn(&self, exported: &[(String, String)]) {
        self.out.send(&Frame::Learn(exported.to_vec()));
    }
}
