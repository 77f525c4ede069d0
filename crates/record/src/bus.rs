//! Publish and subscribe: delivers events to all subscribers.
//!
//! A subscriber is either an [`InlineListener`] or a [`Listener`]. An inline listener is called by the publishing
//! thread before [`Bus::publish`] returns; the journal and the builder are inline, because they must have an event
//! before anything else happens. A listener has its own thread and may be slow. Both receive the events of one
//! publishing thread in order. Their panics and errors never reach a publisher or another subscriber.

use std::error::Error;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{channel, sync_channel};
use std::thread;
use std::time::Duration;

use parking_lot::{Mutex, RwLock};

use crate::event::Event;

mod failures;
mod filter;
mod subscriber;

use self::failures::FailureLog;
pub use self::filter::EventFilter;
pub use self::subscriber::is_delivering;
use self::subscriber::{Delivery, Message, Queue, Subscriber, drain_queue};

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
