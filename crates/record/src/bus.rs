//! Publish and subscribe: delivers events to all subscribers.
//!
//! A subscriber is either an [`InlineListener`] or a [`Listener`]. An inline listener is called by the publishing
//! thread before [`Bus::publish`] returns; the journal and the builder are inline, because they must have an event
//! before anything else happens. A listener has its own thread and may be slow. Both receive the events of one
//! publishing thread in order. Their panics and errors never reach a publisher or another subscriber.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::error::Error;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use parking_lot::{Mutex, RwLock};

use crate::event::Event;

mod filter;

pub use filter::EventFilter;

/// An error of a listener. The bus reports it and continues to deliver events.
pub type ListenerError = Box<dyn Error + Send + Sync>;

/// A listener called synchronously by the publishing thread: journal, builder. Publishing threads call it
/// concurrently, so that none of them waits for another.
pub trait InlineListener: Send + Sync {
    /// Its name in failure reports.
    fn name(&self) -> &'static str;

    /// The events to deliver to it.
    fn interest(&self) -> EventFilter {
        EventFilter::ALL
    }

    /// Handles one event.
    fn on_event(&self, event: &Event) -> Result<(), ListenerError>;

    /// Handles events that were published together, all of which match its filter. After an error, none of them
    /// counts as handled.
    fn on_events(&self, events: &[Arc<Event>]) -> Result<(), ListenerError> {
        events.iter().try_for_each(|event| self.on_event(event))
    }
}

/// A listener called on its own thread: reports.
pub trait Listener: Send {
    /// Its name in failure reports.
    fn name(&self) -> &'static str;

    /// The events to deliver to it.
    fn interest(&self) -> EventFilter {
        EventFilter::ALL
    }

    /// The longest time that events may wait in the queue. A longer delay avoids a wake-up of the thread per event,
    /// which costs the publisher more than most deliveries do.
    fn max_delay(&self) -> Duration {
        Duration::ZERO
    }

    /// Handles one event, which it may keep.
    fn on_event(&mut self, event: &Arc<Event>) -> Result<(), ListenerError>;
}

/// Identifies a subscription for [`Bus::unsubscribe`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Subscription(u64);

/// A subscriber that panicked or returned an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListenerFailure {
    /// The listener's name.
    pub listener: &'static str,
    /// Its first error or panic message.
    pub first: String,
    /// How many events it failed to handle.
    pub count: u64,
}

/// Delivers published events to its subscribers until it is closed.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicUsize, Ordering};
///
/// use casebook_record::event::SuiteStopped;
/// use casebook_record::{Bus, Event, Listener, ListenerError, RunBuilder, Time};
///
/// struct Count(Arc<AtomicUsize>);
///
/// impl Listener for Count {
///     fn name(&self) -> &'static str {
///         "count"
///     }
///     fn on_event(&mut self, _: &Arc<Event>) -> Result<(), ListenerError> {
///         self.0.fetch_add(1, Ordering::Relaxed);
///         Ok(())
///     }
/// }
///
/// let bus = Bus::new();
/// let builder = RunBuilder::new("run-1");
/// let count = Arc::default();
/// bus.subscribe_inline(builder.clone());
/// bus.subscribe(Count(Arc::clone(&count)))?;
///
/// bus.publish(SuiteStopped { time: Time::from_millis(0) });
///
/// assert!(bus.close().is_empty(), "no listener failed");
/// assert_eq!(count.load(Ordering::Relaxed), 1);
/// assert_eq!(builder.close().unwrap().run_id, "run-1");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Default)]
pub struct Bus {
    // Replaced, never modified, so that publishing holds no lock while it delivers.
    subscribers: RwLock<Subscribers>,
    next: AtomicU64,
    on_failure: Option<FailureHandler>,
    // Failures of subscriptions that have ended.
    ended_failures: Mutex<Vec<ListenerFailure>>,
}

type Subscribers = Arc<[Arc<Subscriber>]>;
type FailureHandler = Arc<dyn Fn(&ListenerFailure) + Send + Sync>;

