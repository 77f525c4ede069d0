//! Records in S3-compatible storage.
//!
//! [`Storage::upload`] copies the record of a run to a bucket. [`Mirror`] keeps a local copy of the records there, which looks
//! like the records of a project. Every function blocks until it is done: the asynchronous client stays in this crate.
//!
//! A record is a directory with the name it has in a project, `20261115-084051-d00fa811`. Its `run.json.zst` is uploaded last, so
//! a directory with this file is complete.

mod client;
mod configuration;
mod error;
mod files;
mod location;
mod mirror;
mod storage;
#[cfg(test)]
mod testing;
mod upload;

pub use client::{HttpProblem, Sender};
pub use error::StorageError;
pub use location::{InvalidLocation, Location};
pub use mirror::{Mirror, Update};
pub use storage::Storage;
