//! What should happen: YAML suites, found, read, checked and ready to run.
//!
//! [`discover`] finds the files that are meant. [`check`] reads one and finds everything that is wrong with it at once;
//! what is right comes out as a [`Suite`]: variables substituted, fragments applied, one test per combination of its
//! matrix. [`fields`] is the one list of what may be written, for the checker and for the [`schema`] alike, and
//! [`codes`] explains every problem.

pub mod assertion;
pub mod bats;
mod check;
pub mod codes;
mod discover;
pub mod ere;
mod expand;
pub mod fields;
mod fragment;
mod matrix;
pub mod model;
mod reader;
mod scenario;
mod schema;
pub mod snapshot;

pub use check::{CheckContext, Checked, check, deny_files};
pub use discover::{Discovered, DiscoveredSuite, Reason, Unmatched, discover, is_suite, stem};
pub use model::Suite;
pub use reader::as_duration;
pub use scenario::ReadFile;
pub use schema::schema;
