//! Publish and subscribe: how events reach everyone who listens.
//!
//! A subscriber is either a [`Witness`] (called by the publishing thread before [`Bus::publish`] returns: the journal
//! and the builder, which must have an event before anything else happens) or a [`Listener`] with a *thread of its own*,
//! which may be as slow as it likes. Either way it gets the events of one publishing thread in their order, and neither
//! its panics nor its errors reach a publisher or another subscriber.

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

/// What a listener may come back with; the bus reports it and goes on.
pub type ListenerError = Box<dyn Error + Send + Sync>;

/// Something that must know what happens before anything else does: journal, builder. It is called by all publishing
/// threads at once, so that none waits for what another does with an event.
pub trait InlineListener: Send + Sync {
    /// What it is called when it makes trouble.
    fn name(&self) -> &'static str;

    /// Which events it wants.
    fn interest(&self) -> EventFilter {
        EventFilter::ALL
    }

    /// Takes one event.
    fn on_event(&self, event: &Event) -> Result<(), ListenerError>;

    /// Takes events that were published together, all of which it wants. If it fails, none of them counts as taken.
    fn on_events(&self, events: &[Arc<Event>]) -> Result<(), ListenerError> {
        events.iter().try_for_each(|event| self.on_event(event))
    }
}

/// Something that wants to know what happens: reports.
pub trait Listener: Send {
    /// What it is called when it makes trouble.
    fn name(&self) -> &'static str;

    /// Which events it wants.
    fn interest(&self) -> EventFilter {
        EventFilter::ALL
    }

    /// How long events may lie in the queue. Who can wait is not woken for each of them, which costs the publisher
    /// more than telling of most of them does.
    fn max_delay(&self) -> Duration {
        Duration::ZERO
    }

    /// Takes one event, which it may keep.
    fn on_event(&mut self, event: &Arc<Event>) -> Result<(), ListenerError>;
}

/// Names one subscription, to end it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Subscription(u64);

/// A subscriber that panicked or returned an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListenerFailure {
    /// The listener's name.
    pub listener: &'static str,
    /// What it said the first time.
    pub first: String,
    /// How many events it could not take.
    pub count: u64,
}

/// A bus: a value that whoever runs tests makes, hands around and closes.
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
/// assert!(bus.close().is_empty(), "no listener made trouble");
/// assert_eq!(count.load(Ordering::Relaxed), 1);
/// assert_eq!(builder.close().unwrap().run_id, "run-1");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Default)]
pub struct Bus {
    // Replaced as a whole, so that publishing holds no lock while it delivers.
    subscribers: RwLock<Subscribers>,
    next: AtomicU64,
    on_trouble: Option<OnTrouble>,
    // What ended subscriptions left behind.
    ended: Mutex<Vec<ListenerFailure>>,
}

type Subscribers = Arc<[Arc<Subscriber>]>;
type OnTrouble = Arc<dyn Fn(&ListenerFailure) + Send + Sync>;

struct Subscriber {
    id: u64,
    interest: EventFilter,
    faults: Arc<FailureLog>,
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
    /// Ends the patience of the listener's thread, and so does its end.
    hurry: Sender<()>,
}

enum Message {
    Event(Arc<Event>),
    /// Answered when everything before it has been taken.
    Flush(std::sync::mpsc::SyncSender<()>),
}

impl Bus {
    /// A bus without subscribers.
    pub fn new() -> Bus {
        Bus::default()
    }

    /// A bus that tells about each subscriber's first trouble as it happens.
    pub fn with_failure_handler(
        on_trouble: impl Fn(&ListenerFailure) + Send + Sync + 'static,
    ) -> Bus {
        let mut bus = Bus::new();
        bus.on_trouble = Some(Arc::new(on_trouble));
        bus
    }

