//! The command line: the one definition of help, manual pages and completions.

#![expect(
    clippy::doc_markdown,
    reason = "these comments are help texts, which show backticks as they are"
)]

/// The names of all report formats, as a literal for `concat!` in help texts and messages. A test compares it with
/// `run::FormatKind`.
macro_rules! format_names {
    () => {
        "pretty, tap, junit, json, jsonl, github, ctrf, csv, allure or sqlite"
    };
}

/// The help text of `--format`.
const FORMAT_HELP: &str = concat!(
    "Set the format: ",
    format_names!(),
    ", each to a file with =FILE (allure: a directory); repeatable"
);

pub(crate) mod accept;
pub(crate) mod budget;
pub(crate) mod cluster;
pub(crate) mod cluster_args;
pub(crate) mod coverage;
pub(crate) mod design;
pub(crate) mod diff;
pub(crate) mod foreign_options;
pub(crate) mod history;
pub(crate) mod judge;
pub(crate) mod lsp;
pub(crate) mod mcp;
pub(crate) mod otlp_args;
pub(crate) mod output_args;
pub(crate) mod record_args;
pub(crate) mod repeat_args;
pub(crate) mod rspec;
pub(crate) mod run;
pub(crate) mod studio;
pub(crate) mod worker;

use std::ffi::OsString;
use std::path::PathBuf;

use casebook_storage::Location;
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::color::ColorChoice;
use otlp_args::OtlpArgs;
use record_args::RecordArgs;

/// Test command-line programs and agents: check and run suites, record and show test runs.
#[derive(Debug, Parser)]
#[command(name = "casebook", version, after_help = EXIT_CODES, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]
    #[arg(
        long,
        global = true,
        display_order = LAST,
        value_enum,
        value_name = "WHEN",
        hide_possible_values = true
    )]
    pub(crate) color: Option<ColorChoice>,

    /// Print without colors, like --color never
    #[arg(long, global = true, display_order = LAST, conflicts_with = "color")]
    pub(crate) no_color: bool,
}

/// After the options of each command.
const LAST: usize = 900;

const EXIT_CODES: &str = "\
Exit codes:
  0    passed, or done
  1    a test failed
  2    could not test: wrong usage, invalid input, a missing tool, a full disk
  130  interrupted by Ctrl-C (143: by SIGTERM)

Examples:
  casebook run                                   run every suite below this directory
  casebook check                                 find problems in suites
  bats --tap test | casebook record --from tap   record a run of another tool
  casebook report                                show the newest record
  casebook report examples/run.json              show any record
  casebook diff                                  compare it with the record before it";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Init(Init),
    Run(Box<run::Run>),
    Check(Check),
    Accept(accept::Accept),
    Compile(Compile),
    Explain(Explain),
    Schema(Schema),
    Record(Record),
    Merge(Merge),
    Rspec(Box<rspec::Rspec>),
    Recover(Recover),
    Worker(worker::Worker),
    Cluster(cluster::Cluster),
    Report(Report),
    Diff(diff::Diff),
    Judge(judge::Judge),
    History(history::History),
    Coverage(coverage::Coverage),
    Studio(studio::Studio),
    Design(design::Design),
    Mcp(mcp::Mcp),
    Lsp(lsp::Lsp),
}

/// Write a first suite, hello.casebook.yaml
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  casebook init && casebook run
  casebook init --agent && casebook run")]
pub(crate) struct Init {
    /// Write a conversation, agent.casebook.yaml, and an agent for it, agent.py
    #[arg(long)]
    pub(crate) agent: bool,
}

/// Find problems in suites without running them
///
/// Reports all problems of all files, each with its location and, where possible, a fix. Suites are files named *.casebook.yaml, *.casebook.yml, *.bashi.yaml or *.bashi.yml.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit code: 0 no problems, 2 problems found.

Examples:
  casebook check                        every suite below this directory
  casebook check tests/shop.casebook.yaml
  casebook check 'tests/**/*.yaml'      a glob, in quotes
  casebook check --format sarif > check.sarif
  casebook explain unknown-field        explain a problem")]
