//! Adds the tests of suites by their `covers`.

use std::path::Path;

use casebook_design::metadata::location::absolute;
use casebook_record::canonical_path;
use casebook_report::coverage::CoverageSource;
use casebook_suite::Suite;

use crate::claims::Claim;
use crate::covering_tests::{CoveringTest, CoveringTests};
use crate::designs::Design;

/// Adds the tests of a suite that cover anything.
pub(crate) fn add(tests: &mut CoveringTests, suite: &Suite, designs: &[Design], cwd: &Path) {
    let file = absolute(Path::new(suite.file.name()), cwd);
    for test in &suite.tests {
        let line = suite.file.position(test.span.start).line;
        let place = format!("{}:{line}", suite.file.name());
        let claim = Claim {
            place: &place,
            suite: Some(&suite.name),
            covers: &test.covers,
        };
        let mut covering = CoveringTest::new(&test.name, &place, CoverageSource::Covers);
        claim.resolve(designs, &mut covering, tests);
        let path = canonical_path([suite.name.as_str(), &test.name], None);
        tests.add((file.clone(), path), covering);
    }
    tests.read_suite(file);
}
