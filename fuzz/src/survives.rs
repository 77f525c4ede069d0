//! What is written comes back as it was.

use casebook_record::{Event, RunBuilder, RunData, decode, encode};

/// Events, and the run they make, at its end and before.
pub fn events(events: &[Event]) {
    let builder = RunBuilder::new("fuzz");
    for each in events {
        event(each);
        builder.apply(each.clone());
    }
    let so_far = builder.snapshot();
    let closed = builder.close();
    assert_eq!(closed.is_some(), !events.is_empty());
    so_far.iter().chain(&closed).for_each(run);
}

/// On the wire, as one line.
pub fn event(event: &Event) {
    let line = encode(event);
    assert!(!line.contains(['\n', '\r']), "more than a line: {line:?}");
    match decode(&line) {
        Ok(read) => assert_eq!(read, *event, "{line}"),
        Err(error) => panic!("{error}: {line}"),
    }
}

/// As JSON. What was read is written as the same text, too.
pub fn run(run: &RunData) {
    // Only called: counting must not overflow.
    run.summary();
    let json = serde_json::to_string(run).expect("run data can always be written");
    match serde_json::from_str::<RunData>(&json) {
        Ok(read) => {
            assert_eq!(read, *run, "{json}");
            assert_eq!(serde_json::to_string(&read).ok(), Some(json));
        }
        Err(error) => panic!("{error}: {json}"),
    }
}
