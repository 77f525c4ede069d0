//! How a run is shown, for all commands that run tests.

use std::path::PathBuf;

use clap::Args;

use super::run::{OutputFormat, Ui};

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct OutputArgs {
    /// How to show results: pretty, tap, junit, json or github, each to a file with =FILE; repeatable
    #[arg(long, value_name = "FORMAT[=FILE]")]
    pub(crate) format: Vec<OutputFormat>,

    /// Write an HTML page of the run as well
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,

    /// How to show the run while it lasts, instead of progress and a line for each file
    #[arg(long, value_enum, value_name = "UI")]
    pub(crate) ui: Option<Ui>,

    /// Show how long each test took
    #[arg(short = 'T', long)]
    pub(crate) timing: bool,

    /// Show every test
    #[arg(short, long, conflicts_with = "quiet")]
    pub(crate) verbose: bool,

    /// Show failures and the summary only
    #[arg(short, long)]
    pub(crate) quiet: bool,
}
