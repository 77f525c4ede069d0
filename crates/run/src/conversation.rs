//! Runs tests that are conversations with an agent, and reports every turn as it happens.
//!
//! [`run`] runs one conversation in a [`session`]. [`agent`] contains the agent under test, [`user`] the user's messages,
//! [`topics`] the current topic. [`completeness`] fails turns without a complete reply. [`expectations`] evaluates checks: with [`check`], with the judge or with a [`command`].
//! [`events`] reports, [`usage`] adds up time, tokens and cost. [`configuration()`] lists the agents and models of a run.

mod agent;
mod check;
mod command;
mod completeness;
mod configuration;
mod context;
mod end;
mod events;
mod expectations;
mod secret;
mod session;
#[cfg(test)]
mod tests;
mod topics;
mod usage;
mod user;

pub(crate) use configuration::configuration;
pub(crate) use context::{ConversationContext, HookScope};
pub(crate) use secret::secrets;
pub(crate) use session::run;
