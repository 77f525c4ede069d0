//! [`SuiteWork`]: the tests of suites.

use casebook_run::{Options, Plan, PlannedTest, RunContext};

use super::{ChunkTests, MissingResult, TestIndex, Work};
use crate::progress::SuiteOutline;
use crate::schedule::{self, Slice};
use crate::wire::{Task, digest, is_whole};

/// The tests of suites, and how they are run.
pub(crate) struct SuiteWork<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) options: &'a Options,
}

impl SuiteWork<'_> {
    fn planned(&self, (suite, test): TestIndex) -> PlannedTest<'_> {
        let suite = &self.plan.suites[suite];
        suite.planned(&suite.tests[test])
    }
}

impl Work for SuiteWork<'_> {
    fn group_count(&self) -> usize {
        self.plan.suites.len()
    }

    fn outline(&self, group: usize) -> SuiteOutline {
        let suite = &self.plan.suites[group];
        SuiteOutline {
            name: suite.name().to_owned(),
            whole: is_whole(suite),
            tests: Some(suite.tests.len() as u64),
        }
    }

    fn group_name(&self, group: usize) -> &str {
        &self.plan.suites[group].suite.name
    }

    fn ids(&self, group: usize) -> Vec<&str> {
        let tests = self.plan.suites[group].tests.iter();
        tests.map(|test| test.id.as_str()).collect()
    }

    fn divide(&self, workers: usize, matches: &dyn Fn(&str) -> bool) -> Vec<Slice> {
        let costs = schedule::costs(self.plan, |test| matches(&test.id));
        schedule::divide(&costs, workers)
    }

    fn chunk_tests(&self, slice: &Slice) -> ChunkTests {
        let planned = &self.plan.suites[slice.suite];
        let entries = slice.tests.iter().map(|test| planned.tests[*test].clone());
        ChunkTests {
            file: planned.name().to_owned(),
            digest: digest(&planned.suite),
            whole: is_whole(planned),
            task: Task::Tests {
                options: self.options.clone(),
                tests: entries.collect(),
            },
        }
    }

    fn fail(&self, test: TestIndex, failure: &MissingResult, context: RunContext<'_>) {
        casebook_run::publish_worker_died(
            self.planned(test),
            &failure.message(),
            context.sink,
            &context.system.clock,
        );
    }

    fn max_failures(&self) -> Option<u64> {
        self.options.fail_fast.then_some(1)
    }

    fn name(&self, test: TestIndex) -> String {
        casebook_run::named(self.planned(test))
    }
}
