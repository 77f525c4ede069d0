//! Compiles a suite to readable Bats code with the same results.
//!
//! [`compile`] is the entry point. Results are matched to tests by number: the first line of TAP that begins with `ok 3`
//! or `not ok 3` is the result of the third of [`Compiled::tests`]. If the environment variable `CASEBOOK_BATS_RESULTS`
//! names a directory, each attempt of a test writes these files there, in `NUMBER/ATTEMPT/`:
//!
//! | file | contents |
//! |---|---|
//! | `phase` | the phase that failed, `setup`, `command` or `teardown`; empty if none did |
//! | `exit-code` | the command's exit code |
//! | `output`, or `stdout` and `stderr` | the command's output, as bytes |
//! | `failed` | the numbers of the failed assertions, from 1, one per line |
//! | `hook-exit-code` | the exit code of a `teardown` that failed or called `exit` |
//! | `duration` | how long the command took, in milliseconds, if the test limits it |
//! | `unmet` | the condition because of which the test was skipped |
//! | `leaky` | empty; exists if a process left by the command kept its output open |
//!
//! The suite writes a `phase` into the directory itself: `setupFile` or `teardownFile` if that failed. A test with
//! `skip` writes nothing. See docs/design/2026-11-15-bats.md for the reasons.

mod emit;
mod environment;
mod helpers;
mod normalize;
pub(crate) mod quote;
mod secret_names;
mod service;
mod step;
mod test;
mod timeout;
mod title;

use std::path::Path;

use casebook_source::Span;

use crate::model::{CaptureSource, Check, Step, Suite, Test};
pub use environment::read_at_run_time;
use title::Title;

/// A suite as Bats code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compiled {
    /// The code for `bats`.
    pub code: String,
    /// The tests in it. Bats counts them from 1.
    pub tests: Vec<CompiledTest>,
    /// Whether the code needs `jq`.
    pub needs_jq: bool,
}

/// A test in the code and the test of the suite it was compiled from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompiledTest {
    /// Its index among the suite's tests.
    pub index: usize,
    /// Its title in Bats.
    pub title: String,
}

/// The location of the suite's file when the code runs.
#[derive(Debug, Clone, Copy)]
pub enum SuiteLocation<'a> {
    /// This absolute path.
    At(&'a Path),
    /// This path, relative to the directory of the code.
    FromCode(&'a Path),
}

/// Compiles a suite. If tests are marked `only`, the others are skipped.
///
/// ```
/// # use std::collections::BTreeMap;
/// # use std::path::Path;
/// # use casebook_source::SourceFile;
/// # use casebook_suite::{CheckContext, check};
/// use casebook_suite::bats::{SuiteLocation, compile};
///
/// let file = SourceFile::new("greet.casebook.yaml", "tests: [{name: greets, command: echo hello}]");
/// # let checked = check(file, &CheckContext { environment: &BTreeMap::new(), stem: "greet", read: &casebook_suite::deny_files });
/// let suite = checked.suite.unwrap();
/// let compiled = compile(&suite, SuiteLocation::FromCode(Path::new("greet.casebook.yaml")));
/// assert_eq!(compiled.tests[0].title, "greets");
/// assert!(compiled.code.contains("@test \"greets\" {"));
/// ```
pub fn compile(suite: &Suite, location: SuiteLocation<'_>) -> Compiled {
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
            snapshots: &snapshots[index],
        })
        .collect();
    let tests = cases.iter().map(|case| CompiledTest {
        index: case.index,
        title: case.title.shown.clone(),
    });
    Compiled {
        code: emit::code(suite, location, &cases),
        tests: tests.collect(),
        needs_jq: needs_jq(&cases),
    }
}

/// A test that only the native engine can run.
#[derive(Debug, Clone, Copy)]
pub struct NativeOnlyTest<'a> {
    /// The test.
    pub test: &'a Test,
    /// The location of what Bats cannot do.
    pub span: Span,
    /// Why Bats cannot run it, to follow its name in a sentence.
    pub reason: &'static str,
}

/// The first test that cannot be compiled to Bats.
pub fn first_native_only(suite: &Suite) -> Option<NativeOnlyTest<'_>> {
    suite.tests.iter().find_map(native_only)
}

fn native_only(test: &Test) -> Option<NativeOnlyTest<'_>> {
    let found = |span, reason| NativeOnlyTest { test, span, reason };
    if test.conversation().is_some() {
        return Some(found(test.span, "is a conversation, which Bats cannot run"));
    }
    let terminal = test
        .steps()
        .iter()
        .find_map(|step| step.terminal.as_ref())?;
    Some(found(
        terminal.span,
        "runs in a terminal, which Bats does not have",
    ))
}

/// A test with its Bats title and snapshot files.
struct Case<'a> {
    index: usize,
    test: &'a Test,
    title: Title,
    /// The snapshot file of each step.
    snapshots: &'a [Option<String>],
}

fn selected(suite: &Suite) -> Vec<(usize, &Test)> {
    let only = suite.tests.iter().any(|test| test.only.is_some());
    let tests = suite.tests.iter().enumerate();
    tests
        .filter(|(_, test)| !only || test.only.is_some())
        .collect()
}

fn needs_jq(cases: &[Case<'_>]) -> bool {
    any_step(cases, needs_json)
}

/// Whether a step reads JSON, for which the code needs `jq`.
pub fn needs_json(step: &Step) -> bool {
    let mut checks = step.assertions.iter().map(|assertion| &assertion.check);
    let mut sources = step.captures.iter().map(|capture| &capture.source);
    checks.any(Check::needs_jq) || sources.any(|source| matches!(source, CaptureSource::Json(_)))
}

fn any_step(cases: &[Case<'_>], matches_step: impl Fn(&Step) -> bool) -> bool {
    let steps = cases.iter().flat_map(|case| case.test.steps());
    steps.into_iter().any(matches_step)
}

fn any(cases: &[Case<'_>], matches_check: impl Fn(&Check) -> bool) -> bool {
    cases
        .iter()
        .flat_map(|case| case.test.assertions())
        .any(|assertion| matches_check(&assertion.check))
}
