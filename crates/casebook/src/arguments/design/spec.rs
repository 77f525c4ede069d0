//! The options of the commands that write, complete and review a spec.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::LevelArg;

/// Write a spec with a context for each state
///
/// An existing spec is rewritten unless --merge is given or the metadata has the plugin layout, which states for each method
/// whether its block is inserted, replaced or left unchanged.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit code: 0 done, 1 failed, 2 done with warnings, or a decision is needed: see standard output.

Examples:
  casebook design skeleton app/models/cart.rb#total
  casebook design skeleton tmp/rspec_claude_metadata/metadata_app_models_cart.yml
  casebook design skeleton --merge upsert lib/tool.rb#run
  casebook design skeleton --suite bin/tool.rb#run")]
pub(crate) struct Skeleton {
    /// A metadata file or its source file
    #[arg(value_name = "METADATA")]
    pub(crate) target: String,

    /// The file to write [default: the usual spec path of the source]
    #[arg(value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,

    /// Write a spec, or only print parts of it
    #[arg(long, value_enum, default_value_t, value_name = "MODE", conflicts_with_all = ["output", "suite", "merge", "conflict"])]
    pub(crate) mode: ModeArg,

    /// Put placeholders into comments, so that the file is valid Ruby
    #[arg(long)]
    pub(crate) comments: bool,

    /// Write "not" in contexts, as in format 1.3; the reviewer suggests "NOT"
    #[arg(long)]
    pub(crate) small_not: bool,

    /// Write a Casebook suite instead of a spec, for an executable script
    #[arg(long)]
    pub(crate) suite: bool,

    /// Set the kind of spec for controllers
    #[arg(long, value_enum, default_value_t, value_name = "POLICY")]
    pub(crate) policy: PolicyArg,

    /// Change only the method's block in an existing spec [default: method_mode in the plugin layout]
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) merge: Option<MergeArg>,

    /// Set how to treat an existing block of a new method, or one with manual edits (plugin layout)
    #[arg(long, value_enum, value_name = "WHAT", conflicts_with_all = ["merge", "suite"])]
    pub(crate) conflict: Option<ConflictArg>,

    /// Set the test level of methods for which the rules cannot decide it (plugin layout)
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub(crate) level: Option<LevelArg>,
}

/// The output of `design skeleton`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum ModeArg {
    /// A spec file; prints its path
    #[default]
    Full,
    /// Prints the blocks of the methods, to insert into a spec
    Blocks,
    /// Prints the structure as JSON, in the form of `design outline`
    Outline,
}

/// The kind of spec for controllers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum PolicyArg {
    /// Request specs
    #[default]
    Request,
    /// Controller specs
    Controller,
    /// Ask if a controller spec already exists
    Ask,
}

/// How a method's block is written into a spec.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MergeArg {
    /// As a new block
    Insert,
    /// Replacing the existing block
    Replace,
    /// Replacing an existing block, otherwise as a new one
    Upsert,
    /// As a new block, unless one exists
    Missing,
}

/// How an existing block is treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ConflictArg {
    /// Replace it; a backup of the old file is kept in tmp/
    Overwrite,
    /// Leave it unchanged
    Skip,
    /// Require a decision, also about any block without placeholders, in every layout
    Ask,
}

/// Print the structure of a spec as JSON
#[derive(Debug, Args)]
#[command(after_help = "\
Exit code: 0 done, 1 failed, 2 done, but groups are empty or nested too deeply.")]
pub(crate) struct Outline {
    /// A spec file
    #[arg(value_name = "SPEC")]
    pub(crate) spec: PathBuf,
}

/// Describe the contexts and examples of a skeleton
///
/// Descriptions come from the code where it is explicit (an error that is raised, a literal that is returned); the others are
/// guesses. The metadata marks each description as one or the other.
#[derive(Debug, Args)]
pub(crate) struct Architect {
    /// A metadata file or its source file
    #[arg(value_name = "METADATA")]
    pub(crate) target: String,
}

/// Fill in what is certain: parameters, values of states, expectations
///
/// An example whose result does not follow from the code alone stays pending, with a note on what to do. The finished spec is
/// run with RSpec: an example that fails becomes pending, with its error. With --learn, the code is run to fill in more
/// examples; they are marked as observed, not specified.
#[derive(Debug, Args)]
pub(crate) struct Implement {
    /// A metadata file or its source file
    #[arg(value_name = "METADATA")]
    pub(crate) target: String,

    /// Test comparisons with values at the boundary instead of values 5% away from it
    #[arg(long)]
    pub(crate) boundary: bool,

    #[command(flatten)]
    pub(crate) learn: Learn,
}

/// How examples are learned by running the code.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Learn {
    /// Search for inputs that reach the other examples by running the code in a sandbox, and write what was observed
    #[arg(long)]
    pub(crate) learn: bool,

    /// Run the code without a sandbox: it can do whatever you can do
    #[arg(long, requires = "learn")]
    pub(crate) unsafe_no_sandbox: bool,
}

/// Make the factory calls of a unit test cheaper
///
/// Changes that make the spec fail are undone.
#[derive(Debug, Args)]
pub(crate) struct Optimize {
    /// A metadata file or its source file
    #[arg(value_name = "METADATA")]
    pub(crate) target: String,
}

/// Check a spec's syntax, lint it and run it
#[derive(Debug, Args)]
pub(crate) struct Polish {
    /// A metadata file or its source file
    #[arg(value_name = "METADATA")]
    pub(crate) target: String,
}

/// Review a spec and write a report, without changing the spec
#[derive(Debug, Args)]
#[command(after_help = "\
Prints the path of the report. Exit code: 0 done, even with findings; 1 spec not found.

Examples:
  casebook design review app/models/cart.rb#total
  casebook design review spec/models/cart_spec.rb     any spec, without metadata
  casebook design review app/models/cart.rb#total --format sarif > review.sarif")]
pub(crate) struct Review {
    /// A metadata file, its source file, or a spec
    #[arg(value_name = "METADATA")]
    pub(crate) target: String,

    /// Print the findings instead, in this format
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) format: Option<ReviewFormat>,

    /// Print the findings as JSON: short for --format json
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,

    /// Set how strictly the style guide is applied
    #[arg(long, value_enum, default_value_t, value_name = "GUIDE")]
    pub(crate) guide: GuideArg,
}

/// The format of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReviewFormat {
    /// One JSON document
    Json,
    /// SARIF 2.1.0, for code hosts and editors
    Sarif,
}

/// How strictly the style guide is applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum GuideArg {
    /// A lowercase "not", and "with" or "without" on the first level, are suggestions
    #[default]
    Lenient,
    /// They are violations
    Strict,
}
