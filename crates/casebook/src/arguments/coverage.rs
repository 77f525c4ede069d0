//! The options of `casebook coverage`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

/// Show which states of Ruby methods are tested
///
/// A state is one outcome of something that varies in a method, such as a condition. Shows for every state that `casebook
/// design analyze` found whether a test covers it, and whether that test was run and passed. A test covers a state if its suite names the state (`covers`), or if it is in a context of a spec that is named
/// after the state. A state has passed if a test that covers it passed and none failed.
///
/// With --observe, the specs of any Ruby project show which states they reach, without names and without a design: the
/// conditions of its methods report their outcomes while the examples run. With --prove, each state is inverted while
/// the examples that reach it run again: if none fails, the state is exercised, but not checked.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit code: 0 shown, 1 fewer states passed than --min requires, 2 could not be shown; if COMMAND fails, its exit code.

Examples:
  casebook coverage                               all designs of this project
  casebook coverage app/models lib/cart.rb#total  some of them
  casebook coverage --min 90                      require 90% of all states to pass
  casebook coverage --run latest --run d00fa811   with the results of two runs
  casebook coverage --observe -- bundle exec rspec
  casebook coverage --prove --since main          what the examples of changed methods do not check
  casebook coverage --json | jq .states.passed_percent")]
pub(crate) struct Coverage {
    /// Ruby files, FILE#method, directories, or metadata files [default: this project]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<String>,

    /// Use the results of this run; if a test is in several runs, the newest counts [default: the newest record of suites and the newest of specs]
    #[arg(long = "run", value_name = "RUN")]
    pub(crate) runs: Vec<String>,

    /// Use the `covers` of these suites: files, directories or globs [default: this directory]
    #[arg(long = "suite", value_name = "PATH")]
    pub(crate) suites: Vec<String>,

    /// Exit with code 1 if a smaller percentage of states passed
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub(crate) min: Option<f64>,

    /// Run this command, which starts RSpec, and observe which states its examples reach
    #[arg(long, requires = "command")]
    pub(crate) observe: bool,

    /// Find out which of the exercised states are checked: invert each, and run the examples that reach it
    #[arg(long)]
    pub(crate) prove: bool,

    /// With --prove, only methods that changed since this commit
    #[arg(long, value_name = "COMMIT", requires = "prove")]
    pub(crate) since: Option<String>,

    /// Print everything as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Write a page to a file, or to standard output with -, and print nothing else
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    pub(crate) html: Option<PathBuf>,

    /// The command that runs the specs, with --observe or --prove
    #[arg(value_name = "COMMAND", last = true)]
    pub(crate) command: Vec<OsString>,
}

fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).parse();
    number
        .ok()
        .filter(|number| (0.0..=100.0).contains(number))
        .ok_or_else(|| "must be a number from 0 to 100".to_owned())
}
