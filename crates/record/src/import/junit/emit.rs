//! Emits the events of a parsed file.

use serde_json::{Map, Value};

use super::super::example::{Attempt, Examples, Failure, ImportedOutcome};
use super::super::truncated::command;
use super::super::{ImportSource, counted, run_started};
use super::case::{Case, CaseAttempt, Skipped};
use super::document::{Child, Document, Suite};
use crate::event::{Event, SuiteStopped};
use crate::lines::Problem;
use crate::metadata::Metadata;
use crate::time::Time;

/// The class of failures outside of any case, and of missing ones.
const UNREPORTED: &str = "JUnit::SuiteError";

/// Emits all events; returns the problems of the file.
pub(super) fn emit(
    mut document: Document,
    source: &ImportSource<'_>,
    emit: &mut dyn FnMut(Event),
) -> Vec<Problem> {
    let first_time = document.roots.iter().find_map(Suite::first_time);
    let clock = first_time.unwrap_or_else(source.now);
    let mut emitter = Emitter {
        examples: Examples::new(emit),
        problems: Vec::new(),
        groups: Vec::new(),
        clock,
        latest: clock,
    };
    emitter.begin(&mut document, source.name);
    for root in document.roots {
        emitter.suite(root);
    }
    let time = emitter.latest;
    emitter.examples.emit(SuiteStopped { time });
    emitter.problems
}

struct Emitter<'a> {
    examples: Examples<'a>,
    problems: Vec<Problem>,
    /// The names of the enclosing suites.
    groups: Vec<String>,
    /// The start of the next test, if the file does not contain it.
    clock: Time,
    /// The latest time reached in the suite, or after its end in the run.
    latest: Time,
}

impl Emitter<'_> {
    fn begin(&mut self, document: &mut Document, name: &str) {
        let count = document.roots.iter().map(Suite::case_count).sum();
        let name = document.name().unwrap_or(name);
        let mut started = run_started(self.clock, count, "junit", name);
        let mut suites = Vec::new();
        for root in &mut document.roots {
            suite_data(root, &mut suites);
        }
        if !suites.is_empty() {
            started.metadata.set("suites", suites);
        }
        self.examples.emit(started);
    }

    /// Emits a suite; returns how many failures it contains.
    fn suite(&mut self, suite: Suite) -> u64 {
        let group = suite.is_group.then(|| suite.name.unwrap_or_default());
        let before = self.latest;
        self.clock = suite.started.unwrap_or(self.clock);
        self.latest = self.clock;
        if let Some(name) = &group {
            let file = suite.file.as_deref();
            self.examples.group_started(self.clock, name, file);
            self.groups.push(name.clone());
        }
        let mut shown: u64 = 0;
        for child in suite.children {
            let shown_inside = match child {
                Child::Suite(suite) => self.suite(suite),
                Child::Case(case) => self.case(case),
            };
            // Saturating, because a file may claim any count.
            shown = shown.saturating_add(shown_inside);
        }
        shown = shown.saturating_add(self.own_failures(suite.line, suite.failures));
        shown += self.missing_failures(suite.line, suite.failures_counted.saturating_sub(shown));
        if let Some(name) = &group {
            self.groups.pop();
            self.examples.group_finished(self.latest, name);
        }
        self.clock = self.latest;
        self.latest = self.latest.max(before);
        shown
    }

    /// Emits the failures of a suite outside of its cases.
    fn own_failures(&mut self, line: u64, failures: Vec<Failure>) -> u64 {
        let count = failures.len() as u64;
        if let Some(failure) = Failure::joined(failures) {
            let message = format!("the suite itself failed: {}", failure.message);
            self.suite_failed(line, message, failure);
        }
        count
    }

    /// Emits a failed example if failures are counted but not contained: the file is incomplete, and the run must not
    /// pass.
    fn missing_failures(&mut self, line: u64, missing: u64) -> u64 {
        if missing > 0 {
            let message = format!(
                "the suite counts {} than its test cases contain",
                counted(missing, "more failure")
            );
            let failure = Failure::detected(UNREPORTED, message.clone());
            self.suite_failed(line, message, failure);
        }
        missing
    }

    fn suite_failed(&mut self, line: u64, message: String, failure: Failure) {
        self.problems.push(Problem { line, message });
        let names: Vec<_> = self.groups.iter().map(String::as_str).collect();
        let names = [&names[..], &["(suite)"]].concat();
        let example = self.examples.next(&names, failure.location.clone());
        let attempt = Attempt {
            started: self.clock,
            ended: self.clock,
            duration: 0.0,
            outcome: ImportedOutcome::Failed(failure),
            metadata: Metadata::new(),
        };
        self.examples.attempt(&example, attempt);
    }

    /// Emits a case; returns how many failures it contains.
    fn case(&mut self, case: Case) -> u64 {
        let shown = case.failures_shown();
        let location = self.location(&case);
        let mut names: Vec<_> = self.groups.iter().map(String::as_str).collect();
        let class = case.class.as_str();
        // Many tools name the suite after the class.
        if !class.is_empty() && names.last() != Some(&class) {
            names.push(class);
        }
        names.push(&case.name);
        let example = self.examples.next(&names, location);
        for (run, outcome, metadata) in attempts(case) {
            let attempt = self.timed(&run, outcome, metadata);
            self.examples.attempt(&example, attempt);
        }
        shown
    }

    /// The test's location, or the location of its failure if only that is known.
    fn location(&self, case: &Case) -> Option<String> {
        let location = case.file.as_ref().zip(case.line).map(|(file, line)| {
            // pytest counts lines from 0.
            let first = u64::from(self.groups.first().is_some_and(|name| name == "pytest"));
            format!("{file}:{}", line.saturating_add(first))
        });
        let runs = [&case.run].into_iter().chain(&case.reruns);
        let mut failures = runs.chain(&case.flaky).flat_map(|run| &run.failures);
        location.or_else(|| failures.find_map(|failure| failure.location.clone()))
    }

    /// Assigns times to an attempt: its own, or those after the previous attempt.
    fn timed(
        &mut self,
        run: &CaseAttempt,
        outcome: ImportedOutcome,
        metadata: Metadata,
    ) -> Attempt {
        let started = run.started.unwrap_or(self.clock);
        let ended = started.plus_seconds(run.time);
        self.clock = ended;
        self.latest = self.latest.max(ended);
        Attempt {
            started,
            ended,
            duration: run.time,
            outcome,
            metadata,
        }
    }
}

