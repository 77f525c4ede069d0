//! Runs the repetitions of tests.

use crate::attempt::TestEnd;
use crate::emitter::EventEmitter;
use crate::engine::Engine;
use crate::executor::TestExecutor;
use crate::options::Repeat;
use crate::plan::Plan;
use crate::repetition::{RepeatedTest, RepetitionBuffer};
use crate::workers::WorkerHandle;

use super::Runner;

/// The repeated tests of a plan, by the indexes of suite and test.
pub(super) struct RepeatedTests {
    tests: Vec<Vec<RepeatedTest>>,
    /// The number of repetitions of each test, if it is known.
    times: Option<u64>,
    /// Whether no repetition is started after the first failure.
    until_fail: bool,
}

impl RepeatedTests {
    pub(super) fn new(plan: &Plan, repeat: Option<Repeat>) -> Option<RepeatedTests> {
        let suites = plan.suites.iter();
        let tests = suites.map(|suite| {
            suite
                .tests
                .iter()
                .map(|_| RepeatedTest::default())
                .collect()
        });
        repeat.map(|repeat| RepeatedTests {
            tests: tests.collect(),
            times: repeat.times.map(u64::from),
            until_fail: repeat.until_fail,
        })
    }
}

impl<E: Engine> Runner<'_, E> {
    /// Runs one repetition of a test, and finishes the test if it is the last.
    pub(super) fn repeat(
        &self,
        repeated: &RepeatedTests,
        (suite, test, round): (usize, usize, u32),
        worker: usize,
        handle: Option<&mut WorkerHandle<'_>>,
    ) {
        let TestExecutor { emitter, .. } = self.executor;
        let planned_suite = &self.plan.suites[suite];
        let planned = planned_suite.planned(&planned_suite.tests[test]);
        let repeated_test = &repeated.tests[suite][test];
        repeated_test.begin(|| emitter.repetitions_announced(planned, worker));
        let buffer = RepetitionBuffer::new(emitter.sink(), repeated_test);
        let buffered = emitter.with_sink(&buffer);
        let end = self.run_repetition((suite, test, round), worker, handle, &buffered);
        if end == TestEnd::Failed && (self.executor.options.fail_fast || repeated.until_fail) {
            self.dispatcher.stop_dispatching();
        }
        let done = repeated_test.add(round, end, buffer.into_events(), emitter.sink());
        if repeated.times.is_some_and(|times| done >= times) {
            self.finish(repeated_test);
        }
    }

    fn run_repetition(
        &self,
        (suite, test, round): (usize, usize, u32),
        worker: usize,
        handle: Option<&mut WorkerHandle<'_>>,
        emitter: &EventEmitter<'_>,
    ) -> TestEnd {
        let planned_suite = &self.plan.suites[suite];
        let planned = planned_suite.planned(&planned_suite.tests[test]);
        let open_suite = self.open_suites[suite].read();
        if let (Some(handle), Some(job)) = (handle, self.remote_job(suite, test, round)) {
            let end = handle.wait(&job, emitter);
            handle.flush_events(emitter.sink());
            return end;
        }
        match &*open_suite {
            Some(Ok(open)) if self.executor.engine.setup_failure(open).is_none() => {
                self.prepare_next(suite, open);
            }
            // Without its suite, every repetition would fail in the same way.
            _ => self.dispatcher.stop_repeating(suite),
        }
        let executor = TestExecutor {
            emitter,
            ..self.executor
        };
        executor.run_test(planned, open_suite.as_ref(), worker, Some(round))
    }

    /// Finishes the tests of a suite that may have been repeated more often.
    pub(super) fn finish_repetitions(&self, suite: usize) {
        let repeated = self.repeated.iter();
        repeated
            .flat_map(|repeated| &repeated.tests[suite])
            .for_each(|test| self.finish(test));
    }

    fn finish(&self, test: &RepeatedTest) {
        if let Some(end) = test.finish(self.executor.emitter.sink()) {
            self.count(end);
        }
    }
}
