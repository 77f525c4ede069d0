//! The options of `casebook design`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// Design RSpec tests from Ruby code: characteristics, metadata, skeletons, reviews
///
/// Finds what varies in a method by rules, without calling a model. The result is stored in metadata that other programs can
/// read and change, and becomes a spec step by step.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit codes of all design commands:
  0  done
  1  failed: wrong usage, missing or invalid input; see standard error
  2  done with warnings, or a decision is needed

Examples:
  casebook design survey app                        methods most in need of tests
  casebook design analyze app/models/cart.rb#total  what varies in a method
  casebook design pipeline app/models/cart.rb#total all steps, up to a review")]
pub(crate) struct Design {
    #[command(subcommand)]
    pub(crate) command: DesignCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DesignCommand {
    Analyze(Analyze),
    Path(PathArgs),
    Cache(Cache),
    Dir(Dir),
    Validate(Validate),
    Factories(Factories),
    Skeleton(Skeleton),
    Outline(Outline),
    Architect(Architect),
    Implement(Implement),
    Optimize(Optimize),
    Polish(Polish),
    Review(Review),
    Pipeline(Pipeline),
    Status(Status),
    Mark(Mark),
    Survey(Survey),
    Update(Update),
    Refactor(Refactor),
}

impl DesignCommand {
    /// The name of the subcommand.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            DesignCommand::Analyze(_) => "analyze",
            DesignCommand::Path(_) => "path",
            DesignCommand::Cache(_) => "cache",
            DesignCommand::Dir(_) => "dir",
            DesignCommand::Validate(_) => "validate",
            DesignCommand::Factories(_) => "factories",
            DesignCommand::Skeleton(_) => "skeleton",
            DesignCommand::Outline(_) => "outline",
            DesignCommand::Architect(_) => "architect",
            DesignCommand::Implement(_) => "implement",
            DesignCommand::Optimize(_) => "optimize",
            DesignCommand::Polish(_) => "polish",
            DesignCommand::Review(_) => "review",
            DesignCommand::Pipeline(_) => "pipeline",
            DesignCommand::Status(_) => "status",
            DesignCommand::Mark(_) => "mark",
            DesignCommand::Survey(_) => "survey",
            DesignCommand::Update(_) => "update",
            DesignCommand::Refactor(_) => "refactor",
        }
    }
}

/// Find what varies in a method and write its metadata
///
/// Prints the path of the metadata file. Up-to-date metadata is not rewritten. With a directory or --all, analyzes every public
/// method and writes one file per source file.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit code: 0 done, 1 failed, 2 done with warnings.

Examples:
  casebook design analyze app/models/cart.rb            the only public method
  casebook design analyze app/models/cart.rb#total      an instance method
  casebook design analyze app/models/cart.rb.build      a class method
  casebook design analyze lib/a.rb#Shop::Cart#total     a method of one of several classes
  casebook design analyze app                           every method of every file")]
#[expect(clippy::struct_excessive_bools, reason = "each is a separate option")]
pub(crate) struct Analyze {
    /// A file, a file and a method, or a directory
    #[arg(value_name = "FILE[#METHOD]")]
    pub(crate) subject: String,

    /// Analyze every public method; write one metadata file per source file
    #[arg(long)]
    pub(crate) all: bool,

    /// Print the document instead of its path
    #[arg(long)]
    pub(crate) print: bool,

    /// Analyze even if the metadata is up to date
    #[arg(long)]
    pub(crate) force: bool,

    /// Set the test level instead of detecting it
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub(crate) level: Option<LevelArg>,

    /// The format of the metadata
    #[arg(long, value_enum, default_value = "1.3", value_name = "FORMAT")]
    pub(crate) format: FormatArg,

    /// Set how names are written [default: full in 1.3, domain in 2.0, short in plugin]
    #[arg(long, value_enum, value_name = "PROFILE")]
    pub(crate) names: Option<NamingArg>,

    /// Follow format 1.3 strictly: one parent state each
    #[arg(long)]
    pub(crate) strict: bool,

    /// Skip the conditions of ternaries, even if the metadata is up to date
    #[arg(long)]
    pub(crate) skip_ternaries: bool,
}

/// A test level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LevelArg {
    /// One class alone
    Unit,
    /// Several classes, with a database
    Integration,
    /// Through HTTP
    Request,
    /// Through the user interface
    E2e,
}

/// A metadata format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatArg {
    /// One method per file
    #[value(name = "1.3")]
    V1_3,
    /// With setup, thresholds and the states in which the method ends
    #[value(name = "2.0")]
    V2_0,
    /// Many methods per file
    Plugin,
}

