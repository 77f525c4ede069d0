//! [`Join`]: collects covering tests and builds the matrix.

use std::path::Path;

use casebook_record::RunData;
use casebook_report::coverage::Method;
use casebook_suite::Suite;

use crate::covering_tests::CoveringTests;
use crate::designs::Design;
use crate::methods::Methods;
use crate::{matrix, results, specs, suites};

/// Joins designs with the tests that cover their states.
///
/// Suites and specs are added before runs: a result belongs to a test that is already known by its file and names, and
/// only tests that no source contains are added from a record.
pub struct Join<'d> {
    methods: Methods<'d>,
    tests: CoveringTests,
    cwd: &'d Path,
}

impl<'d> Join<'d> {
    /// A join without tests. Paths in warnings and in the matrix are relative to the working directory.
    pub fn new(designs: &'d [Design], cwd: &'d Path) -> Join<'d> {
        Join {
            methods: Methods::new(designs),
            tests: CoveringTests::default(),
            cwd,
        }
    }

    /// Adds the tests of a suite by their `covers`.
    pub fn add_suite(&mut self, suite: &Suite) {
        suites::add(&mut self.tests, suite, self.methods.designs, self.cwd);
    }

    /// Reads the specs of the designs and adds their examples by the names of groups and by markers.
    pub fn add_specs(&mut self) {
        specs::add(&mut self.tests, &self.methods, self.cwd);
    }

    /// Adds the results of these runs, the oldest first.
    pub fn add_runs(&mut self, runs: &[&RunData]) {
        results::add(&mut self.tests, runs, &self.methods, self.cwd);
    }

    /// Adds a warning, once.
    pub fn warn(&mut self, warning: String) {
        self.tests.warn(warning);
    }

    /// Names that cannot be resolved, files that cannot be read, and sources that changed after the run.
    pub fn warnings(&self) -> &[String] {
        self.tests.warnings()
    }

    /// The selected methods, those with the most uncovered states first.
    pub fn methods(&self) -> Vec<Method> {
        matrix::methods(self.methods.designs, &self.tests)
    }
}
