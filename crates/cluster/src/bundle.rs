//! Bundles: the files that a controller sends to its workers, as a compressed archive that is identified by its SHA-256.

mod entry;
mod hashing;
mod pack;
mod store;
#[cfg(test)]
mod tests;
mod transfer;
mod unpack;

pub use pack::Bundle;
pub(crate) use store::BundleStore;
