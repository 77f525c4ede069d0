//! What the record promises, checked from outside: properties over arbitrary data, and each rule by itself.

mod arbitrary;
mod builder;
mod bus;
mod journal;
mod metadata;
mod properties;
mod recorder;
mod run_file;
mod store;
mod told;
