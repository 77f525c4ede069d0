//! Delivery of events, and isolation of failing listeners.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Barrier, Mutex};
use std::thread;
use std::time::Duration;

use casebook_record::event::{GroupFinished, GroupStarted, SuiteStopped};
use casebook_record::{
    Bus, Event, EventFilter, EventKind, InlineListener, Listener, ListenerError, Time,
};

/// A listener that calls a closure.
struct ClosureListener<F>(&'static str, EventFilter, F);

impl<F: Fn(&Event) -> Result<(), ListenerError> + Send> Listener for ClosureListener<F> {
    fn name(&self) -> &'static str {
        self.0
    }
    fn interest(&self) -> EventFilter {
        self.1
    }
    fn on_event(&mut self, event: &Arc<Event>) -> Result<(), ListenerError> {
        (self.2)(event)
    }
}

impl<F: Fn(&Event) -> Result<(), ListenerError> + Send + Sync> InlineListener
    for ClosureListener<F>
{
    fn name(&self) -> &'static str {
        self.0
    }
    fn interest(&self) -> EventFilter {
        self.1
    }
    fn on_event(&self, event: &Event) -> Result<(), ListenerError> {
        (self.2)(event)
    }
}

fn closure_listener<F>(handler: F) -> ClosureListener<F>
where
    F: Fn(&Event) -> Result<(), ListenerError> + Send,
{
    ClosureListener("test", EventFilter::ALL, handler)
}

fn group(description: impl Into<String>) -> GroupStarted {
    GroupStarted {
        time: Time::from_millis(0),
        description: description.into(),
        file_path: None,
        line_number: None,
        example_count: None,
    }
}

/// A listener that collects the descriptions of groups.
fn collector() -> (
    impl Listener + InlineListener + 'static,
    Arc<Mutex<Vec<String>>>,
) {
    let received = Arc::<Mutex<Vec<String>>>::default();
    let writer = Arc::clone(&received);
    let listener = closure_listener(move |event: &Event| {
        if let Event::GroupStarted(group) = event {
            writer.lock().unwrap().push(group.description.clone());
        }
        Ok(())
    });
    (listener, received)
}

#[test]
fn an_inline_listener_has_the_event_before_publishing_returns() {
    let bus = Bus::new();
    let (listener, received) = collector();
    bus.subscribe_inline(listener);
    bus.publish(group("a"));
    assert_eq!(*received.lock().unwrap(), ["a"]);
}

#[test]
fn events_published_together_reach_matching_listeners_in_order() {
    let bus = Bus::new();
    let (inline, received_inline) = collector();
    bus.subscribe_inline(inline);
    let (queued, received) = collector();
    bus.subscribe(queued).unwrap();
    let stops = Arc::new(Mutex::new(0));
    let stopped = Arc::clone(&stops);
    let only = EventFilter::only(&[EventKind::SuiteStopped]);
    bus.subscribe_inline(ClosureListener("selective", only, move |event: &Event| {
        assert_eq!(event.kind(), EventKind::SuiteStopped);
        *stopped.lock().unwrap() += 1;
        Ok(())
    }));
    let stop = SuiteStopped {
        time: Time::from_millis(0),
    };
    bus.publish_all(vec![group("a").into(), stop.into(), group("b").into()]);
    bus.publish_all(Vec::new());
    assert!(bus.close().is_empty());
    assert_eq!(*received_inline.lock().unwrap(), ["a", "b"]);
    assert_eq!(*received.lock().unwrap(), ["a", "b"]);
    assert_eq!(*stops.lock().unwrap(), 1);
}

#[test]
fn a_predicate_filters_events_of_the_selected_kinds() {
    let bus = Bus::new();
    let received = Arc::<Mutex<Vec<String>>>::default();
    let writer = Arc::clone(&received);
    let filter = EventFilter::only(&[EventKind::GroupStarted])
        .only_if(|event| matches!(event, Event::GroupStarted(group) if group.description != "b"));
    let selective = move |event: &Event| {
        if let Event::GroupStarted(group) = event {
            writer.lock().unwrap().push(group.description.clone());
        }
        Ok(())
    };
    bus.subscribe(ClosureListener("selective", filter, selective))
        .unwrap();
    bus.publish_all(["a", "b", "c"].map(|name| group(name).into()).to_vec());
    assert!(bus.close().is_empty());
    assert_eq!(*received.lock().unwrap(), ["a", "c"]);
}

