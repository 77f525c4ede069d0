//! Measures the analysis of methods against the unavoidable work: parsing the files and reading the metadata.
//!
//! Prints a Markdown table. Every figure is the best of several runs on one core, except for the last rows.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a benchmark reads the clock, prints, and panics on errors"
)]

use std::fs;
use std::hint::black_box;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use casebook_design::on_deep_stack;
use casebook_design::ruby::{AnalysisOptions, analyze_all};
use casebook_design::steps::{self, BatchOptions, ProgramOutput, StepContext, ruby_files};

/// Directories of Ruby code from Debian packages.
const CORPUS: [&str; 2] = ["/usr/lib/ruby", "/usr/share/rubygems-integration"];
const RUNS: usize = 9;
const CACHED: usize = 10_000;

fn main() {
    // `cargo test --benches` only checks that it builds.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    on_deep_stack(measure);
}

fn measure() {
    let files = ruby_files(&CORPUS.map(PathBuf::from));
    let sources: Vec<Vec<u8>> = files
        .iter()
        .filter_map(|file| fs::read(file).ok())
        .collect();
    let bytes: usize = sources.iter().map(Vec::len).sum();
    eprintln!("{} files", sources.len());
    let mut methods = 0;
    let (analyzing, parsing) = side_by_side(
        || {
            methods = sources
                .iter()
                .filter_map(|source| {
                    analyze_all(source, "lib/a.rb", AnalysisOptions::default()).ok()
                })
                .map(|found| black_box(found).len())
                .sum();
        },
        || {
            for source in &sources {
                black_box(ruby_prism::parse(source).node());
            }
        },
    );
    let dir = project();
    let root = dir.path();
    let project_files = ruby_files(&[root.join("lib")]);
    let cold = |threads: usize| best_of(2, || analyze(&project_files, root, true, threads));
    eprintln!("{CACHED} files in a project");
    let (one, cores) = (
        cold(1),
        std::thread::available_parallelism().map_or(1, NonZero::get),
    );
    let all = cold(cores);
    let (cached, reading) = side_by_side(
        || analyze(&project_files, root, false, 1),
        || read(&project_files, root),
    );
    println!(
        "{} files with {methods} public methods, {} MB; a project of {CACHED} small files.\n",
        sources.len(),
        bytes / 1_000_000
    );
    println!("| task | Casebook | yardstick | ratio | bar |\n|---|---|---|---|---|");
    row(
        "analyze every public method",
        analyzing,
        "parse with Prism alone",
        parsing,
        "≤ 3×",
    );
    row(
        "find 10,000 files fresh",
        cached,
        "stat sources, read metadata",
        reading,
        "≤ 3×",
    );
    let surveyed = |threads: usize| best_of(3, || survey(&files, root, threads));
    faster(
        "survey every public method",
        cores,
        surveyed(1),
        surveyed(cores),
    );
    faster(
        "analyze 10,000 tiny files, written into one directory",
        cores,
        one,
        all,
    );
}

fn faster(task: &str, cores: usize, one: Duration, all: Duration) {
    let ratio = one.as_secs_f64() / all.as_secs_f64();
    println!(
        "| {task}, on {cores} cores | {} | on one: {} | {ratio:.2}× as fast | – |",
        shown(all),
        shown(one)
    );
}

fn row(task: &str, ours: Duration, yardstick: &str, theirs: Duration, bar: &str) {
    let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
    println!(
        "| {task} | {} | {yardstick}: {} | {ratio:.2}× the time | {bar} |",
        shown(ours),
        shown(theirs)
    );
}

fn shown(time: Duration) -> String {
    format!("{} ms", time.as_millis())
}

/// The best time of each, measured alternately so that other load on the machine affects both.
fn side_by_side(mut ours: impl FnMut(), mut theirs: impl FnMut()) -> (Duration, Duration) {
    let turns = (0..RUNS).map(|_| (best_of(1, &mut ours), best_of(1, &mut theirs)));
    let (ours, theirs): (Vec<_>, Vec<_>) = turns.unzip();
    let least = |times: Vec<Duration>| times.into_iter().min().unwrap();
    (least(ours), least(theirs))
}

fn best_of(runs: usize, mut work: impl FnMut()) -> Duration {
    let times = (0..runs).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed()
    });
    times.min().unwrap()
}

fn project() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("Gemfile"), "").unwrap();
    for number in 0..CACHED {
        let path = dir
            .path()
            .join(format!("lib/part{}/file{number}.rb", number / 100));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(
            path,
            format!("class C{number}\n  def run(user)\n    return :none if user.nil?\n\n    user.admin? ? {number} : 0\n  end\nend\n"),
        )
        .unwrap();
    }
    dir
}

fn analyze(files: &[PathBuf], root: &Path, force: bool, threads: usize) {
    let no_program = |_: &Path, _: &str, _: &[&str]| -> Option<ProgramOutput> { None };
    let context = StepContext {
        may_fall_back: true,
        cwd: root,
        now: "2026-11-15T12:00:00Z",
        run: &no_program,
        learner: None,
    };
    let options = BatchOptions {
        force,
        threads,
        ..BatchOptions::default()
    };
    black_box(steps::analyze_all(files, options, &context));
}

fn survey(files: &[PathBuf], root: &Path, threads: usize) {
    let no_program = |_: &Path, _: &str, _: &[&str]| -> Option<ProgramOutput> { None };
    let context = StepContext {
        may_fall_back: true,
        cwd: root,
        now: "2026-11-15T12:00:00Z",
        run: &no_program,
        learner: None,
    };
    black_box(steps::survey(files, threads, &context));
}

fn read(files: &[PathBuf], root: &Path) {
    for file in files {
        black_box(fs::metadata(file).unwrap().modified().unwrap());
        let relative = file.strip_prefix(root).unwrap().to_str().unwrap();
        let slug = relative.trim_end_matches(".rb").replace('/', "_");
        black_box(fs::read(root.join(format!("tmp/rspec_metadata/{slug}.yml"))).unwrap());
    }
}
