//! What to test.
//!
//! From Ruby code to characteristics, metadata, skeleton and review, without a model call: [`ruby`] finds what varies in
//! a method.

mod characteristic;
pub mod ruby;
mod stack;

pub use characteristic::{Characteristic, Kind, Setup, SetupKind, Threshold};
pub use stack::{STACK, on_deep_stack};
