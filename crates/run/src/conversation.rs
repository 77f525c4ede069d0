//! Runs tests that are conversations with an agent, and reports every turn as it happens.
//!
//! [`run`] runs one conversation in a [`session`]. [`agent`] contains the agent under test, [`user`] the user's messages,
//! [`topics`] the current topic, [`capture`] captured values. [`completeness`] fails turns without a complete reply. [`expectations`] evaluates checks: with [`check`], with the judge or with a [`command`];
//! [`combined`] evaluates `anyOf` and `not`. [`rejudge`] judges [`recorded`] conversations again.
//! [`events`] reports, [`usage`] adds up time, tokens and cost. [`configuration()`] lists the agents and models of a run.

mod agent;
mod capture;
mod check;
mod combined;
mod command;
mod completeness;
mod configuration;
mod context;
mod end;
mod events;
mod expectations;
mod files;
mod history;
mod recorded;
mod rejudge;
mod secret;
mod session;
#[cfg(test)]
pub(crate) mod tests;
mod topics;
mod usage;
mod user;

pub(crate) use configuration::configuration;
pub(crate) use context::{ConversationContext, HookScope};
pub use rejudge::{JudgedCounts, Rejudging};
pub(crate) use secret::secrets;
pub(crate) use session::run;
