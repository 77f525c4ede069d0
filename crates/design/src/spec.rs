//! Turns a skeleton into a spec: the deterministic part of architect and implementer (rules W1 to W7).
//!
//! Both replace placeholders in the text of the spec, so changes around them are kept. `behavior` describes an example,
//! and `certainty` decides whether its expectation follows from the code alone.

mod architect;
mod behavior;
mod block;
mod call;
mod callable;
mod certainty;
mod expectation;
mod expected;
mod factory_arguments;
mod failure;
mod happy_path;
mod implement;
mod input;
mod inputs;
mod matcher;
mod observed;
mod open_setup;
mod path_outcome;
mod records;
mod signature;
mod values;

pub use architect::{ArchitectResult, architect};
pub use block::leftovers;
pub(crate) use block::leftovers_of;
pub use expectation::Expectation;
pub(crate) use failure::{PendingExample, make_pending};
pub use implement::{Implemented, implement};
pub(crate) use observed::OBSERVED;
pub use records::Records;
