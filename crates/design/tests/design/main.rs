//! The crate from the outside.

#![expect(
    clippy::unwrap_used,
    reason = "a fixture that cannot be made fails its test"
)]

mod architecture;
mod extraction;
mod inventory;
mod methods;
mod naming;
mod optimizing;
mod plugin;
mod refactoring;
mod reviews;
mod robustness;
mod skeletons;
mod structure;
mod support;
mod validator;
mod vectors;
