//! [`Subscriber`]: a listener with its queue and its failures.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::error::Error;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};
use std::thread::{self, JoinHandle};

use parking_lot::Mutex;

use super::failures::FailureLog;
use super::{EventFilter, InlineListener, Listener, ListenerError};
use crate::event::Event;
use crate::io_reason::io_reason;

pub(super) struct Subscriber {
    pub(super) id: u64,
    pub(super) interest: EventFilter,
    pub(super) failures: Arc<FailureLog>,
    pub(super) delivery: Delivery,
}

pub(super) enum Delivery {
    Inline(Box<dyn InlineListener>),
    Queued {
        queue: Mutex<Option<Queue>>,
        thread: Mutex<Option<JoinHandle<()>>>,
    },
}

pub(super) struct Queue {
    pub(super) messages: Sender<Message>,
    /// Wakes the listener's thread before its delay has passed. Dropping it does the same.
    pub(super) wake: Sender<()>,
}

pub(super) enum Message {
    Event(Arc<Event>),
    /// Acknowledged when everything before it has been handled.
    Flush(std::sync::mpsc::SyncSender<()>),
}

impl Subscriber {
    pub(super) fn wants(&self, event: &Event) -> bool {
        self.interest.matches(event)
    }

    /// Calls the listener with the events that match its filter.
    pub(super) fn deliver_inline(&self, listener: &dyn InlineListener, events: &[Arc<Event>]) {
        if events.iter().all(|event| self.wants(event)) {
            return self.call(|| listener.on_events(events), events.len());
        }
        for event in events.iter().filter(|event| self.wants(event)) {
            self.call(|| listener.on_event(event), 1);
        }
    }

    /// Adds the events that match the filter to the listener's queue.
    pub(super) fn enqueue(&self, queue: &Mutex<Option<Queue>>, events: &[Arc<Event>]) {
        let queue = queue.lock();
        for event in events.iter().filter(|event| self.wants(event)) {
            if let Some(queue) = &*queue {
                // The listener's thread receives until the queue is closed.
                let _ = queue.messages.send(Message::Event(Arc::clone(event)));
            }
        }
    }

    /// Calls the listener, unless this thread is already in a call of it: that could recurse without end.
    fn call(&self, call: impl FnOnce() -> Result<(), ListenerError>, events: usize) {
        let this = std::ptr::from_ref(self).addr();
        if CALLED_INLINE.with_borrow(|called| called.contains(&this)) {
            return self.failures.note(
                "published an event while it handled one; it did not receive that event".into(),
                events,
            );
        }
        CALLED_INLINE.with_borrow_mut(|called| called.push(this));
        deliver(call, events, &self.failures);
        CALLED_INLINE.with_borrow_mut(Vec::pop);
    }

    /// Closes the queue and waits for the thread, unless called on that thread.
    pub(super) fn end(&self) {
        let is_own_thread = self.is_this_thread();
        let Delivery::Queued { queue, thread } = &self.delivery else {
            return;
        };
        queue.lock().take();
        // Taken out first: the thread may lock this mutex in `is_this_thread` while this one waits for it.
        let thread = thread.lock().take();
        if let Some(thread) = thread.filter(|_| !is_own_thread) {
            let _ = thread.join();
        }
    }

    /// Whether the current thread is this listener's thread.
    pub(super) fn is_this_thread(&self) -> bool {
        let Delivery::Queued { thread, .. } = &self.delivery else {
            return false;
        };
        thread
            .lock()
            .as_ref()
            .is_some_and(|thread| thread.thread().id() == thread::current().id())
    }
}

/// Handles messages one by one. With a delay, waits before each batch so that more messages can arrive.
pub(super) fn drain_queue(
    messages: &Receiver<Message>,
    woken: &Receiver<()>,
    mut listener: Box<dyn Listener>,
    failures: &FailureLog,
) {
    let max_delay = listener.max_delay();
    while let Ok(first) = messages.recv() {
        if !max_delay.is_zero() {
            let _ = woken.recv_timeout(max_delay);
        }
        for message in std::iter::once(first).chain(messages.try_iter()) {
            match message {
                Message::Event(event) => deliver(|| listener.on_event(&event), 1, failures),
                Message::Flush(done) => {
                    let _ = done.send(());
                }
            }
        }
    }
}

fn deliver(call: impl FnOnce() -> Result<(), ListenerError>, events: usize, failures: &FailureLog) {
    let was_delivering = DELIVERING.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(call));
    DELIVERING.set(was_delivering);
    match outcome {
        Ok(Ok(())) => {}
        Ok(Err(error)) => failures.note(reason(&*error), events),
        Err(panic) => failures.note(format!("panicked: {}", panic_message(&*panic)), events),
    }
}

thread_local! {
    static DELIVERING: Cell<bool> = const { Cell::new(false) };
    /// The listeners that this thread is calling inline, outermost first.
    static CALLED_INLINE: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// Whether this thread is inside a listener. The bus reports a panic there, so a panic hook can stay silent.
pub fn is_delivering() -> bool {
    DELIVERING.get()
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("without a message")
}

fn reason(error: &(dyn Error + 'static)) -> String {
    let system = error.downcast_ref::<io::Error>();
    system.map_or_else(|| error.to_string(), io_reason)
}
