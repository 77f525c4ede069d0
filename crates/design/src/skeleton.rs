//! RSpec skeletons: rules S1 to S13. Generated from a plan alone; no source is read.
//!
//! `tree` arranges the states as nested contexts, `words` finds their descriptions, `layout` writes the text, `path` computes the
//! location, and [`merge`] adds one method to an existing spec.

mod component;
mod examples;
mod layout;
mod marker;
mod merge;
mod path;
mod suite;
mod tree;
mod values;
mod words;

pub use component::Components;
pub(crate) use component::{component_of, has_gemspec, runs_own_specs};
pub(crate) use examples::{Examples, leaves as leaves_of};
pub(crate) use layout::placeholder_value;
pub use layout::{Style, blocks, method_block, skeleton};
pub(crate) use marker::is_marker;
pub use merge::{Block, Existing, Merge, MergeError, find_blocks, merge};
pub use path::{ControllerPolicy, SpecLocation, project_spec_path, source_path, spec_location};
pub use suite::suite;
pub use tree::{Context, contexts, depth, leaves};
pub use values::{Distance, example_values, threshold_pair};
pub(crate) use words::describe_state;
