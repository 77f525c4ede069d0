//! The options of `casebook worker`.

use clap::Args;

use super::cluster_args::ClusterArgs;
use super::run::at_least_one;

/// Run tests for `casebook run --cluster` and `casebook rspec --cluster`, until Ctrl-C
///
/// Start it in a checkout of the project, on as many machines as you like. A worker refuses a suite that differs from the
/// one on the machine that started the run.
#[derive(Debug, Args)]
#[command(after_help = "\
Anyone who can publish to this NATS server can run code here. A server on another machine must
be reached with tls:// and credentials.

Examples:
  casebook worker --connect nats://127.0.0.1:4222
  casebook worker --connect tls://queue.example:4222 --cluster-creds worker.creds --jobs 8")]
pub(crate) struct Worker {
    /// Take tests from the NATS server at this URL [default: the one in CASEBOOK_CLUSTER_URL or casebook.toml]
    #[arg(long, value_name = "URL", num_args = 0..=1, default_missing_value = "")]
    pub(crate) connect: Option<String>,

    /// Run up to N tests at once [default: the number of CPUs]
    #[arg(short, long, value_name = "N", value_parser = at_least_one::<usize>, allow_negative_numbers = true)]
    pub(crate) jobs: Option<usize>,

    #[command(flatten)]
    pub(crate) cluster_args: ClusterArgs,

    /// The number of this process among those of a worker
    #[arg(long, value_name = "N", hide = true)]
    pub(crate) slot: Option<usize>,
}
