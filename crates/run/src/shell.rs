//! Commands and hooks in shells: how a test of a command-line program is really run.
//!
//! [`native`] runs tests on this machine without any other tool than bash. A test without `setup` and `teardown` is one
//! process ([`plain`]), and not even a shell where the command needs none ([`direct`]). One with hooks has a shell of
//! its own ([`hooked`]) that runs them around the command.

pub(crate) mod bash;
pub(crate) mod bats;
pub(crate) mod capture;
pub(crate) mod dialogue;
mod direct;
mod driver;
pub(crate) mod environment;
mod hooked;
pub(crate) mod native;
mod pipe;
pub(crate) mod plain;
mod process;
mod program;
mod ran;
mod settle;
pub(crate) mod tree;
mod variables;

pub use bash::NoBash;
pub use bats::NoBats;
pub(crate) use hooked::{TornDown, cut_reason};
pub(crate) use process::Cut;
pub(crate) use ran::{Hook, HookFailure, HookReason, Ran, Streams};
pub(crate) use settle::end_strays;
pub(crate) use variables::TEST_MARK;
