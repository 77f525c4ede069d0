//! What can be typed behind `casebook coverage`.

use std::path::PathBuf;

use clap::Args;

/// Say which states of which characteristics are tested
///
/// Takes what `casebook design analyze` has found, and says of every state whether a test covers it, and whether that
/// test was run and passed. A test covers a state because its suite says so (`covers`), or because it stands in the
/// context of a spec that is named after the state. A state has passed when a test that covers it passed and none
/// failed.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit code: 0 shown, 1 fewer states have passed than --min asks for, 2 could not be shown.

Examples:
  casebook coverage                               all that was analyzed in this project
  casebook coverage app/models lib/cart.rb#total  some of it
  casebook coverage --min 90                      a gate: 90 of 100 states have to pass
  casebook coverage --run latest --run d00fa811   with the results of two runs
  casebook coverage --json | jq .states.passed_percent")]
pub(crate) struct Coverage {
    /// Ruby files, FILE#method, folders, or metadata files [default: this project]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<String>,

    /// A recorded run whose results count; of a test that is in several, the newest [default: the newest record]
    #[arg(long = "run", value_name = "RUN")]
    pub(crate) runs: Vec<String>,

    /// Suites whose `covers` count: files, folders or globs [default: this folder]
    #[arg(long = "suite", value_name = "PATH")]
    pub(crate) suites: Vec<String>,

    /// End with exit code 1 when fewer states of a hundred have passed
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub(crate) min: Option<f64>,

    /// Print everything as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Write a page to a file, or to standard output with -, and print nothing else
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    pub(crate) html: Option<PathBuf>,
}

fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).parse();
    number
        .ok()
        .filter(|number| (0.0..=100.0).contains(number))
        .ok_or_else(|| "a number from 0 to 100 is wanted".to_owned())
}
