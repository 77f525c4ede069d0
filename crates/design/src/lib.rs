//! Designs RSpec tests for Ruby code.
//!
//! Leads from Ruby code to characteristics, metadata, skeleton and review, without a model call. [`ruby`] finds what
//! varies in a method, [`metadata`] stores it in files that other programs read and write, [`skeleton`] generates a
//! spec, [`factories`](factories::factories) and [`outline`](outline::outline) list what already exists. [`steps`]
//! combines them: one function per command.
//!
//! [`learn`] runs methods in a [`sandbox`] to find results that do not follow from the code alone.
//!
//! Comments cite rules by id, such as `rule E14`: `docs/design-rules.md` in the repository describes them all.

mod characteristic;
mod decision;
mod edits;
pub mod factories;
pub mod learn;
pub mod metadata;
mod name;
mod naming;
mod negation;
mod operator;
pub mod optimize;
pub mod outline;
pub mod probes;
pub mod refactor;
pub mod review;
pub mod ruby;
pub mod sandbox;
pub mod skeleton;
pub mod spec;
mod stack;
pub mod steps;
mod unknown_behavior;

pub use characteristic::{
    AttributeCall, Characteristic, ExternalCall, Kind, Setup, SetupKind, Threshold,
};
pub use decision::{ConditionSpan, Decision, DecisionArm, DecisionKind};
pub use name::Name;
pub use naming::NamingProfile;
pub use stack::{STACK, on_deep_stack};
