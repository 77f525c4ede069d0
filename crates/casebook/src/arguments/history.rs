//! The options of `casebook history`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args, Subcommand};

/// Show trends across recorded runs
///
/// Shows the trends of pass rate and duration, the newest runs, the slowest and flaky tests, and for each failing or
/// slower test, the run and commit since which it fails or is slower. Reads the runs in .casebook/runs and caches them
/// in .casebook/history.idx, which can be deleted at any time.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "\
Exit code: 0 the runs were shown, even if tests failed; 2 otherwise.

Examples:
  casebook history
  casebook history --test login         tests whose names contain this text
  casebook history --limit 50           the 50 newest runs
  casebook history --html history.html
  casebook history --json | jq '.flaky[].title'
  casebook history --sqlite runs.db     a database of all runs
  casebook history prune --keep 100     remove all but the 100 newest runs")]
pub(crate) struct History {
    #[command(subcommand)]
    pub(crate) command: Option<HistoryCommand>,

    /// Show only tests whose names or ids contain this
    #[arg(long, value_name = "NAME")]
    pub(crate) test: Option<String>,

    /// Use at most N runs, newest first
    #[arg(long, value_name = "N", value_parser = super::run::at_least_one::<u32>)]
    pub(crate) limit: Option<u32>,

    /// List this many of the slowest tests
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = super::run::whole_number::<usize>)]
    pub(crate) slowest: usize,

    /// Print everything as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Write a self-contained HTML page to a file, or to standard output with -, and show nothing else
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    pub(crate) html: Option<PathBuf>,

    /// Write all tests of all runs to an SQLite database, and show nothing
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "html", "test", "slowest"])]
    pub(crate) sqlite: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum HistoryCommand {
    Prune(Prune),
}

/// Remove recorded runs that are too old, too many or too large
///
/// A run that exceeds any of the limits is removed. The run that `latest` names is kept, as are runs that are being written
/// and directories that contain anything but a record.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit code: 0 all selected runs were removed; 2 otherwise.

Examples:
  casebook history prune --keep 100 --dry-run
  casebook history prune --older-than 30d
  casebook history prune --max-size 1GB")]
#[command(group = ArgGroup::new("limits").args(["older_than", "keep", "max_size"]).required(true).multiple(true))]
pub(crate) struct Prune {
    /// Remove runs older than this, such as 12h, 30d or 8w
    #[arg(long, value_name = "AGE", value_parser = age)]
    pub(crate) older_than: Option<Duration>,

    /// Keep at most N runs, newest first
    #[arg(long, value_name = "N", value_parser = super::run::whole_number::<usize>)]
    pub(crate) keep: Option<usize>,

    /// Keep at most this much, newest first, such as 500MB or 1GB
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) max_size: Option<u64>,

    /// Only list the runs that would be removed
    #[arg(long, short = 'n')]
    pub(crate) dry_run: bool,
}

/// `30d`: a number and a unit.
fn age(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text);
    let seconds = match unit {
        "s" => 1,
        "min" => 60,
        "h" => 60 * 60,
        "d" => 24 * 60 * 60,
        "w" => 7 * 24 * 60 * 60,
        _ => 0,
    };
    let number: Option<u64> = number.parse().ok().filter(|_| seconds > 0);
    number
        .and_then(|number| number.checked_mul(seconds))
        .map(Duration::from_secs)
        .ok_or_else(|| "must be an age such as 12h, 30d or 2w".into())
}

/// `1.5GB`: a number and a unit.
fn size(text: &str) -> Result<u64, String> {
    let (number, unit) = split(text);
    let bytes: u64 = match unit.to_ascii_lowercase().as_str() {
        "b" => 1,
        "k" | "kb" => 1_000,
        "m" | "mb" => 1_000_000,
        "g" | "gb" => 1_000_000_000,
        "t" | "tb" => 1_000_000_000_000,
        "kib" => 1 << 10,
        "mib" => 1 << 20,
        "gib" => 1 << 30,
        "tib" => 1 << 40,
        _ => 0,
    };
    let number: Option<f64> = number.parse().ok().filter(|_| bytes > 0);
    number
        .map(|number| scaled(number, bytes))
        .ok_or_else(|| super::run::SIZE.into())
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "`as` saturates, and a size need not be exact to the byte"
)]
fn scaled(number: f64, unit: u64) -> u64 {
    (number * unit as f64) as u64
}

fn split(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    (number, unit.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_and_sizes_have_units() {
        for (text, seconds) in [
            ("30d", 2_592_000),
            ("12h", 43_200),
            ("5 min", 300),
            ("0s", 0),
            ("2w", 1_209_600),
        ] {
            assert_eq!(age(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
        for (text, bytes) in [
            ("1GB", 1_000_000_000),
            ("1.5 MB", 1_500_000),
            ("2KiB", 2_048),
            ("10b", 10),
            ("0MB", 0),
        ] {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for text in [
            "",
            "30",
            "d",
            "-1d",
            "3m",
            "1.5d",
            "99999999999999999999d",
            "1e3d",
        ] {
            assert!(age(text).is_err(), "{text}");
        }
        for text in ["", "1", "GB", "-1GB", "1XB", "1.2.3GB"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
