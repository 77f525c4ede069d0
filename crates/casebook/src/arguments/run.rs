//! The options of `casebook run`.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use casebook_run::{Shard, TagFilter};
use casebook_suite::fields::conversation::MAX_TRIALS;
use clap::{Args, ValueEnum};

use super::budget::RunBudget;
use super::cluster_args::ClusterRunArgs;
use super::output_args::OutputArgs;
use super::record_args::RecordArgs;
use super::repeat_args::RepeatArgs;

/// Check suites, run their tests, show and record the results
///
/// Suites are files named *.casebook.yaml, *.casebook.yml, *.bashi.yaml or *.bashi.yml. They are checked first, and
/// nothing is run if they have problems. Defaults for most options can be set in the table `[run]` of a file casebook.toml in
/// this directory or above; `casebook explain project-file` lists them.
#[expect(clippy::struct_excessive_bools, reason = "each is a separate option")]
#[derive(Debug, Default, Args)]
#[command(after_help = "\
Exit code: 0 all passed, 1 a test failed, 2 something could not be run, or a requested record
or report not written, 130 or 143 interrupted, 141 standard output was closed early (`| head`).

Examples:
  casebook run                                  every suite below this directory
  casebook run tests/shop.casebook.yaml:12      the test at that line
  casebook run -j 4 --filter checkout --tag '!slow'
  casebook run --format pretty --format junit=results.xml --html report.html
  casebook run --failed                         the tests that failed in the newest run
  casebook run --repeat 100 shop.casebook.yaml:12
  casebook run --stress 10m -j 8                repeat all tests for ten minutes
  casebook run --resume                         the unfinished tests of the newest run")]
pub(crate) struct Run {
    /// Files, directories, globs in quotes, or FILE:LINE and FILE:LINE-LINE for tests at these lines [default: this directory]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<String>,

    /// Run up to N tests at once [default: the number of CPUs]
    #[arg(short, long, value_name = "N", value_parser = at_least_one::<usize>, allow_negative_numbers = true, conflicts_with = "cluster")]
    pub(crate) jobs: Option<usize>,

    /// Run the tests in N worker processes, one test at a time in each
    #[arg(short, long, value_name = "N", value_parser = at_least_one::<usize>, allow_negative_numbers = true, conflicts_with_all = ["jobs", "engine", "cluster"])]
    pub(crate) workers: Option<usize>,

    /// The program to start as a worker
    #[arg(long, value_name = "PROGRAM", hide = true)]
    pub(crate) worker_program: Option<PathBuf>,

    /// Kill a worker that has been silent for this long
    #[arg(long, value_name = "TIME", value_parser = duration, allow_negative_numbers = true, hide = true, default_value = "15")]
    pub(crate) worker_silence: Duration,

    #[command(flatten)]
    pub(crate) cluster_args: ClusterRunArgs,

    /// Run only tests whose names contain this text or match /ERE/
    #[arg(long, value_name = "TEXT|/ERE/")]
    pub(crate) filter: Option<String>,

    /// Run only tests with this tag; `a,b` requires both, `!a` excludes; repeat to match any
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Vec<TagFilter>,

    /// Run only shard K of N
    #[arg(long, value_name = "K/N")]
    pub(crate) shard: Option<Shard>,

    /// Start no more tests after the first failure
    #[arg(long)]
    pub(crate) fail_fast: bool,

    /// Retry a failed test up to N times; a test that passes on retry is marked flaky
    #[arg(long, value_name = "N", value_parser = whole_number::<u32>, allow_negative_numbers = true)]
    pub(crate) retries: Option<u32>,

    #[command(flatten)]
    pub(crate) repeat_args: RepeatArgs,

    /// Run every conversation N times, instead of the `trials` in its suite
    #[arg(long, value_name = "N", value_parser = trials, allow_negative_numbers = true, conflicts_with_all = ["repeat", "stress", "until_fail"])]
    pub(crate) trials: Option<u32>,

