//! The options of `casebook rspec`.

use std::ffi::OsString;
use std::time::Duration;

use clap::Args;

use super::cluster_args::ClusterRunArgs;
use super::output_args::OutputArgs;
use super::record_args::RecordArgs;
use super::run::{at_least_one, duration};

/// Run RSpec examples in several processes, show them as one run and record it
///
/// Each process loads the specs once and receives the next example when it has finished one, the longest first if the newest
/// record contains durations. Examples that share a before(:context) stay together. If a process dies, its example fails and
/// the process is replaced. TEST_ENV_NUMBER is empty in the first process, 2 in the second.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit code: 0 all passed, 1 an example failed, 2 something could not be run, or a requested record
or report not written, 130 or 143 interrupted, 141 standard output was closed early (`| head`).

Examples:
  casebook rspec -w 4
  casebook rspec -w 4 spec/models spec/shop_spec.rb:12
  casebook rspec -w 4 --fail-fast -- --tag ~slow
  casebook rspec --resume                       the unfinished examples of the newest run
  casebook rspec --cluster nats://queue:4222    on the workers of a cluster
  casebook rspec --command 'bin/rspec'")]
pub(crate) struct Rspec {
    /// Files, directories, FILE:LINE or ids, as for RSpec [default: what RSpec runs by default]
    #[arg(value_name = "SPEC")]
    pub(crate) specs: Vec<OsString>,

    /// Options for RSpec, after --
    #[arg(last = true, value_name = "OPTION")]
    pub(crate) options: Vec<OsString>,

    /// Run the examples in N processes [default: the number of CPUs]
    #[arg(short, long, value_name = "N", value_parser = at_least_one::<usize>, allow_negative_numbers = true, conflicts_with = "cluster")]
    pub(crate) workers: Option<usize>,

    #[command(flatten)]
    pub(crate) cluster_args: ClusterRunArgs,

    /// The command that starts RSpec [default: `bundle exec rspec` with a Gemfile, otherwise `rspec`]
    #[arg(long, value_name = "COMMAND")]
    pub(crate) command: Option<String>,

    /// Kill a process whose example, or hook between examples, takes longer than this: 30, 500ms, 2m
    #[arg(long, value_name = "TIME", value_parser = duration, allow_negative_numbers = true)]
    pub(crate) timeout: Option<Duration>,

    /// Kill a stopping process that has been silent for this long
    #[arg(long, value_name = "TIME", value_parser = duration, allow_negative_numbers = true, hide = true, default_value = "15")]
    pub(crate) worker_silence: Duration,

    /// Start no more examples after the first failure
    #[arg(long)]
    pub(crate) fail_fast: bool,

    /// Run the examples in an order shuffled by this number
    #[arg(long, value_name = "N", value_parser = super::run::whole_number::<u64>)]
    pub(crate) seed: Option<u64>,

    /// Run the unfinished examples of a run, with its specs, and append to its record [default: the newest]
    #[arg(long, value_name = "RUN", num_args = 0..=1, default_missing_value = "", conflicts_with_all = ["list", "record"])]
    pub(crate) resume: Option<String>,

    /// List examples without running them
    #[arg(long)]
    pub(crate) list: bool,

    /// With --list, print JSON, as --format json does
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) output_args: OutputArgs,

    #[command(flatten)]
    pub(crate) record_args: RecordArgs,
}
