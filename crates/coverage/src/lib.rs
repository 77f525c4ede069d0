//! Joins designs, suites, specs and records into a coverage matrix.
//!
//! [`find_designs`] reads the metadata of a project. [`Join`] collects the tests that cover states of these designs, from
//! suites ([`Join::add_suite`]), specs ([`Join::add_specs`]) and records ([`Join::add_runs`]), and builds the methods of a
//! [`casebook_report::coverage::Matrix`]. Tests name states in two ways: `claims` resolves the names that suites use in
//! `covers`, `state_names` those of the groups in a spec. An [`Observation`] says which states the examples really reach.

mod claims;
mod covering_tests;
mod designs;
mod gaps;
mod join;
mod markers;
mod matrix;
mod methods;
mod observation;
mod results;
mod specs;
mod stale;
mod state_names;
mod suites;

#[cfg(test)]
mod fixture;

pub use designs::{Design, Designs, FindError, find_designs};
pub use gaps::{Gap, GapReason, MethodGaps, gaps};
pub use join::Join;
pub use observation::{
    Mutant, MutantPlan, MutantResult, Observation, ObservationError, ObservedExample,
    ObservedMethod, ObservedState, ProcessResult, Proof, UnobservedFile, collect, mutants,
};
