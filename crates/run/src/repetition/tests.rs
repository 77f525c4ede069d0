use casebook_record::Time;
use casebook_record::event::ExampleStarted;

use super::*;

/// Keeps what is published.
#[derive(Default)]
struct Published(Mutex<Vec<Event>>);

impl EventSink for Published {
    fn publish(&self, event: Event) {
        self.0.lock().push(event);
    }

    fn wants_full_output(&self) -> bool {
        true
    }

    fn save_output(&self, example_id: &str, _streams: &[(&str, &[u8])]) -> Option<String> {
        Some(example_id.to_owned())
    }

    fn warn(&self, _message: &str) {}

    fn register_secrets(&self, _exported: &[(String, String)]) {}
}

fn repetition(number: u32, passed: bool, seconds: f64) -> Vec<Event> {
    let time = Time::from_millis(i64::from(number));
    let metadata = || Metadata::from_iter([("repetition", number)]);
    let text = || "t".to_owned();
    let started = ExampleStarted {
        time,
        example_id: text(),
        stable_id: None,
        canonical_path: None,
        description: text(),
        full_description: text(),
        location: text(),
        scenario: None,
        position: None,
        metadata: metadata(),
    };
    let end: Event = if passed {
        ExamplePassed {
            time,
            example_id: text(),
            stable_id: None,
            description: text(),
            full_description: text(),
            duration: seconds,
            metadata: metadata(),
        }
        .into()
    } else {
        ExampleFailed {
            time,
            example_id: text(),
            stable_id: None,
            description: text(),
            full_description: text(),
            location: text(),
            duration: seconds,
            message: None,
            backtrace: None,
            exception_class: None,
            metadata: metadata(),
        }
        .into()
    };
    vec![started.into(), end]
}

/// The published repetitions of a test whose repetitions passed or failed, as `+1` and `-2`, with the counts.
fn published(results: impl Iterator<Item = bool>) -> (Vec<String>, TestEnd, Repetitions) {
    let (sink, test) = (Published::default(), RepeatedTest::default());
    test.begin(|| {});
    for (number, passed) in (1..).zip(results) {
        let end = if passed {
            TestEnd::Passed
        } else {
            TestEnd::Failed
        };
        test.add(number, end, repetition(number, passed, 0.002), &sink);
    }
    let end = test.finish(&sink).unwrap();
    assert_eq!(test.finish(&sink), None);
    let events = sink.0.into_inner();
    let ends: Vec<_> = events.iter().filter(|event| !is_start(event)).collect();
    let (last, earlier) = ends.split_last().unwrap();
    assert!(earlier.iter().all(|event| event.will_repeat()) && !last.will_repeat());
    let metadata = match last {
        Event::ExamplePassed(event) => &event.metadata,
        Event::ExampleFailed(event) => &event.metadata,
        _ => unreachable!(),
    };
    let counts = Repetitions::of(metadata).unwrap();
    (ends.into_iter().map(named).collect(), end, counts)
}

fn is_start(event: &Event) -> bool {
    matches!(event, Event::ExampleStarted(_))
}

fn named(event: &Event) -> String {
    match event {
        Event::ExamplePassed(event) => format!("+{}", event.metadata.get("repetition").unwrap()),
        Event::ExampleFailed(event) => format!("-{}", event.metadata.get("repetition").unwrap()),
        _ => unreachable!(),
    }
}

#[test]
fn a_failed_repetition_is_the_result_whatever_follows_it() {
    let (all, end, counts) = published([true, false, true].into_iter());
    assert_eq!((all.join(" ").as_str(), end), ("+1 +3 -2", TestEnd::Failed));
    assert_eq!((counts.passed, counts.failed, counts.recorded), (2, 1, 3));
    let (all, end, _) = published([false, true, false, true].into_iter());
    assert_eq!(
        (all.join(" ").as_str(), end),
        ("+2 -1 +4 -3", TestEnd::Failed)
    );
    let (all, end, _) = published([true, true].into_iter());
    assert_eq!((all.join(" ").as_str(), end), ("+1 +2", TestEnd::Passed));
}

#[test]
fn only_the_first_repetitions_and_the_last_are_recorded() {
    let (all, _, counts) = published((0..1000).map(|_| true));
    assert_eq!(all.len(), 11);
    assert_eq!(all.last().unwrap(), "+1000");
    assert_eq!((counts.passed, counts.recorded), (1000, 11));
    let (all, _, counts) = published((0..1000).map(|number| number % 2 == 0));
    assert_eq!(all.iter().filter(|one| one.starts_with('-')).count(), 101);
    assert_eq!(all.last().unwrap(), "-1000");
    assert_eq!((counts.passed, counts.failed), (500, 500));
    assert_eq!(counts.recorded, all.len() as u64);
}

#[test]
fn an_interrupted_repetition_does_not_count() {
    let (sink, test) = (Published::default(), RepeatedTest::default());
    test.begin(|| {});
    test.add(1, TestEnd::Passed, repetition(1, true, 0.0), &sink);
    test.add(2, TestEnd::Interrupted, Vec::new(), &sink);
    assert_eq!(test.finish(&sink), Some(TestEnd::Passed));
    let test = RepeatedTest::default();
    assert_eq!(test.finish(&sink), None, "it was never started");
    test.begin(|| {});
    test.add(1, TestEnd::Interrupted, Vec::new(), &sink);
    let test_end = test.finish(&sink);
    assert_eq!(test_end, Some(TestEnd::Interrupted));
}
