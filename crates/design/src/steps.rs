//! The steps of a test's design, each a function: what the commands call, and what a server could call as well.
//!
//! Every step says what it did in an [`Outcome`]: data for programs, warnings for people. A step that cannot do its
//! work returns a [`StepError`]. Nothing here prints, reads the clock or knows the working directory but from the
//! [`World`] it is given.

mod analyze;
mod batch;
mod error;
mod files;
mod skeleton;
mod subject;
mod validate;

use std::path::Path;

pub use analyze::{AnalyzeOptions, Analyzed, analyze};
pub use batch::{BatchFile, analyze_all};
pub use error::StepError;
pub use files::ruby_files;
pub use skeleton::{Mode, SkeletonOptions, Written, skeleton};
pub use subject::{Subject, Target};
pub use validate::{Validated, validate};

/// What a step knows of the world.
#[derive(Debug, Clone, Copy)]
pub struct World<'a> {
    /// The working directory.
    pub cwd: &'a Path,
    /// The time, ISO 8601 in UTC.
    pub now: &'a str,
}