pub(crate) struct Check {
    /// Files, directories or globs [default: this directory]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<String>,

    /// Set the format of the problems
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: CheckFormat,
}

/// The format of problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum CheckFormat {
    /// Text for the terminal
    #[default]
    Pretty,
    /// One JSON document
    Json,
    /// Annotations for GitHub Actions
    Github,
    /// SARIF 2.1.0, for code hosts and editors
    Sarif,
}

/// Compile a suite to Bats code
///
/// The code runs the same tests with Bats, without Casebook. Code written with --output finds the directory of the suite
/// by a relative path, so both can be moved together; code on standard output uses an absolute path.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit code: 0 written, 2 the suite has problems.

Examples:
  casebook compile shop.casebook.yaml
  casebook compile shop.casebook.yaml -o test/shop.bats && bats test/shop.bats")]
pub(crate) struct Compile {
    /// The suite
    #[arg(value_name = "SUITE")]
    pub(crate) suite: PathBuf,

    /// The file to write, completely or not at all [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// Explain a problem that check reports
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  casebook explain unknown-field
  casebook explain                      list all problem codes")]
pub(crate) struct Explain {
    /// The code in brackets after the problem [default: list all]
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

/// Record the tests that a command runs, or a run from its events or another tool's results
///
/// A command after `--` is started with a socket for its events. RSpec connects to it by itself; other runners find its path
/// in CASEBOOK_EVENTS. Output, exit code and signals of the command pass through.
///
/// The record is a directory in .casebook/runs with two files: events.jsonl, written while the tests run, and run.json,
/// written at the end. `casebook report` shows the newest. Secrets are replaced by `[redacted]` in both: passwords in URLs
/// and values of environment variables whose names match *KEY*, *TOKEN*, *SECRET*, *PASS*, *CREDENTIAL* or *_PAT.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit code: that of the command. With --from: 0 all recorded and passed, 1 a test failed, 2 the input or the record is damaged.

Examples:
  casebook record -- rspec
  casebook record -- bundle exec rspec spec/models
  my-runner --events | casebook record --from jsonl
  bats --tap test | casebook record --from tap
  pytest --junitxml=results.xml; casebook record --from junit results.xml
  casebook record --from jsonl --record out events.jsonl.gz")]
pub(crate) struct Record {
    /// The format of the input: event lines, TAP 12 to 14, or JUnit XML
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) from: Option<Format>,

    /// The file to read, .gz and .zst included, or - for standard input [default: -]
    #[arg(value_name = "FILE")]
    pub(crate) input: Option<PathBuf>,

    /// The command to run and record, after --
    #[arg(last = true, value_name = "COMMAND", conflicts_with_all = ["from", "input", "ack"])]
    pub(crate) command: Vec<OsString>,

    #[command(flatten)]
    pub(crate) options: RecordArgs,

    /// Print each line's number on standard output once its event is on disk (event lines only)
    ///
    /// An invalid line is answered with `N rejected`, an unknown kind of event with `N skipped`, so every line that is not blank
    /// is answered. Lines that arrive together are answered together.
    #[arg(long)]
    pub(crate) ack: bool,
}

/// The formats that `casebook record` reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Casebook's own events, one JSON object per line
    Jsonl,
    /// The Test Anything Protocol, versions 12 to 14
    Tap,
    /// JUnit XML, as written by pytest, nextest, surefire and others
    Junit,
}

/// Merge the records of shards into one
///
/// Tests are in planned order. If a test is in several records, the later ones count as further attempts.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit code: 0 all passed, 1 a test failed, 2 a record cannot be read or written.

Example, after `casebook run --shard K/2 --record shard-K` on two machines:
  casebook merge shard-1 shard-2")]
pub(crate) struct Merge {
    /// Directories, files run.json or events.jsonl, or ids of recorded runs
    #[arg(value_name = "RUN", required = true)]
    pub(crate) runs: Vec<String>,

