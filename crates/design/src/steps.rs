//! The steps of a test's design, one function each. The commands call them, and other front ends can.
//!
//! Every step returns a result with data for programs and warnings for users, or a [`StepError`]. Nothing here prints or
//! reads the clock; time, working directory and programs come from the [`StepContext`].

mod analyze;
mod backup;
mod batch;
mod block_lines;
mod decision;
mod draft_dir;
mod error;
mod files;
mod lint;
mod mark;
mod method_document;
mod method_modes;
mod optimize;
mod parallel;
mod pipeline;
mod polish;
mod probe;
mod progress;
mod project;
mod refactor;
mod review;
mod skeleton;
mod spec_workspace;
mod status;
mod subject;
mod survey;
mod update;
mod validate;
mod verify;
mod write_spec;

use std::path::{Path, PathBuf};

use crate::skeleton::{component_of, runs_own_specs};

use crate::learn::Learner;

pub use analyze::{AnalyzeOptions, Analyzed, analyze};
pub use batch::{BatchFile, BatchOptions, analyze_all};
pub use decision::DecisionSource;
pub use error::StepError;
pub use files::{ruby_files, source_files};
pub use mark::mark;
pub use optimize::{Optimized, optimize};
pub use pipeline::{PipelineResult, pipeline};
pub use polish::{Polished, polish};
pub use probe::probe_plan;
pub use progress::Step;
pub use refactor::{Check, RefactorOptions, Refactored, Refactoring, refactor};
pub use review::{Reviewed, review, review_spec};
pub use skeleton::{Conflict, Mode, SkeletonKind, SkeletonOptions, SkeletonResult, skeleton};
pub use status::{MethodProgress, status};
pub use subject::{Subject, Target};
pub use survey::{Surveyed, SurveyedDecision, SurveyedState, survey};
pub use update::{Change, Changed, update};
pub use validate::{Validated, validate, validate_stage};
pub use write_spec::{ExampleCounts, SpecStep, architect, implement};

/// The result of running another program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramOutput {
    /// The exit code; `None` if it was killed.
    pub code: Option<i32>,
    /// Whether the exit code was 0.
    pub is_success: bool,
    /// Standard output and standard error together.
    pub output: String,
}

/// In RSpec's summary, if a file cannot be loaded.
const LOAD_ERRORS: &str = "occurred outside of examples";

impl ProgramOutput {
    /// The number of examples that passed, from RSpec's line with the number of failures. `None` if it printed no such line.
    fn passed(&self) -> Option<usize> {
        let rest = self.count("failure")? + self.count("pending").unwrap_or(0);
        self.count("example")?.checked_sub(rest)
    }

    /// A number in RSpec's line with the number of failures.
    fn count(&self, what: &str) -> Option<usize> {
        let mut lines = self.output.lines().rev();
        let line = lines.find(|line| line.contains(" example") && line.contains(" failure"))?;
        let part = line.split(',').find(|part| part.contains(what))?;
        // The project may have turned colors on: `\u{1b}[32m2 examples`.
        let number = part.split_whitespace().next()?.rsplit('m').next()?;
        number.parse().ok()
    }

    /// RSpec's result is that of the examples. Afterwards, `SimpleCov` ends the process with an error if a single spec covers
    /// less than the project's minimum.
    fn judged_by_examples(mut self) -> ProgramOutput {
        let ran = self.count("example").is_some_and(|count| count > 0);
        let is_clean = self.count("failure") == Some(0) && !self.output.contains(LOAD_ERRORS);
        self.is_success |= self.code.is_some() && ran && is_clean;
        self
    }

    /// RSpec's line with the number of failures, or the last line.
    fn summary(&self) -> String {
        let mut lines = self.output.lines().rev();
        let summary = lines.clone().find(|line| line.contains("failure"));
        let summary = summary.or_else(|| lines.next()).unwrap_or("failed").trim();
        if summary.contains(LOAD_ERRORS) {
            return format!("{summary} ({})", verify::load_error(&self.output));
        }
        summary.to_owned()
    }
}

