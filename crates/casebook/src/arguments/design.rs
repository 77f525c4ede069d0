//! What can be typed after `casebook design`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// Design RSpec tests from Ruby code: characteristics, metadata, skeletons, reviews
///
/// Without a model call: what varies in a method is found by rules, kept in metadata that other programs can read and
/// change, and turned into a spec step by step.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit codes of all design commands:
  0  done
  1  cannot: wrong usage, missing or invalid input; standard error says why
  2  done with warnings, or a decision is needed

Examples:
  casebook design survey app                        what most deserves a test
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
    /// As it is typed.
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
/// Prints the path of the metadata file. Metadata that is fresh is not made again. A folder, or --all, analyzes every
/// public method and writes one file per source file.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit code: 0 done, 1 cannot, 2 done with warnings.

Examples:
  casebook design analyze app/models/cart.rb            the only public method
  casebook design analyze app/models/cart.rb#total      an instance method
  casebook design analyze app/models/cart.rb.build      a class method
  casebook design analyze lib/a.rb#Shop::Cart#total     a method of one of several classes
  casebook design analyze app                           every method of every file")]
#[expect(clippy::struct_excessive_bools, reason = "options are what they are")]
pub(crate) struct Analyze {
    /// A file, a file and a method, or a folder
    #[arg(value_name = "FILE[#METHOD]")]
    pub(crate) subject: String,

    /// Every public method, one metadata file per source file
    #[arg(long)]
    pub(crate) all: bool,

    /// Print the document instead of its path
    #[arg(long)]
    pub(crate) print: bool,

    /// Analyze even if the metadata is fresh
    #[arg(long)]
    pub(crate) force: bool,

    /// The test level, instead of the one found
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub(crate) level: Option<LevelArg>,

    /// The format of the metadata
    #[arg(long, value_enum, default_value = "1.3", value_name = "FORMAT")]
    pub(crate) format: FormatArg,

    /// How names are written [default: full in 1.3, domain in 2.0, short in plugin]
    #[arg(long, value_enum, value_name = "PROFILE")]
    pub(crate) names: Option<NamingArg>,

    /// Keep to the letter of format 1.3: one parent state each
    #[arg(long)]
    pub(crate) strict: bool,

    /// Leave out the conditions of ternaries, also where the metadata is fresh
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
    /// Through the user's eyes
    E2e,
}

/// A metadata format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatArg {
    /// One method per file
    #[value(name = "1.3")]
    V1_3,
    /// With setup, thresholds and terminal states
    #[value(name = "2.0")]
    V2_0,
    /// Many methods per file
    Plugin,
}

/// A naming profile: what becomes of `user.active?`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum NamingArg {
    /// user_active, always
    Full,
    /// active, where the method asks no other record and a factory makes it
    Domain,
    /// active, unless another characteristic would have the same name
    Short,
}

/// Print where a file's metadata lives
#[derive(Debug, Args)]
pub(crate) struct PathArgs {
    /// A Ruby file
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
}

/// Say as JSON whether a file's metadata is fresh
#[derive(Debug, Args)]
#[command(after_help = "\
Exit code: 0 fresh or not, 1 cannot, 2 no project was found.

Example:
  casebook design cache app/models/cart.rb#total
  {\"valid\":false,\"metadata_path\":\"…\",\"reason\":\"source file modified\"}")]
pub(crate) struct Cache {
    /// A Ruby file, perhaps with a method
    #[arg(value_name = "FILE[#METHOD]")]
    pub(crate) subject: String,
}

/// Print the folder of this project's metadata
#[derive(Debug, Args)]
pub(crate) struct Dir {}

/// Check a metadata file and write the verdict into it
#[derive(Debug, Args)]
#[command(after_help = "\
Exit code: 0 valid, 1 invalid, 2 valid with warnings.")]
pub(crate) struct Validate {
    /// A metadata file
    #[arg(value_name = "METADATA")]
    pub(crate) file: PathBuf,

    /// Also tell what the format only recommends; in format 2.0 every when_parent is a list
    #[arg(long, conflicts_with = "stage")]
    pub(crate) strict: bool,

    /// Check a file of the plugin layout as one of its stages leaves it, and only say OK
    #[arg(long, value_enum, value_name = "STAGE")]
    pub(crate) stage: Option<StageArg>,
}

/// A stage of the plugin's pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StageArg {
    /// Which methods there are
    DiscoveryAgent,
    /// What varies in them
    CodeAnalyzer,
    /// The finished spec
    SpecWriter,
}