    /// Show pass@k and pass^k of trials for these numbers: 1,3,5
    #[arg(long, value_name = "K,…", value_delimiter = ',', value_parser = at_least_one::<u64>, allow_negative_numbers = true)]
    pub(crate) k: Vec<u64>,

    /// Set the timeout of tests without a `timeout`: 2, 500ms, 2m
    #[arg(long, value_name = "TIME", value_parser = duration, allow_negative_numbers = true)]
    pub(crate) timeout: Option<Duration>,

    /// Accept the actual output: write it into snapshots and, after the run, into suites, as `casebook accept` does
    #[arg(long)]
    pub(crate) update: bool,

    /// Shuffle the tests with this seed
    #[arg(long, value_name = "N", value_parser = whole_number::<u64>, allow_negative_numbers = true)]
    pub(crate) seed: Option<u64>,

    /// Run the tests with this engine
    #[arg(long, value_enum, value_name = "ENGINE", conflicts_with = "cluster")]
    pub(crate) engine: Option<Engine>,

    /// List tests without running them
    #[arg(long)]
    pub(crate) list: bool,

    /// With --list, print JSON, as --format json does
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,

    /// Fail tests whose `requires` or `skipUnless` is not met, instead of skipping them
    #[arg(long)]
    pub(crate) require_all: bool,

    /// Set how to treat a test whose command leaves processes that keep its output open
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) leaks: Option<Leaks>,

    /// Capture at most this much output per test: 512KB, 10MB [default: 10MB]
    #[arg(long, value_name = "SIZE")]
    pub(crate) max_output: Option<Size>,

    /// Set how to treat an `evaluate` check that could not be judged because of an error
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) soft_errors: Option<SoftErrors>,

    /// Start no more tests when the conversations have spent this: cost=5,tokens=100000,calls=200
    #[arg(long, value_name = "LIMITS")]
    pub(crate) budget: Option<RunBudget>,

    /// Cache model responses in this directory and reuse them
    #[arg(long, value_name = "DIR")]
    pub(crate) llm_cache: Option<PathBuf>,

    /// Use cached responses only; fail instead of calling a model
    #[arg(long)]
    pub(crate) llm_cache_only: bool,

    /// Run the unfinished tests of this run and add to its record [default: the newest]
    #[arg(long, value_name = "RUN", num_args = 0..=1, default_missing_value = "")]
    pub(crate) resume: Option<String>,

    /// Run the tests that failed or did not run in this run, as a new run [default: the newest]
    #[arg(long, value_name = "RUN", num_args = 0..=1, default_missing_value = "", conflicts_with = "resume")]
    pub(crate) failed: Option<String>,

    #[command(flatten)]
    pub(crate) output_args: OutputArgs,

    /// Keep the directories of tests, BATS_TEST_TMPDIR, and show their paths
    #[arg(long, value_enum, value_name = "WHICH", conflicts_with = "cluster")]
    pub(crate) keep_temp: Option<KeepTemp>,

    /// Show each command with its output, and each conversation
    #[arg(short = 'x', long)]
    pub(crate) trace: bool,

    #[command(flatten)]
    pub(crate) record_args: RecordArgs,

    /// Rerun when a file changes, until Ctrl-C
    #[arg(long, conflicts_with_all = ["resume", "failed", "list", "cluster"])]
    pub(crate) watch: bool,
}

/// The engines that run tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Engine {
    /// Casebook itself
    Native,
    /// The installed bats, on the compiled suites
    Bats,
}

/// How running tests are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Ui {
    /// Full screen: a tab for each worker with its progress, and keys to navigate
    Interactive,
    /// A line for each event, with the number of the worker
    Interleaved,
    /// A character for each test: . passed, F failed, * skipped
    Quiet,
}

/// Which directories of tests are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum KeepTemp {
    /// Those of failed tests
    Failed,
    /// All
    Always,
}

/// How leaky tests are treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Leaks {
    /// Mark it as leaky
    Warn,
    /// Fail it
    Fail,
}

