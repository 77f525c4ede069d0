//! What can be typed: the one source of help, manual page and completions.

#![expect(
    clippy::doc_markdown,
    reason = "these comments are help texts, which show backticks as they are"
)]

pub(crate) mod design;

use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};

/// From code to cases to evidence: check suites, record test runs, look at them.
#[derive(Debug, Parser)]
#[command(name = "casebook", version, after_help = EXIT_CODES, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// Print without colours (also: set NO_COLOR)
    #[arg(long, global = true)]
    pub(crate) no_color: bool,
}

const EXIT_CODES: &str = "\
Exit codes:
  0    passed, or done
  1    a test failed
  2    could not test: wrong usage, invalid input, a missing tool, a full disk
  130  interrupted by Ctrl-C (143: by SIGTERM)

Examples:
  casebook check                                 find what is wrong with suites
  bats --tap test | casebook record --from tap   record a run of another tool
  casebook report                                look at the newest record
  casebook report examples/run.json              look at any record";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Check(Check),
    Explain(Explain),
    Schema(Schema),
    Record(Record),
    Recover(Recover),
    Report(Report),
    Design(design::Design),
}

/// Find what is wrong with suites, without running them
///
/// Every problem of every file is told at once: its place, the line, and where it can be guessed the fix. Suites are
/// files named *.casebook.yaml, *.casebook.yml, *.bashi.yaml or *.bashi.yml.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit code: 0 nothing is wrong, 2 something is.

Examples:
  casebook check                        every suite below this folder
  casebook check tests/shop.casebook.yaml
  casebook check 'tests/**/*.yaml'      a glob, in quotes
  casebook explain unknown-field        what a problem means")]
pub(crate) struct Check {
    /// Files, folders or globs [default: this folder]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<String>,
}

/// Explain a problem that check has found
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  casebook explain unknown-field
  casebook explain                      all of them by name")]
pub(crate) struct Explain {
    /// The name in brackets behind the problem [default: list all]
    #[arg(value_name = "CODE")]
    pub(crate) code: Option<String>,
}

/// Print the JSON Schema of suite files, for editors
#[derive(Debug, Args)]
#[command(after_help = "\
Example, for editors that use yaml-language-server:
  casebook schema > casebook.schema.json
  and as the first line of a suite: # yaml-language-server: $schema=casebook.schema.json")]
pub(crate) struct Schema {}

/// Record a run from its events or from another tool's results
///
/// The record is a folder in .casebook/runs with two files: events.jsonl, written as the events come, and run.json,
/// written at the end. `casebook report` shows the newest. Values of environment variables whose names look like
/// secrets (*KEY*, *TOKEN*, *SECRET*, *PASSWORD*) are replaced by `[redacted]` in both.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit code: 0 all recorded and passed, 1 a test failed, 2 input or record damaged.

Examples:
  my-runner --events | casebook record --from jsonl
  bats --tap test | casebook record --from tap
  pytest --junitxml=results.xml; casebook record --from junit results.xml
  casebook record --from jsonl --record out events.jsonl.gz")]
pub(crate) struct Record {
    /// What the input is: event lines, TAP 12 to 14, or JUnit XML
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) from: Format,

    /// The file to read, .gz and .zst included, or - for standard input
    #[arg(default_value = "-", value_name = "FILE")]
    pub(crate) input: PathBuf,

    /// Where to put the record: a new folder, or `none` to write nothing [default: a folder in .casebook/runs]
    #[arg(long, value_name = "DIR")]
    #[expect(clippy::struct_field_names, reason = "the option is called so")]
    pub(crate) record: Option<PathBuf>,

    /// Echo each line's number on standard output once its event is on the disk (event lines only)
    ///
    /// A line that is no event is answered with `N rejected`, one of an unknown kind with `N skipped`, so that every
    /// line but a blank one has an answer. Lines that come together are answered together.
    #[arg(long)]
    pub(crate) ack: bool,

    /// Hide the values of environment variables with such names as well
    #[arg(long, value_name = "PATTERN")]
    pub(crate) redact: Vec<String>,
}

impl Record {
    pub(crate) fn writes_nothing(&self) -> bool {
        self.record.as_deref() == Some(Path::new("none"))
    }
}

/// What `casebook record` reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Casebook's own events, one JSON object per line
    Jsonl,
    /// The Test Anything Protocol, versions 12 to 14
    Tap,
    /// JUnit XML as pytest, nextest, surefire and others write it
    Junit,
}

/// Rebuild run.json from the journal of a run that was cut short
///
/// A last line that was cut off while it was written is passed over. Any other damage is reported with its line, the
/// rest is kept, and the exit code is 2.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  casebook recover .casebook/runs/20261115-084051-d00fa811")]
pub(crate) struct Recover {
    /// The run's folder, its journal, or the name of a recorded run [default: the newest]
    #[arg(value_name = "DIR")]
    pub(crate) run: Option<String>,
}

/// Show a recorded run
///
/// Reads run.json and events.jsonl, compressed or not, and the files of the rspec-agents gem.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit code: 0 when the run could be shown, whatever it came to; 2 otherwise.

Examples:
  casebook report                      the newest record
  casebook report d00fa811             a record by its id
  casebook report path/to/run.json.gz  any file
  casebook report --json | jq .failed_count")]
pub(crate) struct Report {
    /// A file, a folder, or the id of a recorded run [default: the newest]
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,

    /// Print the computed summary as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Which conversations to show
    #[arg(long, value_enum, default_value_t, value_name = "WHICH")]
    pub(crate) transcripts: Transcripts,

    /// How many of the slowest examples to list
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub(crate) slowest: usize,
}

/// Which conversations a report shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Transcripts {
    /// All of them when they are few, else those of failed examples
    #[default]
    Auto,
    /// All of them
    All,
    /// Those of failed examples
    Failed,
    /// None
    None,
}
