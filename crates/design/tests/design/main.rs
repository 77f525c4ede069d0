//! Tests of the public interface of the crate.

#![expect(
    clippy::unwrap_used,
    reason = "a fixture that cannot be made fails its test"
)]

mod architecture;
mod decisions;
mod extraction;
mod implementing;
mod inventory;
mod learning;
mod methods;
mod naming;
mod optimizing;
mod own_output;
mod plugin;
mod probes;
mod refactoring;
mod review_forms;
mod reviews;
mod robustness;
mod rules;
mod sandbox;
mod skeletons;
mod stages;
mod structure;
mod support;
mod validator;
mod vectors;
