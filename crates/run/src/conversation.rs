//! Tests that talk to an agent: turn by turn, each told as it happens.
//!
//! [`hold`] holds one conversation. [`agent`] is who answers, [`topics`] where the conversation goes, [`demand`] what
//! must hold, by [`check`], by the judge or by a [`command`]; [`voice`] tells of it all, and [`spent`] adds up what it
//! took. [`parties`] says who talks with whom in a run.

mod agent;
mod check;
mod command;
mod context;
mod demand;
mod parties;
mod reason;
mod secret;
mod spent;
mod talk;
#[cfg(test)]
mod tests;
mod topics;
mod user;
mod voice;

pub(crate) use context::{ConversationContext, Site};
pub(crate) use parties::configuration;
pub(crate) use secret::secrets;
pub(crate) use talk::hold;
