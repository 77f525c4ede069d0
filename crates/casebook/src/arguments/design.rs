//! The options of `casebook design`.

mod project;
mod spec;

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

pub(crate) use project::{Gaps, Mark, Pipeline, Refactor, RefactorArg, Status, Survey, Update};
pub(crate) use spec::{
    Architect, ConflictArg, GuideArg, Implement, Learn, MergeArg, ModeArg, Optimize, Outline,
    PolicyArg, Polish, Review, ReviewFormat, Skeleton,
};

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
    Gaps(Gaps),
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
            DesignCommand::Gaps(_) => "gaps",
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
    #[arg(
        long,
        value_enum,
        default_value = "1.3",
        value_name = "FORMAT",
        requires_if("json", "print")
    )]
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
    /// The analyzed methods of a source file, the last one at the top level
    #[value(name = "1.3")]
    V1_3,
    /// With setup, thresholds and the states in which the method ends
    #[value(name = "2.0")]
    V2_0,
    /// Many methods per file
    Plugin,
    /// 2.0 as JSON; only with --print
    Json,
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