struct Subscriber {
    id: u64,
    interest: EventFilter,
    failures: Arc<FailureLog>,
    delivery: Delivery,
}

enum Delivery {
    Inline(Box<dyn InlineListener>),
    Queued {
        queue: Mutex<Option<Queue>>,
        thread: Mutex<Option<JoinHandle<()>>>,
    },
}

struct Queue {
    messages: Sender<Message>,
    /// Wakes the listener's thread before its delay has passed. Dropping it does the same.
    wake: Sender<()>,
}

enum Message {
    Event(Arc<Event>),
    /// Acknowledged when everything before it has been handled.
    Flush(std::sync::mpsc::SyncSender<()>),
}

impl Bus {
    /// A bus without subscribers.
    pub fn new() -> Bus {
        Bus::default()
    }

    /// A bus that calls `on_failure` with each subscriber's first failure as it happens.
    pub fn with_failure_handler(
        on_failure: impl Fn(&ListenerFailure) + Send + Sync + 'static,
    ) -> Bus {
        let mut bus = Bus::new();
        bus.on_failure = Some(Arc::new(on_failure));
        bus
    }

    /// Subscribes a listener and starts its thread, which the system may refuse. Its queue is unbounded.
    pub fn subscribe(&self, listener: impl Listener + 'static) -> io::Result<Subscription> {
        let (sender, messages) = channel();
        let (wake, woken) = channel();
        let failures = self.failure_log(listener.name());
        let interest = listener.interest();
        let thread = thread::Builder::new().name(listener.name().into()).spawn({
            let failures = Arc::clone(&failures);
            move || drain_queue(&messages, &woken, Box::new(listener), &failures)
        })?;
        let delivery = Delivery::Queued {
            queue: Mutex::new(Some(Queue {
                messages: sender,
                wake,
            })),
            thread: Mutex::new(Some(thread)),
        };
        Ok(self.add(interest, failures, delivery))
    }

    /// Subscribes an inline listener, which the publishing threads call. It must be fast.
    pub fn subscribe_inline(&self, listener: impl InlineListener + 'static) -> Subscription {
        let failures = self.failure_log(listener.name());
        self.add(
            listener.interest(),
            failures,
            Delivery::Inline(Box::new(listener)),
        )
    }

    /// Ends a subscription. Events published before still reach it.
    pub fn unsubscribe(&self, subscription: Subscription) {
        let mut removed = None;
        self.change(|subscribers| {
            let (mut matching, others): (Vec<_>, _) = subscribers
                .into_iter()
                .partition(|one| one.id == subscription.0);
            removed = matching.pop();
            others
        });
        if let Some(removed) = removed {
            removed.end();
            self.ended_failures
                .lock()
                .extend(removed.failures.failure());
        }
    }

    /// Delivers an event to the subscribers whose filter matches. An event that a listener publishes while it is
    /// called inline reaches all subscribers except itself.
    pub fn publish(&self, event: impl Into<Event>) {
        self.publish_all(vec![event.into()]);
    }

    /// Delivers several events in order. Inline listeners receive them in one call where possible.
    pub fn publish_all(&self, events: Vec<Event>) {
        let events: Vec<_> = events.into_iter().map(Arc::new).collect();
        let subscribers = self.subscribers();
        for subscriber in &*subscribers {
            if let Delivery::Inline(listener) = &subscriber.delivery {
                subscriber.deliver_inline(&**listener, &events);
            }
        }
        for subscriber in &*subscribers {
            if let Delivery::Queued { queue, .. } = &subscriber.delivery {
                subscriber.enqueue(queue, &events);
            }
        }
    }