    /// Write the record to this new directory [default: a directory in .casebook/runs]
    #[arg(long, value_name = "DIR")]
    pub(crate) record: Option<PathBuf>,

    /// Also upload the record to S3-compatible storage, with the credentials in the AWS_* variables
    #[arg(long, value_name = "URL")]
    pub(crate) upload: Option<Location>,
}

/// Rebuild run.json from events.jsonl of an interrupted run
///
/// An incomplete last line is ignored. Any other damage is reported with its line, the rest is kept, and the exit code is 2.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  casebook recover .casebook/runs/20261115-084051-d00fa811")]
pub(crate) struct Recover {
    /// The directory of a run, its events.jsonl, or the id of a recorded run [default: the newest]
    #[arg(value_name = "DIR")]
    pub(crate) run: Option<String>,
}

/// Show a recorded run
///
/// Reads run.json and events.jsonl, compressed or not, and the files of the rspec-agents gem.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit code: 0 the run was shown, even if tests failed; 2 otherwise.

Examples:
  casebook report                      the newest record
  casebook report d00fa811             a record by its id
  casebook report path/to/run.json.gz  any file
  casebook report --json | jq .failed_count
  casebook report --format pretty --format junit=results.xml
  casebook report --html report.html   a page for the browser
  casebook report latest~1 --html 2.html --previous 1.html --next 3.html
  casebook report --otlp http://localhost:4318
  casebook report --upload s3://ci-records/shop")]
pub(crate) struct Report {
    /// A directory, a run.json or events.jsonl, or the id of a recorded run [default: the newest]
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,

    #[arg(long, help = FORMAT_HELP, value_name = "FORMAT[=FILE]", conflicts_with_all = ["json", "junit"])]
    pub(crate) format: Vec<run::OutputFormat>,

    /// Print the summary and every test as JSON: short for --format json
    #[arg(long)]
    pub(crate) json: bool,

    /// Write JUnit XML to a file, or to standard output with -: short for --format junit=FILE
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    pub(crate) junit: Option<PathBuf>,

    /// Write an HTML page to a file, or to standard output with -; without --format, show nothing else
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "junit"])]
    pub(crate) html: Option<PathBuf>,

    /// Link the HTML page to that of the run before: a file name, or an address
    #[arg(long, value_name = "PAGE", requires = "html", value_parser = page_address)]
    pub(crate) previous: Option<String>,

    /// Link the HTML page to that of the run after
    #[arg(long, value_name = "PAGE", requires = "html", value_parser = page_address)]
    pub(crate) next: Option<String>,

    #[command(flatten)]
    pub(crate) otlp_args: OtlpArgs,

    /// Upload the record to S3-compatible storage; without --format, show nothing else
    #[arg(long, value_name = "URL")]
    pub(crate) upload: Option<Location>,

    /// Show these conversations
    #[arg(long, value_enum, default_value_t, value_name = "WHICH")]
    pub(crate) transcripts: Transcripts,

    /// List this many of the slowest tests
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = run::whole_number::<usize>)]
    pub(crate) slowest: usize,

    /// Show pass@k and pass^k of trials for these numbers: 1,3,5
    #[arg(long, value_name = "K,…", value_delimiter = ',', value_parser = run::at_least_one::<u64>)]
    pub(crate) k: Vec<u64>,
}

/// The address of a page: relative, or of a web server.
fn page_address(text: &str) -> Result<String, String> {
    let scheme = text
        .split(['/', '?', '#'])
        .next()
        .and_then(|start| start.split_once(':'));
    match scheme {
        Some((scheme, _)) if !["http", "https", "file"].contains(&scheme) => {
            Err("use a file name, or an address with http or https".to_owned())
        }
        _ => Ok(text.to_owned()),
    }
}

/// The conversations that a report shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Transcripts {
    /// All if they are few, otherwise those of failed tests
    #[default]
    Auto,
    /// All
    All,
    /// Those of failed tests
    Failed,
    /// None
    None,
}
