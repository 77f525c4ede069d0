//! [`Work`]: what the controller knows of the tests of a run. They are in groups: suites, or spec files.

mod specs;
mod suites;

use casebook_record::Event;
use casebook_run::RunContext;

use crate::progress::SuiteOutline;
use crate::schedule::Slice;
use crate::wire::Task;

pub use specs::SpecPlan;
pub(crate) use specs::SpecWork;
pub(crate) use suites::SuiteWork;

/// The group and the number of a test.
pub(crate) type TestIndex = (usize, usize);

/// The tests of a run.
pub(crate) trait Work {
    fn group_count(&self) -> usize;

    /// What the controller must know of a group to understand the events of workers.
    fn outline(&self, group: usize) -> SuiteOutline;

    /// The description of a group in the record.
    fn group_name(&self, group: usize) -> &str;

    /// The ids of the tests of a group, in order.
    fn ids(&self, group: usize) -> Vec<&str>;

    /// Divides the tests whose ids match among workers, the longest chunks first.
    fn divide(&self, workers: usize, matches: &dyn Fn(&str) -> bool) -> Vec<Slice>;

    /// What a worker must know to run a chunk.
    fn chunk_tests(&self, slice: &Slice) -> ChunkTests;

    /// The number of failures that ends the run, if the workers do not.
    fn max_failures(&self) -> Option<u64> {
        None
    }

    /// Adds to an event what its worker could not know.
    fn complete(&self, _test: TestIndex, _event: &mut Event) {}

    /// Fails a test that has no result from a worker.
    fn fail(&self, test: TestIndex, failure: &MissingResult, context: RunContext<'_>);

    /// The location and title of a test, for messages.
    fn name(&self, test: TestIndex) -> String;
}

/// The part of the work that a chunk contains.
pub(crate) struct ChunkTests {
    /// The file, relative to the project.
    pub(crate) file: String,
    /// Identifies the contents of the file.
    pub(crate) digest: String,
    /// Whether the results count only together.
    pub(crate) whole: bool,
    pub(crate) task: Task,
}

/// Why a test has no result from a worker.
pub(crate) enum MissingResult {
    /// This many workers died while they ran it.
    WorkerDied(u32),
    /// It does not exist on the worker.
    NotFound,
}

impl MissingResult {
    pub(crate) fn class(&self) -> &'static str {
        match self {
            MissingResult::WorkerDied(_) => "Casebook::WorkerDied",
            MissingResult::NotFound => "Casebook::NotFound",
        }
    }

    pub(crate) fn message(&self) -> String {
        match self {
            MissingResult::WorkerDied(1) => "the worker died while it ran this test".to_owned(),
            MissingResult::WorkerDied(count) => {
                format!("{count} workers died while they ran this test")
            }
            MissingResult::NotFound => {
                "the worker has no such example; examples must be the same each time the specs are loaded".to_owned()
            }
        }
    }
}
