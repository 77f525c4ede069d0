//! What a redactor has seen holds no secret in any text value, and is still whole.

use std::sync::LazyLock;

use casebook_record::{Event, Redactor, encode};

use crate::{built, survives};

/// The dictionary has it too, plain and with escapes: the fuzzer would not guess it.
const SECRET: &str = "s3cr3t-value";

static REDACTOR: LazyLock<Redactor> = LazyLock::new(|| Redactor::of([SECRET]));

/// Redacted event by event, as they are recorded, and as a run that was read.
pub fn is_hidden(mut events: Vec<Event>) {
    if let Some(mut run) = built(&events) {
        REDACTOR.apply(&mut run);
        survives::run(&run);
        is_not_in(&serde_json::to_string(&run).expect("run data can always be written"));
    }
    for event in &mut events {
        REDACTOR.apply(event);
        survives::event(event);
        is_not_in(&encode(event));
    }
    if let Some(mut run) = built(&events) {
        // Keys are not hidden, and a goal that is a map becomes a text that has them.
        for scenario in run.scenarios.values_mut() {
            (scenario.name, scenario.goal) = (None, None);
        }
        is_not_in(&serde_json::to_string(&run).expect("run data can always be written"));
    }
}

fn is_not_in(json: &str) {
    let secret = texts(json).find(|text| text.contains(SECRET));
    assert_eq!(secret, None, "{json}");
}

/// The text values of JSON: its strings, but for the keys. Not by parsing it, since run data may nest deeper than a
/// parser goes.
fn texts(json: &str) -> impl Iterator<Item = String> {
    let mut rest = json;
    std::iter::from_fn(move || {
        loop {
            let (_, from_quote) = rest.split_at(rest.find('"')?);
            let mut strings = serde_json::Deserializer::from_str(from_quote).into_iter::<String>();
            let text = strings.next()?.expect("it was written as JSON");
            rest = &from_quote[strings.byte_offset()..];
            if !rest.trim_ascii_start().starts_with(':') {
                return Some(text);
            }
        }
    })
}
