//! A suite as Bats code that a person can read and that gives the verdicts of the suite.
//!
//! [`compile`] makes it. Whoever runs it matches results to tests by their number: the first line of TAP that begins with
//! `ok 3` or `not ok 3` is about the third of [`Compiled::tests`]. When the environment variable `CASEBOOK_BATS_RESULTS`
//! names a folder, each try of a test leaves there, in `NUMBER/TRY/`:
//!
//! | file | holds |
//! |---|---|
//! | `phase` | the phase that failed, `setup`, `command` or `teardown`; empty if none did |
//! | `exit-code` | the command's exit code |
//! | `output`, or `stdout` and `stderr` | what it wrote, as bytes |
//! | `failed` | the numbers of the assertions that did not hold, from 1, one per line |
//! | `leaky` | (nothing) if something the command left behind held its output |
//!
//! and the suite leaves a `phase` beside them: `setupFile` or `teardownFile` if that failed. A skipped test leaves
//! nothing. docs/design/2026-11-15-bats.md says why it is so.

mod emit;
mod helpers;
pub(crate) mod quote;
mod test;
mod timeout;
mod title;

use std::path::Path;

use crate::model::{Check, Suite, Test};
use title::Title;

/// A suite as Bats code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compiled {
    /// What to give to `bats`.
    pub code: String,
    /// The tests in it. Bats counts them from 1.
    pub tests: Vec<CompiledTest>,
    /// Whether the code needs `jq`.
    pub needs_jq: bool,
}

/// Which test of the suite a test of the code is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompiledTest {
    /// Its index among the suite's tests.
    pub index: usize,
    /// What Bats calls it.
    pub title: String,
}

/// Where the suite's file is when the code runs.
#[derive(Debug, Clone, Copy)]
pub enum SuiteLocation<'a> {
    /// At this absolute path, wherever the code is.
    At(&'a Path),
    /// At this path from the folder that the code is in.
    FromCode(&'a Path),
}

/// Compiles a suite. Where tests are marked `only`, the others are left out.
///
/// ```
/// # use std::collections::BTreeMap;
/// # use std::path::Path;
/// # use casebook_source::SourceFile;
/// # use casebook_suite::{Surroundings, check};
/// use casebook_suite::bats::{Place, compile};
///
/// let file = SourceFile::new("greet.casebook.yaml", "tests: [{name: greets, command: echo hello}]");
/// # let checked = check(file, &Surroundings { environment: &BTreeMap::new(), stem: "greet", read: &casebook_suite::no_files });
/// let suite = checked.suite.unwrap();
/// let compiled = compile(&suite, Place::FromCode(Path::new("greet.casebook.yaml")));
/// assert_eq!(compiled.tests[0].title, "greets");
/// assert!(compiled.code.contains("@test \"greets\" {"));
/// ```
pub fn compile(suite: &Suite, place: SuiteLocation<'_>) -> Compiled {
    let selected = selected(suite);
    let titles = title::titles(selected.iter().map(|(_, test)| test.name.as_str()));
    let snapshots = crate::snapshot::files(suite);
    let cases: Vec<_> = selected
        .into_iter()
        .zip(titles)
        .map(|((index, test), title)| Case {
            index,
            test,
            title,
            snapshot: snapshots[index].as_deref(),
        })
        .collect();
    let tests = cases.iter().map(|case| CompiledTest {
        index: case.index,
        title: case.title.shown.clone(),
    });
    Compiled {
        code: emit::code(suite, place, &cases),
        tests: tests.collect(),
        needs_jq: needs_jq(&cases),
    }
}

/// The first test that cannot be Bats code, because it talks to an agent.
pub fn first_conversation(suite: &Suite) -> Option<&Test> {
    suite.tests.iter().find(|test| test.command().is_none())
}

/// A test and what Bats is to know of it.
struct Case<'a> {
    index: usize,
    test: &'a Test,
    title: Title,
    snapshot: Option<&'a str>,
}

fn selected(suite: &Suite) -> Vec<(usize, &Test)> {
    let only = suite.tests.iter().any(|test| test.only.is_some());
    let tests = suite.tests.iter().enumerate();
    tests
        .filter(|(_, test)| !only || test.only.is_some())
        .collect()
}

fn needs_jq(cases: &[Case<'_>]) -> bool {
    any(cases, |check| matches!(check, Check::Json { .. }))
}

fn any(cases: &[Case<'_>], is_such: impl Fn(&Check) -> bool) -> bool {
    cases
        .iter()
        .flat_map(|case| &case.test.assertions)
        .any(|assertion| is_such(&assertion.check))
}
