//! Commands and hooks in shells: what runs one process, whichever test it belongs to.
//!
//! A command without hooks is one process ([`plain`]), and not even a shell where the command needs none ([`direct`]). One
//! with hooks has a shell that runs them around the command ([`hooked`]). [`ProcessContext`] is what all of them need.

pub(crate) mod bash;
pub(crate) mod capture;
mod context;
pub(crate) mod dialogue;
mod direct;
pub(crate) mod driver;
pub(crate) mod environment;
pub(crate) mod hooked;
pub(crate) mod pipe;
pub(crate) mod plain;
pub(crate) mod process;
mod program;
mod ran;
pub(crate) mod settle;
pub(crate) mod tree;

pub use bash::NoBash;
pub(crate) use context::ProcessContext;
pub(crate) use hooked::{TornDown, cut_reason};
pub(crate) use process::Cut;
pub(crate) use ran::{Hook, HookFailure, HookReason, Ran, Streams};
pub(crate) use settle::end_strays;
pub(crate) use tree::{FILE_MARK, TEST_MARK};
