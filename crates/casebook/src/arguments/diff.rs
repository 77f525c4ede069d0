//! The options of `casebook diff`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Show what changed between two recorded runs
///
/// Tests are matched by their stable ids, even if they were moved. Shows tests that newly fail, pass, are skipped or flaky,
/// that still fail, and that were added or removed; tests that became slower or faster than noise explains; pass rates of
/// criteria, with a test of significance; turns, tokens and cost; and differences in configuration.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit code: 0 the runs were compared; 1 --fail-on found a change; 2 otherwise.

Examples:
  casebook diff                            the newest record with the one before it
  casebook diff latest~3                   the newest with the third before it
  casebook diff main/run.json pr/run.json  any two files
  casebook diff d00fa811 latest --json
  casebook diff main.json pr.json --markdown > comment.md
  casebook diff --html diff.html
  casebook diff main.json pr.json --fail-on regression")]
pub(crate) struct Diff {
    /// The earlier run: a file, a directory, the id of a recorded run, or latest~N for the Nth before the newest [default:
    /// latest~1]
    #[arg(value_name = "BASE")]
    pub(crate) base: Option<String>,

    /// The later run, named in the same way [default: the newest]
    #[arg(value_name = "NEW")]
    pub(crate) new: Option<String>,

    /// Print everything as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Print Markdown, for a comment on a pull request
    #[arg(long, conflicts_with = "json")]
    pub(crate) markdown: bool,

    /// Write a self-contained HTML page to a file, or to standard output with -, and show nothing else
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "markdown"])]
    pub(crate) html: Option<PathBuf>,

    /// Exit with code 1 if there is such a change
    #[arg(long, value_enum, value_name = "WHAT", value_delimiter = ',')]
    pub(crate) fail_on: Vec<FailOn>,
}

/// A change for which `--fail-on` fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// A test newly fails, or passes significantly fewer of its trials
    Regression,
    /// A criterion passes significantly less often
    Criteria,
    /// A test is slower than noise explains
    Slower,
}
