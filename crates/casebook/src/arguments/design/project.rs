//! The options of the commands that combine steps or look at many methods.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{Learn, LevelArg, NamingArg};

/// Run all steps for one method, from analysis to review
///
/// Prints a JSON object with the written files. Other methods in an existing spec are kept.
#[derive(Debug, Args)]
pub(crate) struct Pipeline {
    /// A file and a method
    #[arg(value_name = "FILE[#METHOD]")]
    pub(crate) subject: String,

    /// Replace the method's block in an existing spec; a backup of the old file is kept in tmp/
    #[arg(long)]
    pub(crate) overwrite: bool,

    /// Continue if an optional step (optimize, polish) fails
    #[arg(long)]
    pub(crate) keep_going: bool,

    /// Set the test level instead of detecting it
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub(crate) level: Option<LevelArg>,

    /// Set how names are written
    #[arg(long, value_enum, default_value = "full", value_name = "PROFILE")]
    pub(crate) names: NamingArg,

    #[command(flatten)]
    pub(crate) learn: Learn,
}

/// List what the specs do not test
///
/// Lists for each method the states that no example reaches, and after `casebook coverage --prove` those that no example
/// checks. Methods that examples already call come first. The specs must have been observed: `casebook coverage
/// --observe -- bundle exec rspec`. Otherwise only a single method can be shown, by the names of its examples.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  casebook design gaps                               the whole project
  casebook design gaps lib/cart.rb#total --json      what a coding agent needs to fill the gaps
  casebook design gaps --since main --markdown       what a pull request leaves untested")]
pub(crate) struct Gaps {
    /// Ruby files, FILE#METHOD or directories [default: app and lib]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<String>,

    /// Only methods that changed since this commit
    #[arg(long, value_name = "COMMIT")]
    pub(crate) since: Option<String>,

    /// Show at most this many methods
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,

    /// Print JSON: code, characteristics, examples, and the missing states with the conditions that decide them
    #[arg(long)]
    pub(crate) json: bool,

    /// Print Markdown
    #[arg(long, conflicts_with = "json")]
    pub(crate) markdown: bool,
}

/// Show the progress of each method
#[derive(Debug, Args)]
pub(crate) struct Status {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Mark a step as done outside Casebook
///
/// A step may set values only in its own sections.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  casebook design mark architect app/models/cart.rb#total
  casebook design mark polish app/models/cart.rb#total --set automation.linter=rubocop")]
pub(crate) struct Mark {
    /// analyze, validate, skeleton, architect, implement, optimize, polish or review
    #[arg(value_name = "STEP")]
    pub(crate) step: String,

    /// A metadata file or its source file
    #[arg(value_name = "METADATA")]
    pub(crate) target: String,

    /// Set a key of the step to this JSON value or text
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) values: Vec<String>,
}

/// List public methods, those most in need of tests first
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  casebook design survey
  casebook design survey app lib --json | jq '.[0]'")]
pub(crate) struct Survey {
    /// Files or directories [default: all code below this directory, without tests and configuration]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// List at most N methods
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
}

/// List the specs that a change to the program affects
///
/// Compares every public method of the changed files with a commit: in app, lib and every other directory with Ruby code, also of
/// the gems, engines and packs in a repository. Writes nothing: use `design pipeline --overwrite` to rewrite a
/// block.
#[derive(Debug, Args)]
#[command(after_help = "\
Changes:
  new           the method is new
  varies        its characteristics changed: its block must be rewritten
  expectations  its characteristics are unchanged: only expectations may have changed

Exit code: 0 done, 1 failed, 2 a spec that needs a new block has manual edits.")]
pub(crate) struct Update {
    /// The commit to compare with
    #[arg(long, value_name = "COMMIT", default_value = "HEAD")]
    pub(crate) base: String,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Rewrite an old spec in current style
///
/// The spec must pass before and after, with at least as many passing examples; otherwise it is restored. With --mode full, every
/// state that it checked must still be checked. A backup of the old file is
/// kept in tmp/rspec_claude_metadata/backups. Without --mode nothing is changed, and the recommended mode is printed.
#[derive(Debug, Args)]
#[command(after_help = "\
Prints a JSON object with the changes, and the findings of a review before and after.
Exit code: 0 done, 1 failed, or the spec fails, 2 done with warnings, or a decision is needed.

Examples:
  casebook design refactor spec/models/cart_spec.rb
  casebook design refactor spec/models/cart_spec.rb --mode conservative")]
pub(crate) struct Refactor {
    /// A spec file
    #[arg(value_name = "SPEC")]
    pub(crate) spec: PathBuf,

    /// Set how much is rewritten
    #[arg(long, value_enum, value_name = "MODE")]
    pub(crate) mode: Option<RefactorArg>,

    /// Rewrite blocks even if they contain helper methods, shared examples or CUSTOM comments
    #[arg(long)]
    pub(crate) discard_handwork: bool,

    /// Leave descriptions unchanged
    #[arg(long)]
    pub(crate) keep_wording: bool,
}

/// How much of an old spec is rewritten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RefactorArg {
    /// Replace should with expect, correct the wording, freeze string literals, run the linter
    Conservative,
    /// Also write a block for each method from the code; examples that run are kept
    Full,
}