/// Runs a program in a directory; returns `None` if it is not installed.
pub type Run<'a> = dyn Fn(&Path, &str, &[&str]) -> Option<ProgramOutput> + Sync + 'a;

/// The environment of a step.
#[derive(Clone, Copy)]
pub struct StepContext<'a> {
    /// The working directory.
    pub cwd: &'a Path,
    /// The time, ISO 8601 in UTC.
    pub now: &'a str,
    /// Whether a directory in /tmp may be used if no project is found.
    pub may_fall_back: bool,
    /// Runs other programs: rspec, git and linters.
    pub run: &'a Run<'a>,
    /// Learns examples that do not follow from the code alone; set with `--learn`.
    pub learner: Option<&'a Learner>,
}

impl StepContext<'_> {
    /// Runs a spec. `None` if rspec is not installed.
    fn rspec(&self, root: &Path, spec: &Path) -> Option<ProgramOutput> {
        self.rspec_with(root, spec, &[&spec.to_string_lossy()])
    }

    /// Runs rspec, with `bundle exec` if the project has a Gemfile that lists gems and Bundler can start it.
    fn rspec_with(&self, root: &Path, spec: &Path, arguments: &[&str]) -> Option<ProgramOutput> {
        let dir = spec_root(root, spec);
        let bundled = || (self.run)(&dir, "bundle", &[&["exec", "rspec"], arguments].concat());
        let ran = lists_gems(root).then(bundled).flatten();
        ran.filter(|ran| !is_bundler_error(ran))
            .or_else(|| (self.run)(&dir, "rspec", arguments))
            .map(ProgramOutput::judged_by_examples)
    }
}

/// The commands that may start RSpec for a spec, best first, and the directory in which they run. Bundler may not be able to
/// start it.
pub fn rspec_commands(root: &Path, spec: &Path) -> (PathBuf, Vec<&'static [&'static str]>) {
    let mut commands: Vec<&[&str]> = vec![&["rspec"]];
    if lists_gems(root) {
        commands.insert(0, &["bundle", "exec", "rspec"]);
    }
    (spec_root(root, spec), commands)
}

/// The directory in which a spec runs: that of its gem or engine, otherwise the root.
fn spec_root(root: &Path, spec: &Path) -> PathBuf {
    let inside = spec.strip_prefix(root).unwrap_or(Path::new(""));
    let component = root.join(component_of(&inside.to_string_lossy(), root));
    if runs_own_specs(&component) {
        component
    } else {
        root.to_owned()
    }
}

/// Whether a Gemfile names a gem. With an empty one, which only marks the root, Bundler would find no gem at all.
fn lists_gems(root: &Path) -> bool {
    let is_entry = |line: &str| {
        let word = line.trim_start().split([' ', '(']).next();
        matches!(word, Some("gem" | "gemspec" | "eval_gemfile"))
    };
    root.join("Gemfile.lock").is_file()
        || std::fs::read_to_string(root.join("Gemfile"))
            .is_ok_and(|text| text.lines().any(is_entry))
}

