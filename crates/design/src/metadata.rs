//! Metadata files: what the steps of a test's design tell one another.
//!
//! [`place`] says where a file lives, [`document`] reads and changes one without losing comments or order, [`check`]
//! holds the validator's rules, [`store`] writes so that nobody loses anything, [`cache`] says whether a file is fresh.
//! `write` makes a document of an analysis in each of the three formats, [`read`] understands all of them.

pub mod check;
pub mod document;
pub mod freshness;
pub mod location;
pub mod read;
pub mod store;
pub mod test_config;
pub mod write;
mod yaml;

pub use yaml::to_yaml;