/// Collects the address of every event, which differs between copies.
fn collect_addresses(
    addresses: &Arc<Mutex<Vec<usize>>>,
) -> impl Fn(&Event) -> Result<(), ListenerError> + use<> {
    let addresses = Arc::clone(addresses);
    move |event: &Event| {
        let address = std::ptr::from_ref(event).addr();
        addresses.lock().unwrap().push(address);
        Ok(())
    }
}

struct Inline<F>(F);

impl<F: Fn(&Event) -> Result<(), ListenerError> + Send + Sync> InlineListener for Inline<F> {
    fn name(&self) -> &'static str {
        "inline"
    }
    fn on_event(&self, event: &Event) -> Result<(), ListenerError> {
        self.0(event)
    }
}

#[test]
fn all_subscribers_share_one_event() {
    let bus = Bus::new();
    let [first, second, listener] = std::array::from_fn(|_| Arc::<Mutex<Vec<usize>>>::default());
    // Keeps the events, so that no two have the same address.
    let kept = Arc::<Mutex<Vec<Arc<Event>>>>::default();
    bus.subscribe(EventCollector(Arc::clone(&kept))).unwrap();
    bus.subscribe_inline(Inline(collect_addresses(&first)));
    bus.subscribe_inline(Inline(collect_addresses(&second)));
    bus.subscribe(closure_listener(collect_addresses(&listener)))
        .unwrap();
    bus.publish_all(["a", "b"].map(|name| group(name).into()).to_vec());
    bus.publish(group("c"));
    assert!(bus.close().is_empty());
    let first = first.lock().unwrap();
    assert_eq!(first.len(), 3);
    assert_eq!(*first, *second.lock().unwrap());
    assert_eq!(*first, *listener.lock().unwrap());
}

/// A listener that keeps all events.
struct EventCollector(Arc<Mutex<Vec<Arc<Event>>>>);

impl Listener for EventCollector {
    fn name(&self) -> &'static str {
        "keeper"
    }
    fn on_event(&mut self, event: &Arc<Event>) -> Result<(), ListenerError> {
        self.0.lock().unwrap().push(Arc::clone(event));
        Ok(())
    }
}

#[test]
fn inline_listeners_receive_an_event_before_the_others() {
    let bus = Bus::new();
    let seen = Arc::<Mutex<Vec<usize>>>::default();
    let inline = Arc::clone(&seen);
    bus.subscribe(closure_listener(move |_: &Event| {
        assert_eq!(inline.lock().unwrap().len(), 2);
        Ok(())
    }))
    .unwrap();
    bus.subscribe_inline(Inline(collect_addresses(&seen)));
    bus.publish_all(["a", "b"].map(|name| group(name).into()).to_vec());
    assert!(bus.close().is_empty());
}

/// A listener with a delay of one day.
struct DelayedListener<L>(L);

impl<L: Listener> Listener for DelayedListener<L> {
    fn name(&self) -> &'static str {
        self.0.name()
    }
    fn max_delay(&self) -> Duration {
        Duration::from_secs(24 * 60 * 60)
    }
    fn on_event(&mut self, event: &Arc<Event>) -> Result<(), ListenerError> {
        self.0.on_event(event)
    }
}

#[test]
fn flush_and_close_do_not_wait_for_a_listeners_delay() {
    let bus = Bus::new();
    let (listener, received) = collector();
    bus.subscribe(DelayedListener(listener)).unwrap();
    bus.publish(group("a"));
    bus.publish(group("b"));
    bus.flush();
    assert_eq!(*received.lock().unwrap(), ["a", "b"]);
    bus.publish(group("c"));
    bus.close();
    assert_eq!(*received.lock().unwrap(), ["a", "b", "c"]);
}

#[test]
fn a_listener_with_its_own_thread_has_everything_after_a_flush_and_after_closing() {
    let bus = Bus::new();
    let (listener, received) = collector();
    bus.subscribe(listener).unwrap();
    bus.publish(group("a"));
    bus.flush();
    assert_eq!(*received.lock().unwrap(), ["a"]);
    (0..1000).for_each(|_| bus.publish(group("b")));
    assert!(bus.close().is_empty());
    assert_eq!(received.lock().unwrap().len(), 1001);
    bus.publish(group("too late"));
    assert_eq!(received.lock().unwrap().len(), 1001);
}

