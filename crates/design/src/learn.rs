//! Learns examples: searches inputs that reach the leaves of a method, and observes what the method does with them.
//!
//! A [`Learner`] writes a plan with what is known about the methods: their leaves and probes, facts from the sources of the
//! project, values from existing specs. `ruby/casebook_learn.rb` reads it in a [`Sandbox`],
//! runs the methods and reports one [`LearnedMethod`] each. An example is reported only if its result depends on the
//! leaf's own state, and is the same in fresh processes.

mod facts;
mod helper;
mod learned;
mod plan;
mod project;
mod spec_run;
mod spec_values;

use std::path::{Path, PathBuf};

pub use learned::{Expectation, LeafResult, LearnedExample, LearnedMethod, PendingReason};
pub use plan::{LearnMethod, Rule};

use crate::sandbox::{Sandbox, SandboxError, SandboxProgram};

/// How inputs are searched.
#[derive(Debug, Clone)]
pub struct LearnOptions {
    /// The ways to find inputs.
    pub rules: Vec<Rule>,
    /// The time to search inputs for one method, in seconds.
    pub seconds: f64,
}

impl Default for LearnOptions {
    fn default() -> LearnOptions {
        LearnOptions {
            rules: Rule::ALL.to_vec(),
            seconds: 0.6,
        }
    }
}

/// Why nothing could be learned.
#[derive(Debug, thiserror::Error)]
pub enum LearnError {
    /// The sandbox cannot be used.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// A file of the helper cannot be written.
    #[error("cannot write a temporary file: {0}")]
    Temporary(#[from] std::io::Error),
    /// The helper ended before it reported anything.
    #[error("the project cannot be run: {0}")]
    Helper(String),
}

/// Learns examples in a sandbox.
#[derive(Debug)]
pub struct Learner {
    /// Where the code under test runs.
    pub sandbox: Sandbox,
    /// A directory for the files of the helper.
    pub temporary: PathBuf,
    /// How inputs are searched.
    pub options: LearnOptions,
}

impl Learner {
    /// Learns examples for methods of the project at `root`. The results are in the order of `methods`.
    pub fn learn(
        &self,
        root: &Path,
        methods: &[LearnMethod],
    ) -> Result<Vec<LearnedMethod>, LearnError> {
        let root = root.canonicalize()?;
        let helper = helper::Helper::write(&self.temporary)?;
        let plan = plan::build(&root, methods, &self.options, &helper)?;
        let output = self.sandbox.run(&SandboxProgram {
            program: "ruby",
            arguments: &[helper.program()],
            input: plan.to_string().as_bytes(),
            project: &root,
            readable: &[helper.dir().to_owned()],
        })?;
        if output.stdout.is_empty() && !output.is_timed_out {
            let message = output.stderr.trim().lines().next();
            let message = message.unwrap_or("Ruby ended without a result or a message");
            return Err(LearnError::Helper(message.to_owned()));
        }
        Ok(learned::read(&output.stdout, methods))
    }
}
