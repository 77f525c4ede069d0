//! The report of a run in the terminal.
//!
//! The most important parts come last, closest to the prompt: the summary is the last line, failures are above it, and
//! conversations above those. Lists are limited, so that the report of a large run stays readable.
//!
//! Texts in a record are not trusted: they may come from an agent, a tool or a broken program. Only `page` writes
//! bytes, and it makes every control character visible.

mod calibration;
mod closest_call;
mod command;
pub(crate) mod coverage;
pub mod dots;
mod duration;
mod evaluation;
mod event_lines;
mod exception;
mod excerpt;
mod failure;
mod header;
mod history;
mod hook;
pub mod interactive;
pub mod interleaved;
mod listing;
pub mod live;
mod mismatch;
mod output;
mod page;
mod repetitions;
mod retries;
mod run_diff;
mod screen;
mod services;
mod slowest;
mod soft_checks;
mod steps;
mod style;
mod styled;
mod summary;
pub(crate) mod text;
mod text_diff;
mod title;
mod transcript;
mod trials;
mod turn_limit;
mod value;

use std::io;

use casebook_record::model::EvaluationData;
use casebook_record::{ExampleData, Run, TrialsByTest};

use command::Command;
use evaluation::AlreadyShown;
use failure::FailureOptions;
use listing::Listings;
use page::Page;
use repetitions::RepeatedTests;
use retries::RetriedTests;
use soft_checks::SoftChecks;
use summary::RunCounts;
use transcript::Conversations;
use trials::Trials;
use turn_limit::LimitedSimulations;

use crate::examples::ExampleIndex;

pub use calibration::calibration;
pub(crate) use duration::human;
pub(crate) use header::short_commit;
pub use history::history;
pub(crate) use repetitions::repetitions_line;
pub use run_diff::run_diff;
pub(crate) use summary::line_of;
pub use summary::summary_line;
pub(crate) use title::{rename, started_title, test_title, title};
pub(crate) use trials::percent;

/// Options of the report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Whether to style the text with ANSI sequences.
    pub color: bool,
    /// The columns of the terminal. Fewer than 40 count as 40.
    pub width: usize,
    /// Which conversations to show.
    pub transcripts: Transcripts,
    /// The number of slowest examples to list.
    pub slowest: usize,
    /// The record's directory as the user can type it; full outputs are there.
    pub record: Option<String>,
    /// The numbers of trials for pass@k and pass^k; without any, all trials of a test.
    pub k: Vec<u64>,
}

/// Which conversations to show. The conversation of a failed example is shown with its failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Transcripts {
    /// All if there are few, else those of failed examples.
    #[default]
    Auto,
    /// All of them.
    All,
    /// Those of failed examples.
    Failed,
    /// None, not even with a failure.
    None,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            color: false,
            width: 100,
            transcripts: Transcripts::Auto,
            slowest: 5,
            record: None,
            k: Vec::new(),
        }
    }
}

/// The text of one failure below its title, without color.
pub(crate) fn failure_text(example: &ExampleData, options: &Options) -> String {
    let mut out = Vec::new();
    let failure_options = FailureOptions {
        transcripts: options.transcripts,
        record: options.record.as_deref(),
    };
    let page = &mut Page::new(&mut out, false, options.width);
    failure::show_body(page, example, failure_options).expect("writing to memory succeeds");
    String::from_utf8_lossy(&out).into_owned()
}

/// Writes one failed expectation of a command test, as its failure shows it.
pub fn expectation(
    example: &ExampleData,
    evaluation: &EvaluationData,
    options: &Options,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let already_shown = AlreadyShown {
        command: Command::of(&example.metadata),
        record: options.record.as_deref(),
        ..AlreadyShown::default()
    };
    let page = &mut Page::new(out, options.color, options.width);
    evaluation::show(page, 0, evaluation, &already_shown).map(drop)
}

/// Writes the report of a run.
pub fn report(run: &Run, options: &Options, out: &mut dyn io::Write) -> io::Result<()> {
    let mut index = ExampleIndex::default();
    let mut conversations = Conversations::default();
    let mut listings = Listings::default();
    let mut soft_checks = SoftChecks::default();
    let mut retried = RetriedTests::default();
    let mut limited = LimitedSimulations::default();
    let mut trials = TrialsByTest::default();
    let mut repeated = RepeatedTests::default();
    for (number, example) in run.each_example().enumerate() {
        let example = &*example?;
        index.add(example);
        conversations.add(number, example);
        listings.add(number, example);
        soft_checks.add_example(example);
        retried.add(|| title(run, example), &example.metadata);
        limited.add(|| title(run, example), &example.metadata);
        trials.add(example, || test_title(run, example));
        if let Some(repetitions) = example.repetitions() {
            repeated.add(title(run, example), number as u64, repetitions);
        }
    }
    let page = &mut Page::new(out, options.color, options.width);
    header::show(page, run)?;
    conversations.show(page, run, options.transcripts)?;
    let failure_options = FailureOptions {
        transcripts: options.transcripts,
        record: options.record.as_deref(),
    };
    for (heading, examples) in [
        (("Interrupted", style::WARN), &index.interrupted),
        (("Failures", style::BAD), &index.failures()),
    ] {
        failure::show_all(page, run, heading, examples, failure_options)?;
    }
    let counts = RunCounts::of(run, &index);
    listings.show(page, run, counts.counts_tests)?;
    slowest::show(page, run, &index, options.slowest)?;
    soft_checks.show(page)?;
    retried.show(page)?;
    limited.show(page)?;
    Trials::of(trials).show(page, &options.k)?;
    repeated.show(page)?;
    summary::show(page, &counts)
}