/// Whether Bundler failed before it started the program, for example because a gem is not installed.
fn is_bundler_error(ran: &ProgramOutput) -> bool {
    let is_message = |line: &str| line.contains("Bundler::") || line.starts_with("Could not find");
    // A Gemfile or gemspec may print lines before Bundler does, for example if `git` fails in it.
    let is_own = |line: &str| line.starts_with("bundler: ");
    let lines = ran.output.lines();
    !ran.is_success && (lines.clone().take(2).any(is_message) || lines.clone().any(is_own))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use parking_lot::Mutex;

    use super::*;

    /// The programs that are started for a project with this Gemfile, if Bundler prints this.
    fn started(gemfile: Option<&str>, bundler: Option<&str>) -> String {
        let root = tempfile::tempdir().unwrap();
        if let Some(text) = gemfile {
            fs::write(root.path().join("Gemfile"), text).unwrap();
        }
        let programs = Mutex::new(Vec::new());
        let run = |_: &Path, program: &str, arguments: &[&str]| {
            programs
                .lock()
                .push(format!("{program} {}", arguments.join(" ")));
            let output = if program == "bundle" { bundler? } else { "" };
            Some(ProgramOutput {
                code: Some(i32::from(!output.is_empty())),
                is_success: output.is_empty(),
                output: output.to_owned(),
            })
        };
        let context = StepContext {
            cwd: root.path(),
            now: "",
            may_fall_back: true,
            run: &run,
            learner: None,
        };
        context.rspec(root.path(), Path::new("a_spec.rb"));
        programs.into_inner().join("; ")
    }

    #[test]
    fn rspec_is_started_with_bundler_if_the_gemfile_lists_gems() {
        let bundled = "bundle exec rspec a_spec.rb";
        let plain = "rspec a_spec.rb";
        let both = "bundle exec rspec a_spec.rb; rspec a_spec.rb";
        for (gemfile, bundler, expected) in [
            (None, Some(""), plain),
            (Some("# gem 'rspec'\n"), Some(""), plain),
            (Some("gem 'rspec'\n"), Some(""), bundled),
            (Some("source 'x'\n\ngemspec\n"), Some(""), bundled),
            (Some("gem 'rspec'\n"), Some("1 example, 1 failure"), bundled),
            (Some("gem 'rspec'\n"), None, both),
            (
                Some("gem 'rspec'\n"),
                Some("bundler: failed to load command: rspec\nCould not find gem 'x'"),
                both,
            ),
            (
                Some("gem 'rspec'\n"),
                Some(
                    "fatal: not a git repository\nfatal: not a git repository\nbundler: failed to load command: rspec",
                ),
                both,
            ),
        ] {
            assert_eq!(
                started(gemfile, bundler),
                expected,
                "{gemfile:?} {bundler:?}"
            );
        }
    }

    #[test]
    fn a_summary_names_the_error_while_loading() {
        let ran = |output: &str| ProgramOutput {
            code: Some(1),
            is_success: false,
            output: output.to_owned(),
        };
        let outside = "An error occurred while loading ./a_spec.rb.\nFailure/Error: require 'b'\n\nLoadError:\n  cannot load such file -- b\n\n0 examples, 0 failures, 1 error occurred outside of examples\n";
        for (output, summary) in [
            (
                outside,
                "0 examples, 0 failures, 1 error occurred outside of examples (LoadError: cannot load such file -- b)",
            ),
            (
                "NameError:\n  x\n2 examples, 1 failure\n",
                "2 examples, 1 failure",
            ),
            ("rspec: not found", "rspec: not found"),
            ("", "failed"),
        ] {
            assert_eq!(ran(output).summary(), summary);
        }
    }

    #[test]
    fn passed_examples_are_counted() {
        for (output, passed) in [
            ("..\n\nFinished\n3 examples, 0 failures\n", Some(3)),
            ("1 example, 1 failure", Some(0)),
            ("\u{1b}[32m3 examples, 0 failures\u{1b}[0m", Some(3)),
            (
                "\u{1b}[33m3 examples, 0 failures, 1 pending\u{1b}[0m",
                Some(2),
            ),
            (
                "72 examples, 0 failures, 72 pending\n\nCoverage: 5",
                Some(0),
            ),
            (
                "5 examples, 1 failure, 2 pending, 1 error occurred",
                Some(2),
            ),
            ("no summary", None),
            ("", None),
        ] {
            let ran = ProgramOutput {
                code: Some(0),
                is_success: true,
                output: output.to_owned(),
            };
            assert_eq!(ran.passed(), passed, "{output}");
        }
    }
}
