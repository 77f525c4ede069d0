//! Metadata files: the data that the steps of a test's design exchange.
//!
//! [`location`] computes the path of a file. [`document`] reads and edits one without losing comments or order; [`methods`]
//! finds one of its methods.
//! [`mod@check`] contains the validator's rules. [`store`] writes atomically. [`freshness`] decides whether a file is up to
//! date. [`mod@write`] converts an analysis into each of the three formats, and [`read`] accepts all of them.

pub mod check;
pub mod document;
pub mod freshness;
pub mod location;
pub mod methods;
pub mod read;
pub mod store;
pub mod test_config;
pub mod write;
mod yaml;

pub use yaml::to_yaml;
