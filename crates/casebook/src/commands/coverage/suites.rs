//! What suites say that their tests cover.

use std::path::Path;

use casebook_design::metadata::place::absolute;
use casebook_record::canonical_path;
use casebook_report::coverage::KnownBy;
use casebook_suite::{Suite, discover};

use super::covering::{Covering, Tests};
use super::covers::Claim;
use super::designs::Design;
use crate::commands::suites::read_file;
use crate::context::Context;
use crate::error::CommandError;

/// Adds the tests of these suites that cover anything; without paths, of those in this folder.
pub(super) fn add(
    tests: &mut Tests,
    paths: &[String],
    designs: &[Design],
    context: &Context,
) -> Result<(), CommandError> {
    let found = discover(paths, &context.folder);
    // A project without suites has specs.
    if let (Some(unmatched), false) = (found.unmatched.first(), paths.is_empty()) {
        return Err(CommandError::NoSuite(unmatched.to_string()));
    }
    for file in found.files {
        match read_file(&file.path, context)?.suite {
            Some(suite) => add_suite(tests, &suite, designs, &context.folder),
            None => tests.warn(broken(&file.path)),
        }
    }
    Ok(())
}

fn broken(path: &Path) -> String {
    let path = path.display();
    format!("{path} has problems and is left out: `casebook check {path}` shows them")
}

fn add_suite(tests: &mut Tests, suite: &Suite, designs: &[Design], cwd: &Path) {
    let file = absolute(Path::new(suite.file.name()), cwd);
    for test in &suite.tests {
        let line = suite.file.position(test.span.start).line;
        let place = format!("{}:{line}", suite.file.name());
        let claim = Claim {
            place: &place,
            suite: Some(&suite.name),
            covers: &test.covers,
        };
        let mut covering = Covering::new(&test.name, &place, KnownBy::Covers);
        claim.resolve(designs, &mut covering, tests);
        let path = canonical_path([suite.name.as_str(), &test.name], None);
        tests.add((file.clone(), path), covering);
    }
    tests.read_suite(file);
}