#[test]
fn only_the_selected_kinds_are_delivered() {
    let bus = Bus::new();
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let chosen = EventFilter::only(&[EventKind::GroupFinished, EventKind::SuiteStopped]);
    bus.subscribe_inline(ClosureListener(
        "selective",
        chosen,
        move |event: &Event| {
            assert!(matches!(
                event,
                Event::GroupFinished(_) | Event::SuiteStopped(_)
            ));
            counted.fetch_add(1, Ordering::Relaxed);
            Ok(())
        },
    ));
    bus.publish(group("a"));
    bus.publish(GroupFinished {
        time: Time::from_millis(0),
        description: "a".into(),
    });
    bus.publish(SuiteStopped {
        time: Time::from_millis(0),
    });
    assert!(bus.close().is_empty());
    assert_eq!(count.load(Ordering::Relaxed), 2);
}

#[test]
fn the_order_of_each_publishing_thread_is_kept() {
    for inline in [true, false] {
        let bus = Bus::new();
        let (listener, received) = collector();
        if inline {
            bus.subscribe_inline(listener);
        } else {
            bus.subscribe(listener).unwrap();
        }
        thread::scope(|scope| {
            for thread in 0..4 {
                let bus = &bus;
                scope.spawn(move || {
                    (0..500).for_each(|number| bus.publish(group(format!("{thread} {number:03}"))));
                });
            }
        });
        bus.close();
        let received = received.lock().unwrap();
        assert_eq!(received.len(), 2000);
        for thread in 0..4 {
            let of_thread: Vec<_> = received
                .iter()
                .filter(|text| text.starts_with(&format!("{thread} ")))
                .collect();
            assert!(of_thread.is_sorted(), "thread {thread}, inline: {inline}");
        }
    }
}

#[test]
fn a_panicking_listener_does_not_affect_others_and_is_reported_once() {
    let reported = Arc::<Mutex<Vec<String>>>::default();
    let reports = Arc::clone(&reported);
    let bus = Bus::with_failure_handler(move |failure| {
        reports
            .lock()
            .unwrap()
            .push(format!("{}: {}", failure.listener, failure.first));
    });
    let (before, received_before) = collector();
    let (after, received_after) = collector();
    bus.subscribe_inline(before);
    bus.subscribe_inline(ClosureListener(
        "bad inline",
        EventFilter::ALL,
        |event: &Event| panic!("no {}", event.kind().name()),
    ));
    bus.subscribe(ClosureListener(
        "bad thread",
        EventFilter::ALL,
        |_: &Event| panic!("never"),
    ))
    .unwrap();
    bus.subscribe_inline(ClosureListener("failing", EventFilter::ALL, |_: &Event| {
        Err("disk full".into())
    }));
    bus.subscribe(after).unwrap();
    (0..5).for_each(|number| bus.publish(group(number.to_string())));
    let mut failures = bus.close();
    failures.sort_by_key(|failure| failure.listener);
    let summary: Vec<_> = failures
        .iter()
        .map(|t| (t.listener, t.first.as_str(), t.count))
        .collect();
    assert_eq!(
        summary,
        [
            ("bad inline", "panicked: no GroupStarted", 5),
            ("bad thread", "panicked: never", 5),
            ("failing", "disk full", 5)
        ]
    );
    let mut reported = reported.lock().unwrap().clone();
    reported.sort();
    assert_eq!(
        reported,
        [
            "bad inline: panicked: no GroupStarted",
            "bad thread: panicked: never",
            "failing: disk full"
        ]
    );
    assert_eq!(received_before.lock().unwrap().len(), 5);
    assert_eq!(received_after.lock().unwrap().len(), 5);
}

