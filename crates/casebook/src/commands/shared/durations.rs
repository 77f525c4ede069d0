//! Durations of tests in the latest run, for scheduling.

use std::collections::HashMap;

use casebook_record::{Redactor, Store, load};

use crate::context::Context;

/// Milliseconds by stable id; empty without a readable record.
pub(crate) fn from_latest_run(context: &Context) -> HashMap<String, u64> {
    let newest = Store::in_project(&context.dir).find(None, &context.dir);
    let loaded = newest.and_then(|path| load(&path, &Redactor::default()));
    let examples = loaded.map(|loaded| loaded.run.examples).unwrap_or_default();
    examples
        .into_values()
        .filter_map(|example| {
            let millis = u64::try_from(example.duration_ms?).ok()?;
            Some((example.stable_id?, millis))
        })
        .collect()
}
