//! Events that are told of together.

use std::sync::{Mutex, PoisonError};

use casebook_record::Event;

use crate::evidence::Evidence;

/// Holds events back until something takes time: to put several down at once costs little more than to put down one.
pub(crate) struct Held<'a> {
    evidence: &'a dyn Evidence,
    events: Mutex<Vec<Event>>,
}

impl<'a> Held<'a> {
    pub(crate) fn new(evidence: &'a dyn Evidence) -> Held<'a> {
        Held {
            evidence,
            events: Mutex::default(),
        }
    }
}

impl Evidence for Held<'_> {
    fn publish(&self, event: Event) {
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        events.push(event);
    }

    fn flush(&self) {
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        let events = std::mem::take(&mut *events);
        if !events.is_empty() {
            self.evidence.publish_all(events);
        }
    }

    fn keeps_output(&self) -> bool {
        self.evidence.keeps_output()
    }

    fn keep_output(&self, example_id: &str, streams: &[(&str, &[u8])]) -> Option<String> {
        self.evidence.keep_output(example_id, streams)
    }

    fn warn(&self, message: &str) {
        self.evidence.warn(message);
    }

    fn learn(&self, exported: &[(String, String)]) {
        self.evidence.learn(exported);
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.flush();
    }
}

#[cfg(test)]
mod tests {
    use casebook_record::Time;
    use casebook_record::event::SuiteStopped;

    use super::*;

    /// How many events came at once, each time.
    #[derive(Default)]
    struct Heard(Mutex<Vec<usize>>);

    impl Evidence for Heard {
        fn publish(&self, event: Event) {
            self.publish_all(vec![event]);
        }

        fn publish_all(&self, events: Vec<Event>) {
            self.0.lock().unwrap().push(events.len());
        }

        fn keeps_output(&self) -> bool {
            false
        }

        fn keep_output(&self, _: &str, _: &[(&str, &[u8])]) -> Option<String> {
            None
        }

        fn warn(&self, _: &str) {}

        fn learn(&self, _: &[(String, String)]) {}
    }

    #[test]
    fn events_come_together_when_something_takes_time_and_none_is_forgotten() {
        let heard = Heard::default();
        let tell = |held: &Held<'_>| {
            let time = Time::from_millis(0);
            held.publish(SuiteStopped { time }.into());
        };
        let held = Held::new(&heard);
        tell(&held);
        tell(&held);
        held.flush();
        held.flush();
        tell(&held);
        let broken = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || {
            let _held = held;
            panic!("a check breaks");
        }));
        assert!(broken.is_err());
        assert_eq!(*heard.0.lock().unwrap(), [2, 1]);
    }
}
