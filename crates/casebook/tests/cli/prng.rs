//! Random numbers that are reproducible from their seed.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};

/// Xorshift: good enough to choose times, and small.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed | 1)
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

/// A new seed, or the one set in the environment.
#[expect(
    clippy::disallowed_methods,
    reason = "a failed test is repeated with its seed"
)]
pub(crate) fn seed() -> u64 {
    match std::env::var("CASEBOOK_SEED") {
        Ok(seed) => seed.parse().unwrap(),
        Err(_) => RandomState::new().build_hasher().finish(),
    }
}
