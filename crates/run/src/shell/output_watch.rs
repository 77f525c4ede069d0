//! [`OutputWatch`]: reports what a command has written while it runs.

use std::time::{Duration, Instant};

use super::process::MonitoredProcess;

/// How often output is reported.
const INTERVAL: Duration = Duration::from_secs(1);

/// Receives the streams of a command so far.
pub(crate) type OutputObserver<'a> = &'a dyn Fn(&[&[u8]]);

/// Reports the output of a process once a second if it has grown.
pub(crate) struct OutputWatch<'a> {
    observer: OutputObserver<'a>,
    /// The time limit of the command.
    until: Option<Instant>,
    next: Instant,
    reported: usize,
}

impl<'a> OutputWatch<'a> {
    pub(crate) fn new(
        now: Instant,
        until: Option<Instant>,
        observer: OutputObserver<'a>,
    ) -> OutputWatch<'a> {
        OutputWatch {
            observer,
            until,
            next: now + INTERVAL,
            reported: 0,
        }
    }

    /// When to stop waiting for the process: to report, or because of its time limit.
    pub(crate) fn wake_up_at(&self) -> Instant {
        self.until.map_or(self.next, |until| until.min(self.next))
    }

    /// Reports the output, unless the time limit of the command has passed: then it returns false.
    pub(crate) fn report(&mut self, process: &MonitoredProcess<'_>) -> bool {
        let now = process.now();
        if self.until.is_some_and(|until| now >= until) {
            return false;
        }
        self.next = now + INTERVAL;
        let streams = process.captured_so_far();
        let length = streams.iter().map(|stream| stream.len()).sum();
        if length > self.reported {
            self.reported = length;
            (self.observer)(&streams);
        }
        true
    }
}
