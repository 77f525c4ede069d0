//! From skeleton to spec: the deterministic part of architect and implementer (rules W1 to W7).
//!
//! Both work on the text of the spec, placeholder by placeholder, so that what people or agents changed around them
//! stays. `behaviour` says what an example is about, `certain` whether its expectation follows from the code alone.

mod architect;
mod behavior;
mod block;
mod call;
mod certainty;
mod expected;
mod happy_path;
mod implement;
mod input;
mod inputs;
mod matcher;
mod path_outcome;
mod signature;
mod values;

pub use architect::{ArchitectResult, architect};
pub use block::leftovers;
pub(crate) use block::leftovers_of;
pub use implement::{Implemented, implement};