/// A naming profile: the name of `user.active?`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum NamingArg {
    /// Always user_active
    Full,
    /// active if the method uses only this record and a factory creates it, otherwise user_active
    Domain,
    /// active, or user_active if another characteristic has that name
    Short,
}

/// Print the path of a file's metadata
#[derive(Debug, Args)]
pub(crate) struct PathArgs {
    /// A Ruby file
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
}

/// Print as JSON whether a file's metadata is up to date
#[derive(Debug, Args)]
#[command(after_help = "\
Exit code: 0 done, 1 failed, 2 no project was found.

Example:
  casebook design cache app/models/cart.rb#total
  {\"valid\":false,\"metadata_path\":\"…\",\"reason\":\"source file modified\"}")]
pub(crate) struct Cache {
    /// A Ruby file, optionally with a method
    #[arg(value_name = "FILE[#METHOD]")]
    pub(crate) subject: String,
}

/// Print the directory of this project's metadata
#[derive(Debug, Args)]
pub(crate) struct Dir {}

/// Validate a metadata file and write the result into it
#[derive(Debug, Args)]
#[command(after_help = "\
Exit code: 0 valid, 1 invalid, 2 valid with warnings.")]
pub(crate) struct Validate {
    /// A metadata file
    #[arg(value_name = "METADATA")]
    pub(crate) file: PathBuf,

    /// Also report what the format only recommends; in format 2.0 every when_parent is a list
    #[arg(long, conflicts_with = "stage")]
    pub(crate) strict: bool,

    /// Check a file of the plugin layout after this stage, and print only OK
    #[arg(long, value_enum, value_name = "STAGE")]
    pub(crate) stage: Option<StageArg>,
}

/// A stage of the plugin's pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StageArg {
    /// The methods
    DiscoveryAgent,
    /// Their characteristics
    CodeAnalyzer,
    /// The finished spec
    SpecWriter,
}

/// Print the project's factories and their traits as JSON
#[derive(Debug, Args)]
#[command(after_help = "\
Exit code: 0 done, 1 a file is not valid Ruby, 2 no factories found, or duplicates.")]
pub(crate) struct Factories {
    /// The directory to search [default: spec/factories, then test/factories]
    #[arg(value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
}

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

    /// Write "not" in contexts, as in format 1.3; the reviewer requires "NOT"
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
    /// Replace it; the old file is kept as .backup
    Overwrite,
    /// Leave it unchanged
    Skip,
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
/// An example whose result does not follow from the code alone stays pending, with a note on what to do. The spec always loads
/// and runs.
#[derive(Debug, Args)]
pub(crate) struct Implement {
    /// A metadata file or its source file
    #[arg(value_name = "METADATA")]
    pub(crate) target: String,

    /// Test comparisons with values at the boundary instead of values 5% away from it
    #[arg(long)]
    pub(crate) boundary: bool,
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
  casebook design review spec/models/cart_spec.rb     any spec, without metadata")]
pub(crate) struct Review {
    /// A metadata file, its source file, or a spec
    #[arg(value_name = "METADATA")]
    pub(crate) target: String,

    /// Print the findings as JSON instead
    #[arg(long)]
    pub(crate) json: bool,
}

/// Run all steps for one method, from analysis to review
///
/// Prints a JSON object with the written files. Other methods in an existing spec are kept.
#[derive(Debug, Args)]
pub(crate) struct Pipeline {
    /// A file and a method
    #[arg(value_name = "FILE[#METHOD]")]
    pub(crate) subject: String,

    /// Replace the method's block in an existing spec; the old file is kept as .backup
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
  casebook design mark polisher app/models/cart.rb#total --set automation.linter=rubocop")]
pub(crate) struct Mark {
    /// analyzer, validator, skeleton, architect, implementer, factory_optimizer, polisher or reviewer
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
    /// Files or directories [default: app and lib, otherwise this directory]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// List at most N methods
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
}

/// List the specs that a change to app/ affects
///
/// Compares every public method of the changed files with a commit. Writes nothing: use `design pipeline --overwrite` to rewrite a
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
/// The spec must pass before and after, otherwise it is restored. The old file is kept as .backup. Without --mode nothing is
/// changed, and the recommended mode is printed.
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

    /// Rewrite the spec even if it contains helper methods, shared examples or CUSTOM comments
    #[arg(long)]
    pub(crate) discard_handwork: bool,
}

/// How much of an old spec is rewritten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RefactorArg {
    /// Replace should by expect, correct the wording, freeze string literals, run the linter
    Conservative,
    /// Write a new spec from the code
    Full,
}
