//! What `casebook rspec` understands.

use std::ffi::OsString;
use std::time::Duration;

use clap::Args;

use super::output_args::OutputArgs;
use super::record_args::RecordArgs;
use super::run::{at_least_one, duration};

/// Run RSpec examples in several processes, show them as one run and record it
///
/// Each process loads the specs once and is then given examples as it gets done with others: the longest first where
/// the newest record knows them. Examples that share a before(:context) stay together. An example during which its
/// process dies is failed, and the process replaced. TEST_ENV_NUMBER is empty in the first process, 2 in the second.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit code: 0 all passed, 1 an example failed, 2 nothing could be run, 130 or 143 interrupted, 141 ended
because nobody reads the results any more (`| head`).

Examples:
  casebook rspec -w 4
  casebook rspec -w 4 spec/models spec/shop_spec.rb:12
  casebook rspec -w 4 --fail-fast -- --tag ~slow
  casebook rspec --command 'bin/rspec'")]
pub(crate) struct Rspec {
    /// Files, folders, FILE:LINE or ids, as RSpec takes them [default: what RSpec runs without]
    #[arg(value_name = "SPEC")]
    pub(crate) specs: Vec<OsString>,

    /// Options for RSpec, behind --
    #[arg(last = true, value_name = "OPTION")]
    pub(crate) options: Vec<OsString>,

    /// How many processes share the work [default: the number of CPUs]
    #[arg(short, long, value_name = "N", value_parser = at_least_one)]
    pub(crate) workers: Option<usize>,

    /// What starts RSpec [default: `bundle exec rspec` where there is a Gemfile, else `rspec`]
    #[arg(long, value_name = "COMMAND")]
    pub(crate) command: Option<String>,

    /// How long an example may take, or a hook between examples, before its process is ended: 30, 500ms, 2m
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,

    /// How long a process that was stopped may say nothing before it counts as dead
    #[arg(long, value_name = "TIME", value_parser = duration, hide = true, default_value = "15")]
    pub(crate) worker_silence: Duration,

    /// Start no more examples after the first failure
    #[arg(long)]
    pub(crate) fail_fast: bool,

    /// Run the examples in an order shuffled by this number
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,

    /// List the examples that would be run, and run none
    #[arg(long)]
    pub(crate) list: bool,

    #[command(flatten)]
    pub(crate) output_args: OutputArgs,

    #[command(flatten)]
    pub(crate) record_args: RecordArgs,
}
