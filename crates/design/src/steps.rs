//! The steps of a test's design, each a function: what the commands call, and what a server could call as well.
//!
//! Every step says what it did in an `Outcome`: data for programs, warnings for people. A step that cannot do its
//! work returns a [`StepError`]. Nothing here prints, reads the clock or knows the working directory but from the
//! [`World`] it is given.

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

/// What became of another program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramOutput {
    /// Its exit code; none if it was killed.
    pub code: Option<i32>,
    /// Whether that was 0.
    pub is_success: bool,
    /// What it wrote, both streams together.
    pub output: String,
}

impl ProgramOutput {
    /// The line in which RSpec says how many failed, or the last one.
    fn summary(&self) -> &str {
        let mut lines = self.output.lines().rev();
        let summary = lines.clone().find(|line| line.contains("failure"));
        summary.or_else(|| lines.next()).unwrap_or("failed").trim()
    }
}

/// Runs a program in a folder; none where it is not installed.
pub type Run<'a> = dyn Fn(&Path, &str, &[&str]) -> Option<ProgramOutput> + Sync + 'a;

/// What a step knows of the world.
#[derive(Clone, Copy)]
pub struct StepContext<'a> {
    /// The working directory.
    pub cwd: &'a Path,
    /// The time, ISO 8601 in UTC.
    pub now: &'a str,
    /// Whether a folder in /tmp may stand for a project that is not found.
    pub may_fall_back: bool,
    /// Runs other programs: rspec and linters.
    pub run: &'a Run<'a>,
}

impl StepContext<'_> {
    /// Runs a spec, with the project's own gems where it has any.
    fn rspec(&self, root: &Path, spec: &Path) -> Option<ProgramOutput> {
        let spec = spec.to_string_lossy();
        if root.join("Gemfile.lock").is_file() {
            (self.run)(root, "bundle", &["exec", "rspec", &spec])
        } else {
            (self.run)(root, "rspec", &[&spec])
        }
    }
}