#[test]
fn a_listener_that_publishes_or_flushes_does_not_deadlock() {
    for inline in [true, false] {
        let bus = Arc::new(Bus::new());
        let (others, received) = collector();
        bus.subscribe_inline(others);
        let weak = Arc::downgrade(&bus);
        let echoes = closure_listener(move |event: &Event| {
            if let (Some(bus), Event::SuiteStopped(_)) = (weak.upgrade(), event) {
                bus.publish(group("echo"));
                bus.flush();
            }
            Ok(())
        });
        if inline {
            bus.subscribe_inline(echoes);
        } else {
            bus.subscribe(echoes).unwrap();
        }
        bus.publish(SuiteStopped {
            time: Time::from_millis(0),
        });
        bus.flush();
        assert_eq!(*received.lock().unwrap(), ["echo"], "inline: {inline}");
        assert_eq!(
            bus.close().len(),
            usize::from(inline),
            "only an inline listener does not receive its own event"
        );
    }
}

#[test]
fn a_panicking_failure_handler_does_not_affect_publishing() {
    let bus = Bus::with_failure_handler(|_| panic!("the terminal was closed"));
    bus.subscribe_inline(closure_listener(|_: &Event| Err("disk full".into())));
    let (listener, received) = collector();
    bus.subscribe_inline(listener);
    bus.publish(group("a"));
    assert_eq!(*received.lock().unwrap(), ["a"]);
    assert_eq!(bus.close().len(), 1);
}

#[test]
fn a_slow_listener_delays_neither_publisher_nor_others() {
    let bus = Bus::new();
    let (release, released): (Sender<()>, Receiver<()>) = channel();
    let slow = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&slow);
    bus.subscribe(closure_listener(move |_: &Event| {
        // It handles nothing until it is released, after all other listeners are done.
        if counted.fetch_add(1, Ordering::SeqCst) == 0 {
            released.recv().unwrap();
        }
        Ok(())
    }))
    .unwrap();
    let quick = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&quick);
    let (done, all_seen) = channel();
    bus.subscribe(closure_listener(move |_: &Event| {
        if seen.fetch_add(1, Ordering::SeqCst) == 999 {
            done.send(()).unwrap();
        }
        Ok(())
    }))
    .unwrap();
    (0..1000).for_each(|_| bus.publish(group("a")));
    all_seen.recv().unwrap();
    assert!(
        slow.load(Ordering::SeqCst) <= 1,
        "the slow listener still handles its first event"
    );
    release.send(()).unwrap();
    assert!(bus.close().is_empty());
    assert_eq!(
        slow.load(Ordering::SeqCst),
        1000,
        "the slow listener receives all events"
    );
}

#[test]
fn subscribing_and_unsubscribing_while_events_flow_is_safe() {
    let bus = Bus::new();
    let stop = AtomicBool::new(false);
    let started = Barrier::new(3);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                started.wait();
                while !stop.load(Ordering::Relaxed) {
                    bus.publish(group("a"));
                }
            });
        }
        started.wait();
        for round in 0..200 {
            let (listener, received) = collector();
            let subscription = if round % 2 == 0 {
                bus.subscribe(listener).unwrap()
            } else {
                bus.subscribe_inline(listener)
            };
            bus.publish(group("mine"));
            bus.unsubscribe(subscription);
            let received_so_far = received.lock().unwrap().len();
            assert!(received.lock().unwrap().contains(&"mine".to_owned()));
            bus.publish(group("not mine"));
            assert!(!received.lock().unwrap()[received_so_far..].contains(&"not mine".to_owned()));
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert!(bus.close().is_empty());
}

#[test]
fn a_listener_may_end_its_own_subscription() {
    let bus = Arc::new(Bus::new());
    let subscription = Arc::new(Mutex::new(None));
    let count = Arc::new(AtomicUsize::new(0));
    let (weak, own, counted) = (
        Arc::downgrade(&bus),
        Arc::clone(&subscription),
        Arc::clone(&count),
    );
    let id = bus
        .subscribe(closure_listener(move |_: &Event| {
            counted.fetch_add(1, Ordering::SeqCst);
            if let (Some(bus), Some(subscription)) = (weak.upgrade(), own.lock().unwrap().take()) {
                bus.unsubscribe(subscription);
            }
            Ok(())
        }))
        .unwrap();
    *subscription.lock().unwrap() = Some(id);
    bus.publish(group("a"));
    while subscription.lock().unwrap().is_some() {
        thread::yield_now();
    }
    bus.flush();
    bus.publish(group("b"));
    bus.close();
    assert_eq!(count.load(Ordering::SeqCst), 1);
}
