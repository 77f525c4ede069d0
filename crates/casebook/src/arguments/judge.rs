//! The options of `casebook judge`.

use std::path::PathBuf;

use clap::Args;

use super::record_args::RecordArgs;
use super::run::at_least_one;

/// Judge recorded conversations again, without calling the agent
///
/// The turns come from the record. Criteria and judge come from the suite, as it is now. The result is a new record, in which the results of
/// all other checks are those of the recorded run; `casebook diff` compares both.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit code: 0 all criteria in `expect` passed; 1 one did not, or a conversation stopped before
all were judged; 2 could not judge. With --calibrate: 0 compared, 1 kappa is below --min-kappa,
2 otherwise.

Examples:
  casebook judge                                the newest record, with its own suites
  casebook judge d00fa811 --suite strict.casebook.yaml
  casebook judge --criterion friendly
  casebook diff                                 what another judge decided differently
  casebook judge --calibrate reviews.jsonl --min-kappa 0.6

A label is a line of JSON, without `turn` for the whole conversation. It can have a `comment`:
  {\"example\": \"books a room\", \"turn\": 1, \"criterion\": \"friendly\", \"verdict\": \"passed\", \"by\": \"qa\"}")]
pub(crate) struct Judge {
    /// A file, a directory, the id of a recorded run, or latest~N for the Nth before the newest [default: the newest]
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,

    /// Take criteria and judge from this suite, instead of the recorded one; repeatable
    #[arg(long, value_name = "FILE")]
    pub(crate) suite: Vec<String>,

    /// Judge only this criterion
    #[arg(long, value_name = "NAME")]
    pub(crate) criterion: Option<String>,

    /// Compare the recorded verdicts with the labels in this file; with --suite, judge again first
    #[arg(long, value_name = "LABELS")]
    pub(crate) calibrate: Option<PathBuf>,

    /// Exit with code 1 if Cohen's kappa is below this number
    #[arg(long, value_name = "X", requires = "calibrate", value_parser = kappa, allow_negative_numbers = true)]
    pub(crate) min_kappa: Option<f64>,

    /// Judge N conversations at once [default: the number of CPUs]
    #[arg(short, long, value_name = "N", value_parser = at_least_one::<usize>, allow_negative_numbers = true)]
    pub(crate) jobs: Option<usize>,

    /// Cache model responses in this directory and reuse them
    #[arg(long, value_name = "DIR")]
    pub(crate) llm_cache: Option<PathBuf>,

    /// Use cached responses only; fail instead of calling a model
    #[arg(long)]
    pub(crate) llm_cache_only: bool,

    #[command(flatten)]
    pub(crate) record_args: RecordArgs,
}

fn kappa(text: &str) -> Result<f64, String> {
    let number = text.parse().ok();
    let number = number.filter(|number| (-1.0..=1.0).contains(number));
    number.ok_or_else(|| "must be a number from -1 to 1".to_owned())
}