/// The attempts of a case in chronological order.
fn attempts(case: Case) -> Vec<(CaseAttempt, ImportedOutcome, Metadata)> {
    let was_flaky = !case.flaky.is_empty();
    let properties = case.properties;
    let mut attempts: Vec<_> = case.flaky.into_iter().map(rerun).collect();
    let only_reruns = case.run.failures.is_empty() && !case.reruns.is_empty();
    if !only_reruns {
        attempts.push(final_run(case.run, case.skipped, was_flaky));
    }
    attempts.extend(case.reruns.into_iter().map(rerun));
    if let Some((_, _, metadata)) = attempts.last_mut().filter(|_| !properties.is_empty()) {
        metadata.set("properties", properties);
    }
    attempts
}

fn final_run(
    mut run: CaseAttempt,
    skipped: Option<Skipped>,
    was_flaky: bool,
) -> (CaseAttempt, ImportedOutcome, Metadata) {
    let failure = Failure::joined(std::mem::take(&mut run.failures));
    let outcome = match (failure, skipped) {
        (Some(failure), None | Some(Skipped { todo: false, .. })) => {
            ImportedOutcome::Failed(failure)
        }
        (_, Some(skipped)) => ImportedOutcome::Pending(skipped.reason),
        (None, None) => ImportedOutcome::Passed,
    };
    let flaky = was_flaky && matches!(outcome, ImportedOutcome::Passed);
    let metadata = output(&mut run, flaky);
    (run, outcome, metadata)
}

fn rerun(mut run: CaseAttempt) -> (CaseAttempt, ImportedOutcome, Metadata) {
    let failure = Failure::joined(std::mem::take(&mut run.failures));
    let outcome = failure.map_or(ImportedOutcome::Passed, ImportedOutcome::Failed);
    let metadata = output(&mut run, false);
    (run, outcome, metadata)
}

fn output(run: &mut CaseAttempt, flaky: bool) -> Metadata {
    let mut command = command(
        std::mem::take(&mut run.stdout),
        std::mem::take(&mut run.stderr),
    );
    if flaky {
        command.insert("flaky".into(), true.into());
    }
    let mut metadata = Metadata::new();
    if !command.is_empty() {
        metadata.set("command", command);
    }
    metadata
}

/// Collects data of suites that no event has a field for.
fn suite_data(suite: &mut Suite, all: &mut Vec<Value>) {
    let command = command(
        std::mem::take(&mut suite.stdout),
        std::mem::take(&mut suite.stderr),
    );
    let properties = std::mem::take(&mut suite.properties);
    if !command.is_empty() || !properties.is_empty() {
        let mut data = Map::new();
        data.insert("name".into(), suite.name.clone().into());
        for (key, map) in [("command", command), ("properties", properties)] {
            if !map.is_empty() {
                data.insert(key.into(), map.into());
            }
        }
        all.push(data.into());
    }
    for child in &mut suite.children {
        if let Child::Suite(suite) = child {
            suite_data(suite, all);
        }
    }
}
