//! What `casebook run` understands.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use casebook_run::{Shard, TagFilter};
use clap::{Args, ValueEnum};
use serde::Deserialize;

use super::output_args::OutputArgs;
use super::record_args::RecordArgs;

/// Check suites, run their tests, show and record what happens
///
/// Suites are files named *.casebook.yaml, *.casebook.yml, *.bashi.yaml or *.bashi.yml. They are checked first, and
/// nothing is run if anything is wrong with them. Defaults for these options can stand in a table `[run]` of a file
/// casebook.toml here or in a folder above.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own"
)]
#[derive(Debug, Default, Args)]
#[command(after_help = "\
Exit code: 0 all passed, 1 a test failed, 2 nothing could be run, 130 or 143 interrupted, 141 ended
because nobody reads the results any more (`| head`).

Examples:
  casebook run                                  every suite below this folder
  casebook run tests/shop.casebook.yaml:12      the test at that line
  casebook run -j 4 --filter checkout --tag '!slow'
  casebook run --format pretty --format junit=results.xml --html report.html
  casebook run --resume                         what the newest run did not finish")]
pub(crate) struct Run {
    /// Files, folders, globs in quotes, or FILE:LINE for one test [default: this folder]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<String>,

    /// How many tests to run at once [default: the number of CPUs]
    #[arg(short, long, value_name = "N", value_parser = at_least_one)]
    pub(crate) jobs: Option<usize>,

    /// Run the tests in N processes of their own, one test at a time each
    #[arg(short, long, value_name = "N", value_parser = at_least_one, conflicts_with_all = ["jobs", "engine"])]
    pub(crate) workers: Option<usize>,

    /// The program to start as a worker
    #[arg(long, value_name = "PROGRAM", hide = true)]
    pub(crate) worker_program: Option<PathBuf>,

    /// How long a worker may say nothing before it counts as dead
    #[arg(long, value_name = "TIME", value_parser = duration, hide = true, default_value = "15")]
    pub(crate) worker_silence: Duration,

    /// Only tests with this text in their names, or names that /ERE/ matches
    #[arg(long, value_name = "TEXT|/ERE/")]
    pub(crate) filter: Option<String>,

    /// Only tests with this tag; a,b wants both, !a does not want it, given twice either will do
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Vec<TagFilter>,

    /// Only part K of N, for machines that share the work
    #[arg(long, value_name = "K/N")]
    pub(crate) shard: Option<Shard>,

    /// Start no more tests after the first failure
    #[arg(long)]
    pub(crate) fail_fast: bool,

    /// Try a failed test again, so often; a pass is then marked flaky
    #[arg(long, value_name = "N")]
    pub(crate) retries: Option<u32>,

    /// How long a test may take that has no timeout of its own: 2, 500ms, 2m
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,

    /// Accept the output of tests with snapshots
    #[arg(long)]
    pub(crate) update: bool,

    /// Run the tests in an order shuffled by this number
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,

    /// What runs the tests: this program, or the installed bats
    #[arg(long, value_enum, value_name = "ENGINE")]
    pub(crate) engine: Option<Engine>,

    /// List the tests that would be run, and run none
    #[arg(long)]
    pub(crate) list: bool,

    /// What becomes of a test whose command leaves processes that hold its output open
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) leaks: Option<Leaks>,

    /// How much output of a test is captured: 512K, 10M [default: 10M]
    #[arg(long, value_name = "SIZE")]
    pub(crate) max_output: Option<Size>,

    /// Record the answers of models there, and take from there what was recorded
    #[arg(long, value_name = "DIR")]
    pub(crate) llm_cache: Option<PathBuf>,

    /// Take recorded answers only: ask no model, and fail where one is missing
    #[arg(long)]
    pub(crate) llm_cache_only: bool,

    /// Run only what this run did not finish, and add to its record [default: the newest]
    #[arg(long, value_name = "RUN", num_args = 0..=1, default_missing_value = "")]
    pub(crate) resume: Option<String>,

    #[command(flatten)]
    pub(crate) output_args: OutputArgs,

    /// Show each command and its output, and what was said in each conversation
    #[arg(short = 'x', long)]
    pub(crate) trace: bool,

    #[command(flatten)]
    pub(crate) record_args: RecordArgs,

    /// Run again whenever a file changes, until Ctrl-C
    #[arg(long, conflicts_with_all = ["resume", "list"])]
    pub(crate) watch: bool,
}

