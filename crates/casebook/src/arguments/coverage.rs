//! The options of `casebook coverage`.

use std::path::PathBuf;

use clap::Args;

/// Show which states of which characteristics are tested
///
/// Shows for every state that `casebook design analyze` found whether a test covers it, and whether that test was run and
/// passed. A test covers a state if its suite names the state (`covers`), or if it is in a context of a spec that is named
/// after the state. A state has passed if a test that covers it passed and none failed.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit code: 0 shown, 1 fewer states passed than --min requires, 2 could not be shown.

Examples:
  casebook coverage                               all designs of this project
  casebook coverage app/models lib/cart.rb#total  some of them
  casebook coverage --min 90                      require 90% of all states to pass
  casebook coverage --run latest --run d00fa811   with the results of two runs
  casebook coverage --json | jq .states.passed_percent")]
pub(crate) struct Coverage {
    /// Ruby files, FILE#method, directories, or metadata files [default: this project]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<String>,

    /// Use the results of this run; if a test is in several runs, the newest counts [default: the newest record]
    #[arg(long = "run", value_name = "RUN")]
    pub(crate) runs: Vec<String>,

    /// Use the `covers` of these suites: files, directories or globs [default: this directory]
    #[arg(long = "suite", value_name = "PATH")]
    pub(crate) suites: Vec<String>,

    /// Exit with code 1 if a smaller percentage of states passed
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
        .ok_or_else(|| "must be a number from 0 to 100".to_owned())
}
