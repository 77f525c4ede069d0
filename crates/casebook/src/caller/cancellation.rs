//! [`Cancellation`]: requests that a called command stops, as signals do for a command in a terminal.

use parking_lot::Mutex;

type Subscriber = Box<dyn Fn(usize) + Send>;

/// The first request stops the command and lets it clean up, the second kills everything.
#[derive(Default)]
pub(crate) struct Cancellation(Mutex<State>);

#[derive(Default)]
struct State {
    requests: usize,
    subscribers: Vec<Subscriber>,
}

impl Cancellation {
    /// Calls this for each request, with the number of earlier ones; also for requests of the past.
    pub(crate) fn subscribe(&self, subscriber: impl Fn(usize) + Send + 'static) {
        let mut state = self.0.lock();
        (0..state.requests).for_each(&subscriber);
        state.subscribers.push(Box::new(subscriber));
    }

    /// Adds a request.
    pub(crate) fn request(&self) {
        let mut state = self.0.lock();
        let before = state.requests;
        state.requests += 1;
        for subscriber in &state.subscribers {
            subscriber(before);
        }
    }

    /// Stops the command and kills its processes.
    pub(crate) fn kill(&self) {
        self.request();
        self.request();
    }

    pub(crate) fn is_requested(&self) -> bool {
        self.0.lock().requests > 0
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn late_subscribers_hear_of_earlier_requests() {
        let cancellation = Cancellation::default();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let subscribe = || {
            let heard = Arc::clone(&heard);
            cancellation.subscribe(move |count| heard.lock().push(count));
        };
        subscribe();
        assert!(!cancellation.is_requested());
        cancellation.kill();
        subscribe();
        assert!(cancellation.is_requested());
        assert_eq!(*heard.lock(), [0, 1, 0, 1]);
    }
}
