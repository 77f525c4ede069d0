//! How much of a run is shown while it lasts.

use clap::Args;

#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct Showing {
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