/// How soft checks that could not be judged are treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SoftErrors {
    /// List them after the results
    Warn,
    /// Fail their tests
    Fail,
}

/// The error for an invalid size.
pub(super) const SIZE: &str = "must be a size such as 512KB, 10MB or 1GB";

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
            _ => return Err(SIZE.into()),
        };
        let number: usize = number.parse().map_err(|_| SIZE)?;
        number
            .checked_mul(factor)
            .map(Size)
            .ok_or_else(|| "this size is too large".into())
    }
}

/// A format, and where it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OutputFormat {
    pub(crate) kind: FormatKind,
    /// `None` for standard output.
    pub(crate) file: Option<PathBuf>,
}

/// A format of results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatKind {
    /// Text for the terminal
    Pretty,
    /// The Test Anything Protocol
    Tap,
    /// JUnit XML
    Junit,
    /// One JSON document
    Json,
    /// The events as they happen, one JSON object per line
    Jsonl,
    /// Annotations for GitHub Actions
    Github,
    /// The Common Test Report Format, JSON for other services
    Ctrf,
    /// One line per test, for spreadsheets
    Csv,
    /// A directory of results for Allure
    Allure,
    /// An SQLite database
    Sqlite,
}

impl FormatKind {
    /// What must follow the `=`, for a format that cannot be written to standard output.
    fn required_target(self) -> Option<&'static str> {
        match self {
            FormatKind::Allure => Some("a directory: allure=DIR"),
            FormatKind::Sqlite => Some("a file: sqlite=FILE"),
            _ => None,
        }
    }
}

impl FromStr for OutputFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<OutputFormat, String> {
        let (name, file) = match text.split_once('=') {
            None => (text, None),
            Some((_, "")) => return Err("a file must follow the `=`".into()),
            Some((name, file)) => (name, Some(PathBuf::from(file))),
        };
        let kind = FormatKind::from_str(name, false).map_err(|_| match name {
            "html" => "use --html FILE to write an HTML page".to_owned(),
            _ => concat!("must be ", format_names!()).to_owned(),
        })?;
        match kind.required_target() {
            Some(target) if file.is_none() => Err(format!("{name} is written to {target}")),
            _ => Ok(OutputFormat { kind, file }),
        }
    }
}

/// Parses a duration in the syntax of suites.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    casebook_suite::as_duration(text).ok_or_else(|| format!("must be {}", casebook_suite::DURATION))
}

pub(crate) fn at_least_one<T: FromStr + PartialOrd + Default>(text: &str) -> Result<T, String> {
    match text.parse() {
        Ok(number) if number > T::default() => Ok(number),
        _ => Err("must be a whole number of at least 1".into()),
    }
}

fn trials(text: &str) -> Result<u32, String> {
    let number = text.parse().ok();
    let number = number.filter(|number| (1..=MAX_TRIALS).contains(number));
    number.ok_or_else(|| format!("must be a whole number from 1 to {MAX_TRIALS}"))
}

pub(crate) fn whole_number<T: FromStr>(text: &str) -> Result<T, String> {
    let number = text.parse();
    number.map_err(|_| "must be a whole number of at least 0".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_optional_units() {
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
    fn help_and_messages_name_all_formats() {
        let names: Vec<_> = FormatKind::value_variants()
            .iter()
            .filter_map(ValueEnum::to_possible_value)
            .map(|value| value.get_name().to_owned())
            .collect();
        assert_eq!(format_names!().replace(" or ", ", "), names.join(", "));
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

    #[test]
    fn formats_of_several_files_or_bytes_need_a_path() {
        let error = |text: &str| text.parse::<OutputFormat>().unwrap_err();
        assert_eq!(
            error("allure"),
            "allure is written to a directory: allure=DIR"
        );
        assert_eq!(error("sqlite"), "sqlite is written to a file: sqlite=FILE");
        assert!("allure=a".parse::<OutputFormat>().is_ok());
    }
}
