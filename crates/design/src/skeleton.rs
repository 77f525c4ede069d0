//! RSpec skeletons: section 5. Mechanical: no source is read, nothing is judged.
//!
//! `tree` arranges the states as nested contexts, `words` finds what to call them, `layout` writes them down,
//! `path` says where, [`merge`] puts one method among others in a file that is already there.

mod layout;
mod merge;
mod path;
mod suite;
mod tree;
mod values;
mod words;

pub use layout::{Style, describe_block, skeleton};
pub use merge::{Existing, Merge, MergeError, merge};
pub use path::{Policy, SpecPlace, spec_path, spec_place};
pub use suite::suite;
pub use tree::{Context, contexts, depth, leaves};
pub use values::{example_values, threshold_pair};