    /// Subscribes a listener with a thread of its own, which the system may refuse. Its queue is as long as it is slow.
    pub fn subscribe(&self, listener: impl Listener + 'static) -> io::Result<Subscription> {
        let (sender, messages) = channel();
        let (hurry, hurried) = channel();
        let faults = self.faults(listener.name());
        let interest = listener.interest();
        let thread = thread::Builder::new().name(listener.name().into()).spawn({
            let faults = Arc::clone(&faults);
            move || drain_queue(&messages, &hurried, Box::new(listener), &faults)
        })?;
        let delivery = Delivery::Queued {
            queue: Mutex::new(Some(Queue {
                messages: sender,
                hurry,
            })),
            thread: Mutex::new(Some(thread)),
        };
        Ok(self.add(interest, faults, delivery))
    }

    /// Subscribes a witness, which the publishing threads call themselves. It must be quick.
    pub fn subscribe_inline(&self, witness: impl InlineListener + 'static) -> Subscription {
        let faults = self.faults(witness.name());
        self.add(
            witness.interest(),
            faults,
            Delivery::Inline(Box::new(witness)),
        )
    }

    /// Ends a subscription; what was published before still reaches it.
    pub fn unsubscribe(&self, subscription: Subscription) {
        let mut ended = None;
        self.change(|subscribers| {
            let (mut gone, kept): (Vec<_>, _) = subscribers
                .into_iter()
                .partition(|one| one.id == subscription.0);
            ended = gone.pop();
            kept
        });
        if let Some(ended) = ended {
            ended.end();
            self.ended.lock().extend(ended.faults.trouble());
        }
    }

    /// Tells everyone who is interested. What a listener publishes while it is called inline reaches all but itself.
    pub fn publish(&self, event: impl Into<Event>) {
        self.publish_all(vec![event.into()]);
    }

    /// Tells of several events in their order, which witnesses take together where they can.
    pub fn publish_all(&self, events: Vec<Event>) {
        let events: Vec<_> = events.into_iter().map(Arc::new).collect();
        let subscribers = self.subscribers();
        for subscriber in &*subscribers {
            if let Delivery::Inline(witness) = &subscriber.delivery {
                subscriber.deliver_inline(&**witness, &events);
            }
        }
        for subscriber in &*subscribers {
            if let Delivery::Queued { queue, .. } = &subscriber.delivery {
                subscriber.enqueue(queue, &events);
            }
        }
    }

    /// Waits until every subscriber has taken what has been published so far.
    pub fn flush(&self) {
        for subscriber in &*self.subscribers() {
            if let Delivery::Queued { queue, .. } = &subscriber.delivery
                && !subscriber.is_this_thread()
            {
                let (done, waiting) = sync_channel(1);
                let sent = queue.lock().as_ref().is_some_and(|queue| {
                    // The message first: hurried before it is there, the listener would find it and be patient anew.
                    let sent = queue.messages.send(Message::Flush(done)).is_ok();
                    let _ = queue.hurry.send(());
                    sent
                });
                if sent {
                    let _ = waiting.recv();
                }
            }
        }
    }

    /// Lets every subscriber finish, ends all subscriptions and tells what trouble there was.
    pub fn close(&self) -> Vec<ListenerFailure> {
        let mut subscribers = Vec::new();
        self.change(|all| {
            subscribers = all;
            Vec::new()
        });
        let mut troubles = std::mem::take(&mut *self.ended.lock());
        for subscriber in subscribers {
            subscriber.end();
            troubles.extend(subscriber.faults.trouble());
        }
        troubles
    }

    fn faults(&self, listener: &'static str) -> Arc<FailureLog> {
        Arc::new(FailureLog {
            listener,
            count: AtomicU64::new(0),
            first: Mutex::new(None),
            on_trouble: self.on_trouble.clone(),
        })
    }

