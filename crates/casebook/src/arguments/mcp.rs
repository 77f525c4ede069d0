//! The options of `casebook mcp`.

use std::path::PathBuf;

use clap::Args;

/// Serve coding agents: a Model Context Protocol server on standard input and output
///
/// A client such as Claude Code, Cursor or VS Code starts it and calls its tools: check, list, explain, report, diff, history,
/// coverage, design_read, design_write, accept, run, rspec and design_pipeline. Versions 2025-11-25 and 2026-07-28 of the protocol
/// are supported. It ends when its standard input is closed, and kills all processes that it started.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  claude mcp add casebook -- casebook mcp
  casebook mcp --root ~/project --read-only")]
pub(crate) struct Mcp {
    /// Work in this directory, and accept no paths outside of it [default: this directory]
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,

    /// Offer only tools that change no files and run no tests
    #[arg(long)]
    pub(crate) read_only: bool,
}