/// Print the project's factories and their traits as JSON
#[derive(Debug, Args)]
#[command(after_help = "\
Exit code: 0 done, 1 a file is not valid Ruby, 2 nothing was found, or something was found twice.")]
pub(crate) struct Factories {
    /// Where to look [default: spec/factories, then test/factories]
    #[arg(value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
}

/// Write a spec whose contexts mirror what varies
///
/// A spec that is already there is written anew, unless --merge is given or the metadata is of the plugin layout, which says of
/// each method what becomes of its block: new ones are put in, modified ones replaced, unchanged ones left as they are.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit code: 0 done, 1 cannot, 2 done with warnings, or a decision is needed and standard output says which.

Examples:
  casebook design skeleton app/models/cart.rb#total
  casebook design skeleton tmp/rspec_claude_metadata/metadata_app_models_cart.yml
  casebook design skeleton --merge upsert lib/tool.rb#run
  casebook design skeleton --suite bin/tool.rb#run")]
pub(crate) struct Skeleton {
    /// A metadata file, or the source it is about
    #[arg(value_name = "METADATA")]
    pub(crate) target: String,

    /// Where to write [default: the usual place of the source's spec]
    #[arg(value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,

    /// Write a spec, or only print what would be in it
    #[arg(long, value_enum, default_value_t, value_name = "MODE", conflicts_with_all = ["output", "suite", "merge", "conflict"])]
    pub(crate) mode: ModeArg,

    /// Placeholders in comments, so that the file is Ruby at once
    #[arg(long)]
    pub(crate) comments: bool,

    /// Contexts say "not", to the letter of format 1.3; the reviewer asks for "NOT"
    #[arg(long)]
    pub(crate) small_not: bool,

    /// A Casebook suite instead of a spec, for an executable script
    #[arg(long)]
    pub(crate) suite: bool,

    /// Where specs of controllers go
    #[arg(long, value_enum, default_value_t, value_name = "POLICY")]
    pub(crate) policy: PolicyArg,

    /// Change only the method's block in a spec that is already there [default: by method_mode in the plugin layout]
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) merge: Option<MergeArg>,

    /// What becomes of a block that is there for a new method, or holds handwork (plugin layout)
    #[arg(long, value_enum, value_name = "WHAT", conflicts_with_all = ["merge", "suite"])]
    pub(crate) conflict: Option<ConflictArg>,

    /// The test level of methods of which the rules are not sure (plugin layout)
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub(crate) level: Option<LevelArg>,
}

/// What a skeleton is made as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum ModeArg {
    /// A spec file; prints its path
    #[default]
    Full,
    /// Prints the methods' blocks, to be put into a spec
    Blocks,
    /// Prints the structure as JSON, in the form of `design outline`
    Outline,
}

/// What becomes of controllers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum PolicyArg {
    /// Request specs
    #[default]
    Request,
    /// Controller specs
    Controller,
    /// Ask where a controller spec is already there
    Ask,
}

/// How a method gets into a spec.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MergeArg {
    /// As a new block
    Insert,
    /// In the place of the block that is there
    Replace,
    /// Whichever fits
    Upsert,
    /// As a new block, unless there is one already
    Missing,
}

/// What becomes of a block that is in the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ConflictArg {
    /// It is replaced; the old file is kept as .backup
    Overwrite,
    /// It stays as it is
    Skip,
}

/// Print the structure of a spec as JSON
#[derive(Debug, Args)]
#[command(after_help = "\
Exit code: 0 done, 1 cannot, 2 done, but groups are empty or nested too deeply.")]
pub(crate) struct Outline {
    /// A spec file
    #[arg(value_name = "SPEC")]
    pub(crate) spec: PathBuf,
}

/// Say what contexts and examples of a skeleton are about
///
/// What the code says plainly (an error that is raised, a literal that is returned) is taken from it; the rest is a
/// guess. The metadata notes for each description which of the two it is.
#[derive(Debug, Args)]
pub(crate) struct Architect {
    /// A metadata file, or the source it is about
    #[arg(value_name = "METADATA")]
    pub(crate) target: String,
}

/// Fill in what is certain: parameters, values of states, expectations
///
/// An example whose outcome does not follow from the code alone is left pending, with what is to be done. The spec
/// always loads and runs.
#[derive(Debug, Args)]
pub(crate) struct Implement {
    /// A metadata file, or the source it is about
    #[arg(value_name = "METADATA")]
    pub(crate) target: String,

    /// Values right at the bounds of comparisons, not 5 % away
    #[arg(long)]
    pub(crate) boundary: bool,
}

