//! Probes: how running code reports which states it reaches.
//!
//! A [`ProbePlan`] lists where the conditions of a project's methods are. `ruby/casebook_probes.rb` rewrites these
//! conditions when Ruby loads the files, so that each reports its outcome: a number for "true" and one for "false". A
//! [`StateProbe`] knows which outcomes show that its state was reached.

mod outcomes;
mod plan;

pub use outcomes::{Hits, Outcome, StateProbe, Unmatched};
pub use plan::{Probe, ProbeKind, ProbePlan, ProbedFile, ProbedMethod};
