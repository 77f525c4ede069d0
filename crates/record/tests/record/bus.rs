//! How events reach listeners, and what a bad listener can do: nothing.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Barrier, Mutex};
use std::thread;
use std::time::Duration;

use casebook_record::event::{GroupFinished, GroupStarted, SuiteStopped};
use casebook_record::{
    Bus, Event, EventFilter, EventKind, InlineListener, Listener, ListenerError, Time,
};

/// A listener made of a closure.
struct Hears<F>(&'static str, EventFilter, F);

impl<F: Fn(&Event) -> Result<(), ListenerError> + Send> Listener for Hears<F> {
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

impl<F: Fn(&Event) -> Result<(), ListenerError> + Send + Sync> InlineListener for Hears<F> {
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

fn hears<F>(hear: F) -> Hears<F>
where
    F: Fn(&Event) -> Result<(), ListenerError> + Send,
{
    Hears("test", EventFilter::ALL, hear)
}

fn group(description: impl Into<String>) -> GroupStarted {
    GroupStarted {
        time: Time::from_millis(0),
        description: description.into(),
        file_path: None,
        line_number: None,
    }
}

/// A listener that writes down the groups it hears of.
fn writes_down() -> (
    impl Listener + InlineListener + 'static,
    Arc<Mutex<Vec<String>>>,
) {
    let heard = Arc::<Mutex<Vec<String>>>::default();
    let written = Arc::clone(&heard);
    let listener = hears(move |event: &Event| {
        if let Event::GroupStarted(group) = event {
            written.lock().unwrap().push(group.description.clone());
        }
        Ok(())
    });
    (listener, heard)
}

#[test]
fn an_inline_listener_has_the_event_before_publishing_returns() {
    let bus = Bus::new();
    let (listener, heard) = writes_down();
    bus.subscribe_inline(listener);
    bus.publish(group("a"));
    assert_eq!(*heard.lock().unwrap(), ["a"]);
}

#[test]
fn events_that_are_published_together_reach_everyone_who_wants_them_in_order() {
    let bus = Bus::new();
    let (inline, heard_inline) = writes_down();
    bus.subscribe_inline(inline);
    let (queued, heard) = writes_down();
    bus.subscribe(queued).unwrap();
    let stops = Arc::new(Mutex::new(0));
    let stopped = Arc::clone(&stops);
    let only = EventFilter::only(&[EventKind::SuiteStopped]);
    bus.subscribe_inline(Hears("choosy", only, move |event: &Event| {
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
    assert_eq!(*heard_inline.lock().unwrap(), ["a", "b"]);
    assert_eq!(*heard.lock().unwrap(), ["a", "b"]);
    assert_eq!(*stops.lock().unwrap(), 1);
}

#[test]
fn of_the_chosen_kinds_only_those_arrive_that_are_wanted() {
    let bus = Bus::new();
    let heard = Arc::<Mutex<Vec<String>>>::default();
    let written = Arc::clone(&heard);
    let wanted = EventFilter::only(&[EventKind::GroupStarted])
        .only_if(|event| matches!(event, Event::GroupStarted(group) if group.description != "b"));
    let choosy = move |event: &Event| {
        if let Event::GroupStarted(group) = event {
            written.lock().unwrap().push(group.description.clone());
        }
        Ok(())
    };
    bus.subscribe(Hears("choosy", wanted, choosy)).unwrap();
    bus.publish_all(["a", "b", "c"].map(|name| group(name).into()).to_vec());
    assert!(bus.close().is_empty());
    assert_eq!(*heard.lock().unwrap(), ["a", "c"]);
}

/// Notes the address of every event, which tells copies from the same event.
fn notes(
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
    bus.subscribe(Keeps(Arc::clone(&kept))).unwrap();
    bus.subscribe_inline(Inline(notes(&first)));
    bus.subscribe_inline(Inline(notes(&second)));
    bus.subscribe(hears(notes(&listener))).unwrap();
    bus.publish_all(["a", "b"].map(|name| group(name).into()).to_vec());
    bus.publish(group("c"));
    assert!(bus.close().is_empty());
    let first = first.lock().unwrap();
    assert_eq!(first.len(), 3);
    assert_eq!(*first, *second.lock().unwrap());
    assert_eq!(*first, *listener.lock().unwrap());
}

/// A listener that keeps all events.
struct Keeps(Arc<Mutex<Vec<Arc<Event>>>>);

impl Listener for Keeps {
    fn name(&self) -> &'static str {
        "keeper"
    }
    fn on_event(&mut self, event: &Arc<Event>) -> Result<(), ListenerError> {
        self.0.lock().unwrap().push(Arc::clone(event));
        Ok(())
    }
}

#[test]
fn inline_listeners_have_an_event_before_the_others() {
    let bus = Bus::new();
    let seen = Arc::<Mutex<Vec<usize>>>::default();
    let inline = Arc::clone(&seen);
    bus.subscribe(hears(move |_: &Event| {
        assert_eq!(inline.lock().unwrap().len(), 2);
        Ok(())
    }))
    .unwrap();
    bus.subscribe_inline(Inline(notes(&seen)));
    bus.publish_all(["a", "b"].map(|name| group(name).into()).to_vec());
    assert!(bus.close().is_empty());
}

/// A listener that would rather be told once a day.
struct Patient<L>(L);

impl<L: Listener> Listener for Patient<L> {
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
fn a_flush_and_the_end_do_not_wait_for_a_patient_listener_to_be_ready() {
    let bus = Bus::new();
    let (listener, heard) = writes_down();
    bus.subscribe(Patient(listener)).unwrap();
    bus.publish(group("a"));
    bus.publish(group("b"));
    bus.flush();
    assert_eq!(*heard.lock().unwrap(), ["a", "b"]);
    bus.publish(group("c"));
    bus.close();
    assert_eq!(*heard.lock().unwrap(), ["a", "b", "c"]);
}

#[test]
fn a_listener_with_its_own_thread_has_everything_after_a_flush_and_after_closing() {
    let bus = Bus::new();
    let (listener, heard) = writes_down();
    bus.subscribe(listener).unwrap();
    bus.publish(group("a"));
    bus.flush();
    assert_eq!(*heard.lock().unwrap(), ["a"]);
    (0..1000).for_each(|_| bus.publish(group("b")));
    assert!(bus.close().is_empty());
    assert_eq!(heard.lock().unwrap().len(), 1001);
    bus.publish(group("too late"));
    assert_eq!(heard.lock().unwrap().len(), 1001);
}

#[test]
fn only_the_chosen_kinds_arrive() {
    let bus = Bus::new();
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let chosen = EventFilter::only(&[EventKind::GroupFinished, EventKind::SuiteStopped]);
    bus.subscribe_inline(Hears("choosy", chosen, move |event: &Event| {
        assert!(matches!(
            event,
            Event::GroupFinished(_) | Event::SuiteStopped(_)
        ));
        counted.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }));
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
fn each_publishing_threads_order_is_kept() {
    for inline in [true, false] {
        let bus = Bus::new();
        let (listener, heard) = writes_down();
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
        let heard = heard.lock().unwrap();
        assert_eq!(heard.len(), 2000);
        for thread in 0..4 {
            let own: Vec<_> = heard
                .iter()
                .filter(|text| text.starts_with(&format!("{thread} ")))
                .collect();
            assert!(own.is_sorted(), "thread {thread}, inline: {inline}");
        }
    }
}

#[test]
fn a_panicking_listener_harms_no_one_and_is_reported_once() {
    let told = Arc::<Mutex<Vec<String>>>::default();
    let tells = Arc::clone(&told);
    let bus = Bus::with_failure_handler(move |trouble| {
        tells
            .lock()
            .unwrap()
            .push(format!("{}: {}", trouble.listener, trouble.first));
    });
    let (before, heard_before) = writes_down();
    let (after, heard_after) = writes_down();
    bus.subscribe_inline(before);
    bus.subscribe_inline(Hears("bad inline", EventFilter::ALL, |event: &Event| {
        panic!("no {}", event.kind().name())
    }));
    bus.subscribe(Hears("bad thread", EventFilter::ALL, |_: &Event| {
        panic!("never")
    }))
    .unwrap();
    bus.subscribe_inline(Hears("failing", EventFilter::ALL, |_: &Event| {
        Err("disk full".into())
    }));
    bus.subscribe(after).unwrap();
    (0..5).for_each(|number| bus.publish(group(number.to_string())));
    let mut troubles = bus.close();
    troubles.sort_by_key(|trouble| trouble.listener);
    let summary: Vec<_> = troubles
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
    let mut told = told.lock().unwrap().clone();
    told.sort();
    assert_eq!(
        told,
        [
            "bad inline: panicked: no GroupStarted",
            "bad thread: panicked: never",
            "failing: disk full"
        ]
    );
    assert_eq!(heard_before.lock().unwrap().len(), 5);
    assert_eq!(heard_after.lock().unwrap().len(), 5);
}

#[test]
fn a_listener_that_publishes_or_flushes_waits_for_nobody() {
    for inline in [true, false] {
        let bus = Arc::new(Bus::new());
        let (others, heard) = writes_down();
        bus.subscribe_inline(others);
        let weak = Arc::downgrade(&bus);
        let echoes = hears(move |event: &Event| {
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
        assert_eq!(*heard.lock().unwrap(), ["echo"], "inline: {inline}");
        assert_eq!(
            bus.close().len(),
            usize::from(inline),
            "only a listener called inline misses its own event"
        );
    }
}

#[test]
fn telling_about_trouble_can_go_wrong_without_harm() {
    let bus = Bus::with_failure_handler(|_| panic!("the terminal is gone"));
    bus.subscribe_inline(hears(|_: &Event| Err("disk full".into())));
    let (listener, heard) = writes_down();
    bus.subscribe_inline(listener);
    bus.publish(group("a"));
    assert_eq!(*heard.lock().unwrap(), ["a"]);
    assert_eq!(bus.close().len(), 1);
}

#[test]
fn a_slow_listener_delays_neither_publisher_nor_others() {
    let bus = Bus::new();
    let (release, held): (Sender<()>, Receiver<()>) = channel();
    let slow = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&slow);
    bus.subscribe(hears(move |_: &Event| {
        // It takes nothing until it is released, which happens after everyone else is done.
        if counted.fetch_add(1, Ordering::SeqCst) == 0 {
            held.recv().unwrap();
        }
        Ok(())
    }))
    .unwrap();
    let quick = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&quick);
    let (done, all_seen) = channel();
    bus.subscribe(hears(move |_: &Event| {
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
        "the slow one is still at its first event"
    );
    release.send(()).unwrap();
    assert!(bus.close().is_empty());
    assert_eq!(
        slow.load(Ordering::SeqCst),
        1000,
        "and gets them all in the end"
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
            let (listener, heard) = writes_down();
            let subscription = if round % 2 == 0 {
                bus.subscribe(listener).unwrap()
            } else {
                bus.subscribe_inline(listener)
            };
            bus.publish(group("mine"));
            bus.unsubscribe(subscription);
            let heard_by_now = heard.lock().unwrap().len();
            assert!(heard.lock().unwrap().contains(&"mine".to_owned()));
            bus.publish(group("not mine"));
            assert!(!heard.lock().unwrap()[heard_by_now..].contains(&"not mine".to_owned()));
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
        .subscribe(hears(move |_: &Event| {
            counted.fetch_add(1, Ordering::SeqCst);
            if let (Some(bus), Some(own)) = (weak.upgrade(), own.lock().unwrap().take()) {
                bus.unsubscribe(own);
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