/// Make the factory calls of a unit test cheaper
///
/// Changes are undone where the spec fails with them.
#[derive(Debug, Args)]
pub(crate) struct Optimize {
    /// A metadata file, or the source it is about
    #[arg(value_name = "METADATA")]
    pub(crate) target: String,
}

/// Check a spec's syntax, lint it and run it
#[derive(Debug, Args)]
pub(crate) struct Polish {
    /// A metadata file, or the source it is about
    #[arg(value_name = "METADATA")]
    pub(crate) target: String,
}

/// Review a spec and write a report; nothing else is changed
#[derive(Debug, Args)]
#[command(after_help = "\
Prints the report's path. Exit code: 0 whatever was found, 1 there is no spec.

Examples:
  casebook design review app/models/cart.rb#total
  casebook design review spec/models/cart_spec.rb     any spec, without metadata")]
pub(crate) struct Review {
    /// A metadata file, the source it is about, or a spec
    #[arg(value_name = "METADATA")]
    pub(crate) target: String,

    /// Print the findings as JSON instead
    #[arg(long)]
    pub(crate) json: bool,
}

/// All steps for one method: from analysis to review
///
/// Prints a JSON object with the files that were written. A spec that is already there keeps its other methods.
#[derive(Debug, Args)]
pub(crate) struct Pipeline {
    /// A file and a method
    #[arg(value_name = "FILE[#METHOD]")]
    pub(crate) subject: String,

    /// Replace the method's block in a spec that is already there; the old file is kept as .backup
    #[arg(long)]
    pub(crate) overwrite: bool,

    /// Go on when an optional step (optimize, polish) fails
    #[arg(long)]
    pub(crate) keep_going: bool,

    /// The test level, instead of the one found
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub(crate) level: Option<LevelArg>,

    /// How names are written
    #[arg(long, value_enum, default_value = "full", value_name = "PROFILE")]
    pub(crate) names: NamingArg,
}

/// Show how far each method has come
#[derive(Debug, Args)]
pub(crate) struct Status {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Record a step that was done by somebody else
///
/// A step may set values in its own sections alone.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  casebook design mark architect app/models/cart.rb#total
  casebook design mark polisher app/models/cart.rb#total --set automation.linter=rubocop")]
pub(crate) struct Mark {
    /// analyzer, validator, skeleton, architect, implementer, factory_optimizer or polisher
    #[arg(value_name = "STEP")]
    pub(crate) step: String,

    /// A metadata file, or the source it is about
    #[arg(value_name = "METADATA")]
    pub(crate) target: String,

    /// A value for a key that the step owns; JSON, or else a text
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) values: Vec<String>,
}

/// List every public method by what most deserves a test
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  casebook design survey
  casebook design survey app lib --json | jq '.[0]'")]
pub(crate) struct Survey {
    /// Files or folders [default: app and lib, else this folder]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// How many to list
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
}

/// Say what a change to app/ asks of its specs
///
/// Compares every public method of the changed files with its form in a commit. Nothing is written: `design pipeline`
/// with --overwrite writes a block anew.
#[derive(Debug, Args)]
#[command(after_help = "\
Changes:
  new           the method was not there
  varies        other things vary in it: its block has to be written anew
  expectations  the same things vary: only what is expected may have changed

Exit code: 0 done, 1 cannot, 2 a spec that needs a new block holds handwork.")]
pub(crate) struct Update {
    /// The commit to compare with
    #[arg(long, value_name = "COMMIT", default_value = "HEAD")]
    pub(crate) base: String,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Bring an old spec into the present style
///
/// The spec has to pass, and passes afterwards, or is put back as it was. The old file is kept as .backup. Without
/// --mode nothing is changed: standard output says what is recommended.
#[derive(Debug, Args)]
#[command(after_help = "\
Prints a JSON object with what was changed, and what a review found before and after.
Exit code: 0 done, 1 cannot, or the spec fails, 2 done with warnings, or a decision is needed.

Examples:
  casebook design refactor spec/models/cart_spec.rb
  casebook design refactor spec/models/cart_spec.rb --mode conservative")]
pub(crate) struct Refactor {
    /// A spec file
    #[arg(value_name = "SPEC")]
    pub(crate) spec: PathBuf,

    /// How far to go
    #[arg(long, value_enum, value_name = "MODE")]
    pub(crate) mode: Option<RefactorArg>,

    /// Write the spec anew even if it holds helper methods, shared examples or CUSTOM comments
    #[arg(long)]
    pub(crate) discard_handwork: bool,
}

/// How far an old spec is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RefactorArg {
    /// should becomes expect; wording, frozen literals, linter
    Conservative,
    /// The spec is written anew from the code
    Full,
}
