//! Tests of the record's public API: properties over arbitrary data, and each rule separately.

#![expect(
    clippy::unwrap_used,
    reason = "an unexpected error should fail the test"
)]

mod arbitrary;
mod builder;
mod bus;
mod conversations;
mod history;
mod journal;
mod metadata;
mod properties;
mod recorder;
mod restored;
mod run_file;
mod sample_events;
mod store;
mod stored;
