//! Runs the processes of tests: commands and hooks.
//!
//! A command without hooks is one process ([`command`]), without a shell if it needs none ([`direct`]). A command with
//! hooks runs in a shell that also runs the hooks ([`hook_shell`]). All share a [`ProcessContext`].

pub(crate) mod bash;
pub(crate) mod capture;
pub(crate) mod cleanup;
pub(crate) mod command;
mod context;
mod direct;
pub(crate) mod driver;
pub(crate) mod environment;
mod hook_messages;
pub(crate) mod hook_shell;
pub(crate) mod line_process;
pub(crate) mod output_watch;
pub(crate) mod pipe;
pub(crate) mod process;
pub(crate) mod process_tree;
pub(crate) mod program;
mod result;
pub(crate) mod terminal;

pub use bash::NoBash;
pub(crate) use cleanup::kill_orphans;
pub(crate) use context::ProcessContext;
pub(crate) use hook_shell::{TeardownResult, terminal_stop_message};
pub(crate) use process::Termination;
pub(crate) use process_tree::{FILE_MARK, TEST_MARK};
pub(crate) use result::{CommandResult, Hook, HookFailure, HookReason, Streams, could_not_run};
