//! What the record promises, checked from outside: properties over arbitrary data, and each rule by itself.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod arbitrary;
mod builder;
mod bus;
mod history;
mod journal;
mod metadata;
mod properties;
mod recorder;
mod run_file;
mod store;
mod told;
