//! The options of `casebook cluster`.

use clap::{Args, Subcommand};

use super::cluster_args::ClusterArgs;

/// Show the runs and workers of a cluster
#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct Cluster {
    #[command(subcommand)]
    pub(crate) command: ClusterCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ClusterCommand {
    Status(Status),
}

/// Show the runs and the workers of a cluster
///
/// A chunk is a set of tests that a worker takes at once. For each run: the chunks that wait for a worker, that workers
/// run now, that were given to another worker because the first one was silent, and that are finished. For each worker
/// that answers: the chunk it runs.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit code: 0 the status was shown, even if there are no workers; 2 otherwise.

Examples:
  casebook cluster status                          the server in casebook.toml
  casebook cluster status nats://127.0.0.1:4222
  casebook cluster status --json | jq '.workers | length'")]
pub(crate) struct Status {
    /// The URL of the NATS server [default: the one in CASEBOOK_CLUSTER_URL or casebook.toml]
    #[arg(value_name = "URL")]
    pub(crate) url: Option<String>,

    #[command(flatten)]
    pub(crate) cluster_args: ClusterArgs,

    /// Print everything as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
