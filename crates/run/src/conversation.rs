//! Tests that talk to an agent: turn by turn, each told as it happens.

mod check;
mod transcript;

pub(crate) use transcript::{Exchange, Reply, Scope, Tokens, Transcript};
