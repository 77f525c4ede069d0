//! The crate from the outside.

#![expect(
    clippy::unwrap_used,
    reason = "a fixture that cannot be made fails its test"
)]

mod extraction;
mod methods;
mod support;
mod vectors;
