//! The arguments of `casebook accept`.

use clap::Args;

/// Write the actual output of failed tests into their suites
///
/// Reads the newest record. Where a test failed on outputEquals, stdoutEquals, stderrEquals, outputJson, screenEquals, `equals` of a file, an expected file (outputEqualsFile and the like) or a snapshot, the actual value replaces the expected one. Nothing else in the suite changes: comments, order, indentation and line endings are preserved.
///
/// A value that comes from a variable, a fragment or an alias, or that tests of a matrix share but disagree about, is not changed; neither is a suite that changed since the run. Redacted or truncated output is never written.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit code: 0 changed or nothing to do, 1 a change was refused, 2 an error.

Examples:
  casebook run; casebook accept         accept everything that differs
  casebook accept shop.casebook.yaml:12 only the test at this line
  casebook accept --review              decide about each difference
  casebook accept --dry-run             print the changes as a patch
  casebook accept --prune               delete snapshots that no test uses")]
pub(crate) struct Accept {
    /// Suites, directories or globs, or tests by their line [default: all failed tests]
    #[arg(value_name = "FILE[:LINE]")]
    pub(crate) paths: Vec<String>,

    /// Show each difference and ask: accept, skip, edit or quit
    #[arg(long)]
    pub(crate) review: bool,

    /// Print the changes as a patch and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Delete the snapshots that no test uses, and accept nothing
    #[arg(long, conflicts_with = "review")]
    pub(crate) prune: bool,
}
