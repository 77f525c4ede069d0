//! Options for the connection to a cluster, which may also be set in the environment or in `casebook.toml`, and for runs on it.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::run::{duration, whole_number};

/// The options of a run on a cluster.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ClusterRunArgs {
    /// Run the tests on the workers of the NATS server at this URL [default: the one in CASEBOOK_CLUSTER_URL or casebook.toml]
    #[arg(long, value_name = "URL", num_args = 0..=1, default_missing_value = "")]
    pub(crate) cluster: Option<String>,

    #[command(flatten)]
    pub(crate) connection: ClusterArgs,

    /// Send the files below PATH to the workers, which then need no checkout; may be repeated
    #[arg(long, value_name = "PATH", requires = "cluster")]
    pub(crate) bundle: Vec<PathBuf>,

    /// Run a test again N times if its worker died
    #[arg(long, value_name = "N", value_parser = whole_number::<u32>, allow_negative_numbers = true, default_value_t = 1, requires = "cluster")]
    pub(crate) lost_retries: u32,

    /// Give up when no worker is connected for this long
    #[arg(long, value_name = "TIME", value_parser = duration, allow_negative_numbers = true, default_value = "5m", requires = "cluster")]
    pub(crate) no_worker_timeout: Duration,

    /// Give up when the connection to the server, once made, is lost for this long
    #[arg(long, value_name = "TIME", value_parser = duration, allow_negative_numbers = true, default_value = "5m", requires = "cluster")]
    pub(crate) no_server_timeout: Duration,

    /// The id of the run; if the command with this id was killed, its run is continued
    #[arg(long, value_name = "ID", value_parser = run_id, requires = "cluster", conflicts_with = "resume")]
    pub(crate) run_id: Option<String>,

    /// Give a chunk to another worker if its worker is silent for this long
    #[arg(long, value_name = "TIME", value_parser = duration, allow_negative_numbers = true, hide = true, default_value = "30", requires = "cluster")]
    pub(crate) cluster_lease: Duration,
}

#[derive(Debug, Clone, Default, Args)]
#[expect(
    clippy::struct_field_names,
    reason = "they are the names of the options"
)]
pub(crate) struct ClusterArgs {
    /// The name that separates projects on one server [default: default]
    #[arg(long, value_name = "NAME")]
    pub(crate) cluster_name: Option<String>,

    /// Log in with this `.creds` file
    #[arg(long, value_name = "FILE")]
    pub(crate) cluster_creds: Option<PathBuf>,

    /// Trust the certificates in this PEM file, besides those of the system
    #[arg(long, value_name = "FILE")]
    pub(crate) cluster_ca: Option<PathBuf>,
}

/// A run id, which is part of names on the server.
fn run_id(text: &str) -> Result<String, String> {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if text.is_empty() || !text.chars().all(is_allowed) {
        return Err("use ASCII letters, digits, `-` and `_`".to_owned());
    }
    Ok(text.to_owned())
}
