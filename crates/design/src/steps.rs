//! The steps of a test's design, one function each. The commands call them, and other front ends can.
//!
//! Every step returns a result with data for programs and warnings for users, or a [`StepError`]. Nothing here prints or
//! reads the clock; time, working directory and programs come from the [`StepContext`].

mod analyze;
mod backup;
mod batch;
mod decision;
mod draft_dir;
mod error;
mod files;
mod lint;
mod mark;
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
mod write_spec;

use std::path::Path;

pub use analyze::{AnalyzeOptions, Analyzed, analyze};
pub use batch::{BatchFile, BatchOptions, analyze_all};
pub use decision::DecisionSource;
pub use error::StepError;
pub use files::ruby_files;
pub use mark::mark;
pub use optimize::{Optimized, optimize};
pub use pipeline::{PipelineResult, pipeline};
pub use polish::{Polished, polish};
pub use probe::probe_plan;
pub use progress::Step;
pub use refactor::{Refactored, Refactoring, refactor};
pub use review::{Reviewed, review, review_spec};
pub use skeleton::{Conflict, Mode, SkeletonKind, SkeletonOptions, SkeletonResult, skeleton};
pub use status::{MethodProgress, status};
pub use subject::{Subject, Target};
pub use survey::{Surveyed, survey};
pub use update::{Change, Changed, update};
pub use validate::{Validated, validate, validate_stage};
pub use write_spec::{SpecStep, architect, implement};

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

impl ProgramOutput {
    /// RSpec's line with the number of failures, or the last line.
    fn summary(&self) -> &str {
        let mut lines = self.output.lines().rev();
        let summary = lines.clone().find(|line| line.contains("failure"));
        summary.or_else(|| lines.next()).unwrap_or("failed").trim()
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
}

impl StepContext<'_> {
    /// Runs a spec, with `bundle exec` if the project has a Gemfile.lock. `None` if rspec is not installed.
    fn rspec(&self, root: &Path, spec: &Path) -> Option<ProgramOutput> {
        let spec = spec.to_string_lossy();
        if root.join("Gemfile.lock").is_file() {
            (self.run)(root, "bundle", &["exec", "rspec", &spec])
        } else {
            (self.run)(root, "rspec", &[&spec])
        }
    }
}