    fn add(
        &self,
        interest: EventFilter,
        faults: Arc<FailureLog>,
        delivery: Delivery,
    ) -> Subscription {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let subscriber = Arc::new(Subscriber {
            id,
            interest,
            faults,
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

    /// Calls the witness with those that it wants.
    fn deliver_inline(&self, witness: &dyn InlineListener, events: &[Arc<Event>]) {
        if events.iter().all(|event| self.wants(event)) {
            return self.call(|| witness.on_events(events), events.len());
        }
        for event in events.iter().filter(|event| self.wants(event)) {
            self.call(|| witness.on_event(event), 1);
        }
    }

    /// Puts those that it wants into its listener's queue.
    fn enqueue(&self, queue: &Mutex<Option<Queue>>, events: &[Arc<Event>]) {
        let queue = queue.lock();
        for event in events.iter().filter(|event| self.wants(event)) {
            if let Some(queue) = &*queue {
                // The listener's thread receives until the queue is closed.
                let _ = queue.messages.send(Message::Event(Arc::clone(event)));
            }
        }
    }

    /// Calls the witness, unless it is being called by this very thread: that might never end.
    fn call(&self, call: impl FnOnce() -> Result<(), ListenerError>, events: usize) {
        let this = std::ptr::from_ref(self).addr();
        if CALLED_INLINE.with_borrow(|called| called.contains(&this)) {
            return self.faults.note(
                "published an event while it was given one, and did not hear it itself".into(),
                events,
            );
        }
        CALLED_INLINE.with_borrow_mut(|called| called.push(this));
        deliver(call, events, &self.faults);
        CALLED_INLINE.with_borrow_mut(Vec::pop);
    }

    /// Closes the queue and waits for the thread, unless it is that thread which asks.
    fn end(&self) {
        let own = self.is_this_thread();
        let Delivery::Queued { queue, thread } = &self.delivery else {
            return;
        };
        queue.lock().take();
        // Taken out first: the thread may ask about itself while we wait for it.
        let thread = thread.lock().take();
        if let Some(thread) = thread.filter(|_| !own) {
            let _ = thread.join();
        }
    }

    /// Whether it is this listener's own thread that asks.
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
    on_trouble: Option<OnTrouble>,
}

impl FailureLog {
    fn note(&self, message: String, events: usize) {
        if self.count.fetch_add(events as u64, Ordering::Relaxed) == 0 {
            *self.first.lock() = Some(message);
            if let (Some(on_trouble), Some(trouble)) = (&self.on_trouble, self.trouble()) {
                // Whoever tells about trouble must not make more of it.
                let _ = catch_unwind(AssertUnwindSafe(|| on_trouble(&trouble)));
            }
        }
    }

    fn trouble(&self) -> Option<ListenerFailure> {
        let first = self.first.lock().clone()?;
        Some(ListenerFailure {
            listener: self.listener,
            first,
            count: self.count.load(Ordering::Relaxed),
        })
    }
}

/// Takes one message after another; with patience, waits for more to come before it takes them all.
fn drain_queue(
    messages: &Receiver<Message>,
    hurried: &Receiver<()>,
    mut listener: Box<dyn Listener>,
    faults: &FailureLog,
) {
    let patience = listener.max_delay();
    while let Ok(first) = messages.recv() {
        if !patience.is_zero() {
            let _ = hurried.recv_timeout(patience);
        }
        for message in std::iter::once(first).chain(messages.try_iter()) {
            match message {
                Message::Event(event) => deliver(|| listener.on_event(&event), 1, faults),
                Message::Flush(done) => {
                    let _ = done.send(());
                }
            }
        }
    }
}

fn deliver(call: impl FnOnce() -> Result<(), ListenerError>, events: usize, faults: &FailureLog) {
    let within = DELIVERING.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(call));
    DELIVERING.set(within);
    match outcome {
        Ok(Ok(())) => {}
        Ok(Err(error)) => faults.note(error.to_string(), events),
        Err(panic) => faults.note(format!("panicked: {}", panic_message(&*panic)), events),
    }
}

thread_local! {
    static DELIVERING: Cell<bool> = const { Cell::new(false) };
    /// The listeners that this thread is calling inline, outermost first.
    static CALLED_INLINE: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// Whether this thread is in a listener, whose panic the bus will report: a panic hook can then stay silent.
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