/// What runs tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Engine {
    /// This program itself
    Native,
    /// The installed bats, on the compiled suites
    Bats,
}

/// How a run is shown while it lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Ui {
    /// The whole screen: a tab for each worker, what it does, and keys to look around
    Interactive,
    /// A line for each thing that happens, with the worker's number before it
    Interleaved,
    /// A character for each test: . passed, F failed, * skipped
    Quiet,
}

/// What becomes of a leaky test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Leaks {
    /// It is marked leaky
    Warn,
    /// It fails
    Fail,
}

/// A number of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Size(pub(crate) usize);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Size, String> {
        let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let factor: usize = match text[number.len()..].to_ascii_lowercase().as_str() {
            "" | "b" => 1,
            "k" | "kb" | "kib" => 1 << 10,
            "m" | "mb" | "mib" => 1 << 20,
            "g" | "gb" | "gib" => 1 << 30,
            _ => return Err("a size is written 512K, 10M or 1G".into()),
        };
        let number: usize = number
            .parse()
            .map_err(|_| "a size is written 512K, 10M or 1G")?;
        number
            .checked_mul(factor)
            .map(Size)
            .ok_or_else(|| "that is more than there is".into())
    }
}

/// A way to show results, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OutputFormat {
    pub(crate) kind: FormatKind,
    /// Standard output if none.
    pub(crate) file: Option<PathBuf>,
}

/// A way to show results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatKind {
    /// For people
    Pretty,
    /// The Test Anything Protocol
    Tap,
    /// JUnit XML
    Junit,
    /// One JSON document
    Json,
    /// Annotations for GitHub Actions
    Github,
}

impl FromStr for OutputFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<OutputFormat, String> {
        let (kind, file) = match text.split_once('=') {
            None => (text, None),
            Some((_, "")) => return Err("there is no file behind the `=`".into()),
            Some((kind, file)) => (kind, Some(PathBuf::from(file))),
        };
        let kind = FormatKind::from_str(kind, false).map_err(|_| match kind {
            "html" => "an HTML page is written by --html FILE".to_owned(),
            _ => "a format is one of pretty, tap, junit, json and github".to_owned(),
        })?;
        Ok(OutputFormat { kind, file })
    }
}

/// A time as suites write it.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    casebook_suite::as_duration(text).ok_or_else(|| "write 2, 0.5, 500ms, 30s or 2m".to_owned())
}

pub(super) fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err("a whole number from 1 on".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_as_people_write_them() {
        for (text, bytes) in [
            ("7", 7),
            ("512K", 512 << 10),
            ("10M", 10 << 20),
            ("1GiB", 1 << 30),
        ] {
            assert_eq!(text.parse(), Ok(Size(bytes)), "{text}");
        }
        for bad in ["", "M", "-1", "1T", "1.5M", "99999999999G"] {
            assert!(bad.parse::<Size>().is_err(), "{bad}");
        }
    }

    #[test]
    fn formats_may_name_a_file() {
        let format = |text: &str| text.parse::<OutputFormat>();
        assert_eq!(format("tap").unwrap().file, None);
        let junit = format("junit=a=b.xml").unwrap();
        assert_eq!(
            (junit.kind, junit.file),
            (FormatKind::Junit, Some("a=b.xml".into()))
        );
        assert!(format("junit=").is_err() && format("xml").is_err());
    }
}
