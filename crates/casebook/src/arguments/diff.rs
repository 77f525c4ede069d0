//! What can be typed after `casebook diff`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Show what changed between two recorded runs
///
/// Tests are found again by their stable id, wherever they have moved: those that newly fail, pass, are skipped or flaky,
/// that still fail, that are new or gone; those that became slower or faster than the noise of the machine; how often
/// criteria held, with a test of significance; turns, tokens and cost; and what differs in how the runs were made.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit code: 0 when the runs could be compared; 1 when --fail-on found something; 2 otherwise.

Examples:
  casebook diff                            the newest record with the one before it
  casebook diff latest~3                   the newest with the third before it
  casebook diff main/run.json pr/run.json  any two files
  casebook diff d00fa811 latest --json
  casebook diff main.json pr.json --markdown > comment.md
  casebook diff --html diff.html
  casebook diff main.json pr.json --fail-on regression")]
pub(crate) struct Diff {
    /// The earlier run: a file, a folder, the id of a recorded run, or latest~N for the Nth before the newest [default:
    /// latest~1]
    #[arg(value_name = "BASE")]
    pub(crate) base: Option<String>,

    /// The later run, by the same names [default: the newest]
    #[arg(value_name = "NEW")]
    pub(crate) new: Option<String>,

    /// Print all of it as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Print Markdown, for a comment on a pull request
    #[arg(long, conflicts_with = "json")]
    pub(crate) markdown: bool,

    /// Write a page for the browser, which needs nothing else, or - for standard output, and show nothing else
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "markdown"])]
    pub(crate) html: Option<PathBuf>,

    /// End with exit code 1 if there is such a change
    #[arg(long, value_enum, value_name = "WHAT", value_delimiter = ',')]
    pub(crate) fail_on: Vec<FailOn>,
}

/// A change that is not to pass unnoticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// A test fails that did not, or passes significantly fewer of its trials
    Regression,
    /// A criterion holds significantly less often
    Criteria,
    /// A test is slower than noise explains
    Slower,
}
