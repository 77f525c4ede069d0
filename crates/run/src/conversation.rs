//! Tests that talk to an agent: turn by turn, each told as it happens.
//!
//! [`hold`] holds one conversation. [`agent`] is who answers, [`topics`] where the conversation goes, [`demand`] what
//! must hold, by [`check`], by the judge or by a [`command`]; [`voice`] tells of it all, and [`spent`] adds up what it
//! took. [`parties`] says who talks with whom in a run.

mod agent;
mod check;
mod command;
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
