//! Options for output, shared by all commands that run tests.

use std::path::PathBuf;

use clap::Args;

use super::otlp_args::OtlpArgs;
use super::run::{FormatKind, OutputFormat, Ui};

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct OutputArgs {
    #[arg(long, help = super::FORMAT_HELP, value_name = "FORMAT[=FILE]")]
    pub(crate) format: Vec<OutputFormat>,

    /// Also write an HTML page of the run
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) otlp_args: OtlpArgs,

    /// Show the running tests in this way, instead of progress and a line for each file
    #[arg(long, value_enum, value_name = "UI")]
    pub(crate) ui: Option<Ui>,

    /// Show the duration of each test
    #[arg(short = 'T', long)]
    pub(crate) timing: bool,

    /// Show every test
    #[arg(short, long, conflicts_with = "quiet")]
    pub(crate) verbose: bool,

    /// Show only failures and the summary
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

impl OutputArgs {
    /// The formats of a list. `--json` is one.
    pub(crate) fn list_formats(&self, is_json: bool) -> Vec<OutputFormat> {
        let json = OutputFormat {
            kind: FormatKind::Json,
            file: None,
        };
        let formats = self.format.iter().cloned();
        formats.chain(is_json.then_some(json)).collect()
    }
}