    /// Waits until every subscriber has handled everything published so far.
    pub fn flush(&self) {
        for subscriber in &*self.subscribers() {
            if let Delivery::Queued { queue, .. } = &subscriber.delivery
                && !subscriber.is_this_thread()
            {
                let (done, waiting) = sync_channel(1);
                let sent = queue.lock().as_ref().is_some_and(|queue| {
                    // The message first: a thread woken before the message arrived would wait for its full delay
                    // again.
                    let sent = queue.messages.send(Message::Flush(done)).is_ok();
                    let _ = queue.wake.send(());
                    sent
                });
                if sent {
                    let _ = waiting.recv();
                }
            }
        }
    }

    /// Waits for all subscribers to finish, ends all subscriptions and returns their failures.
    pub fn close(&self) -> Vec<ListenerFailure> {
        let mut subscribers = Vec::new();
        self.change(|all| {
            subscribers = all;
            Vec::new()
        });
        let mut failures = std::mem::take(&mut *self.ended_failures.lock());
        for subscriber in subscribers {
            subscriber.end();
            failures.extend(subscriber.failures.failure());
        }
        failures
    }

    fn failure_log(&self, listener: &'static str) -> Arc<FailureLog> {
        Arc::new(FailureLog {
            listener,
            count: AtomicU64::new(0),
            first: Mutex::new(None),
            on_failure: self.on_failure.clone(),
        })
    }

    fn add(
        &self,
        interest: EventFilter,
        failures: Arc<FailureLog>,
        delivery: Delivery,
    ) -> Subscription {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let subscriber = Arc::new(Subscriber {
            id,
            interest,
            failures,
            delivery,
        });
        self.change(|mut subscribers| {
            subscribers.push(subscriber);
            subscribers
        });
        Subscription(id)
    }

    fn subscribers(&self) -> Subscribers {
        Arc::clone(&self.subscribers.read())
    }

    fn change(&self, change: impl FnOnce(Vec<Arc<Subscriber>>) -> Vec<Arc<Subscriber>>) {
        let mut subscribers = self.subscribers.write();
        *subscribers = change(subscribers.to_vec()).into();
    }
}

impl Drop for Bus {
    fn drop(&mut self) {
        self.close();
    }
}

impl Subscriber {
    fn wants(&self, event: &Event) -> bool {
        self.interest.matches(event)
    }

    /// Calls the listener with the events that match its filter.
    fn deliver_inline(&self, listener: &dyn InlineListener, events: &[Arc<Event>]) {
        if events.iter().all(|event| self.wants(event)) {
            return self.call(|| listener.on_events(events), events.len());
        }
        for event in events.iter().filter(|event| self.wants(event)) {
            self.call(|| listener.on_event(event), 1);
        }
    }

    /// Adds the events that match the filter to the listener's queue.
    fn enqueue(&self, queue: &Mutex<Option<Queue>>, events: &[Arc<Event>]) {
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
    fn end(&self) {
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
    fn is_this_thread(&self) -> bool {
        let Delivery::Queued { thread, .. } = &self.delivery else {
            return false;
        };
        thread
            .lock()
            .as_ref()
            .is_some_and(|thread| thread.thread().id() == thread::current().id())
    }
}

struct FailureLog {
    listener: &'static str,
    count: AtomicU64,
    first: Mutex<Option<String>>,
    on_failure: Option<FailureHandler>,
}

impl FailureLog {
    fn note(&self, message: String, events: usize) {
        if self.count.fetch_add(events as u64, Ordering::Relaxed) == 0 {
            *self.first.lock() = Some(message);
            if let (Some(on_failure), Some(failure)) = (&self.on_failure, self.failure()) {
                // A panic of the failure handler must not reach the publisher.
                let _ = catch_unwind(AssertUnwindSafe(|| on_failure(&failure)));
            }
        }
    }

    fn failure(&self) -> Option<ListenerFailure> {
        let first = self.first.lock().clone()?;
        Some(ListenerFailure {
            listener: self.listener,
            first,
            count: self.count.load(Ordering::Relaxed),
        })
    }
}

/// Handles messages one by one. With a delay, waits before each batch so that more messages can arrive.
fn drain_queue(
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
        Ok(Err(error)) => failures.note(error.to_string(), events),
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
