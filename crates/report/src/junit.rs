//! Writes a run as JUnit XML, for continuous integration.
//!
//! One `testsuite` per file, in the run's order. A failure's text is the one that the terminal report shows. Earlier
//! attempts use the elements of Surefire: `flakyFailure` before a pass, `rerunFailure` after a failure.

use std::io;
use std::time::Duration;

use casebook_record::{ExampleData, Repetitions, Run, Status};
use quick_junit::{
    NonSuccessKind, Report, TestCase, TestCaseStatus, TestRerun, TestSuite, XmlString,
};

use crate::examples::{FileExamples, by_file, groups, reason, skip_reason, split_location};
use crate::locks;
use crate::terminal::{self, failure_text, repetitions_line};
use crate::test_row::earlier_attempts;

/// Writes the run as JUnit XML.
///
/// The library writes complete reports only. A large run does not fit into one, so a report without test cases is
/// written first, and each case is inserted before the end of its suite.
pub fn write(run: &Run, out: &mut dyn io::Write) -> io::Result<()> {
    let files = by_file(run)?;
    let mut report = report(run);
    for (file, examples) in &files {
        report.add_test_suite(suite(file, examples));
    }
    let text = xml(&report)?;
    let mut rest = text.as_str();
    for (suite, examples) in report.test_suites.iter().zip(files.values()) {
        let (start, after) = rest.split_once(WITHOUT_CASES).unwrap_or((rest, ""));
        write!(out, "{start}>")?;
        for index in &examples.indexes {
            let example = run.examples.read(*index)?;
            out.write_all(case_xml(suite, &example)?.as_bytes())?;
        }
        write!(out, "\n    {SUITE_END}")?;
        rest = after;
    }
    out.write_all(rest.as_bytes())
}

/// The end of a suite without cases. Like that of other suites, it occurs in no name or message, because `<` and `>` are
/// escaped in them.
const WITHOUT_CASES: &str = "/>";
const SUITE_END: &str = "</testsuite>";

fn report(run: &Run) -> Report {
    let mut report = Report::new("casebook");
    report.timestamp = run.started_at.to_string().parse().ok();
    report.time = run
        .finished_at
        .and_then(|end| duration(end.millis_since(run.started_at)));
    report
}

fn xml(report: &Report) -> io::Result<String> {
    report.to_string().map_err(io::Error::other)
}

/// One test case with the line end before it, taken from a separate report.
fn case_xml(suite: &TestSuite, example: &ExampleData) -> io::Result<String> {
    let mut only = TestSuite::new(suite.name.clone());
    only.add_test_case(case(suite.name.as_str(), example));
    let mut report = Report::new("casebook");
    report.add_test_suite(only);
    let text = xml(&report)?;
    let (before, _) = text.split_once(SUITE_END).unwrap_or_default();
    let start = before.find("\n        <testcase").unwrap_or(before.len());
    Ok(before[start..].trim_ascii_end().to_owned())
}

/// The suite of a file without its test cases.
fn suite(file: &str, examples: &FileExamples) -> TestSuite {
    let file_name = if file.is_empty() { "(no file)" } else { file };
    let name = examples.suite.as_deref();
    let mut suite = TestSuite::new(text(name.unwrap_or(file_name)));
    suite.timestamp = examples.started_at.to_string().parse().ok();
    suite.time = duration(examples.millis);
    suite.tests = examples.indexes.len();
    suite.failures = examples.failed;
    suite.skipped = examples.pending;
    if !file.is_empty() {
        suite.extra.insert("file".into(), text(file));
    }
    suite
}

fn case(suite: &str, example: &ExampleData) -> TestCase {
    let attempts = earlier_attempts(example);
    let repetitions = example.repetitions();
    // Surefire's order: the first failure is `failure`, later ones are reruns.
    let (first, rest) = match (example.status, attempts.split_first()) {
        (Status::Failed | Status::Running, Some((first, rest))) => (first, rest),
        _ => (example, &attempts[..]),
    };
    let mut case = TestCase::new(text(&example.description), status(first));
    case.status.add_reruns(rest.iter().map(rerun));
    if !std::ptr::eq(first, example) {
        case.status.add_rerun(rerun(example));
    }
    if let Some(repetitions) = repetitions {
        add_repetitions(&mut case, repetitions);
    }
    if let Some(locks) = locks::shown(&example.metadata) {
        case.add_property(("locks", text(&locks).as_str()));
    }
    case.set_classname(text(groups(example).unwrap_or(suite)));
    case.timestamp = first.started_at.to_string().parse().ok();
    case.time = first.duration_ms.and_then(duration);
    if !example.evaluations.is_empty() {
        case.set_assertions(example.evaluations.len());
    }
    let (file, line) = split_location(&example.location);
    if !file.is_empty() {
        case.extra.insert("file".into(), text(file));
    }
    if let Some(line) = line {
        case.extra.insert("line".into(), text(&line.to_string()));
    }
    if first.status == Status::Failed {
        case.system_out = stream(first, &["output", "stdout"]);
        case.system_err = stream(first, &["stderr"]);
    }
    case
}

/// The counts of a test's repetitions as properties.
fn add_repetitions(case: &mut TestCase, repetitions: Repetitions) {
    let Repetitions {
        passed,
        failed,
        slowest_ms,
        ..
    } = repetitions;
    for (name, value) in [
        ("repetitions.passed", passed.to_string()),
        ("repetitions.failed", failed.to_string()),
        ("repetitions.slowest_ms", slowest_ms.to_string()),
        ("repetitions", repetitions_line(repetitions)),
    ] {
        case.add_property((name, value.as_str()));
    }
}

fn status(example: &ExampleData) -> TestCaseStatus {
    match example.status {
        Status::Passed => TestCaseStatus::success(),
        Status::Pending => {
            let mut status = TestCaseStatus::skipped();
            if let Some(reason) = skip_reason(example) {
                status.set_message(text(reason));
            }
            status
        }
        Status::Failed | Status::Running => {
            let (class, message) = failure(example);
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status
                .set_type(text(class))
                .set_message(text(message))
                .set_description(text(&description(example)));
            status
        }
    }
}

fn rerun(example: &ExampleData) -> TestRerun {
    let (class, message) = failure(example);
    let mut rerun = TestRerun::new(NonSuccessKind::Failure);
    rerun
        .set_type(text(class))
        .set_message(text(message))
        .set_description(text(&description(example)));
    rerun.timestamp = example.started_at.to_string().parse().ok();
    rerun.time = example.duration_ms.and_then(duration);
    rerun.system_out = stream(example, &["output", "stdout"]);
    rerun.system_err = stream(example, &["stderr"]);
    rerun
}

/// The exception class and the first line of the message.
fn failure(example: &ExampleData) -> (&str, &str) {
    let exception = example.exception.as_ref();
    let class = exception.and_then(|exception| exception.class_name.as_deref());
    let ended = if example.status == Status::Running {
        "the test did not finish"
    } else {
        "failed"
    };
    (
        class.unwrap_or("Casebook::Failed"),
        reason(example).unwrap_or(ended),
    )
}

fn description(example: &ExampleData) -> String {
    let options = terminal::Options::default();
    failure_text(example, &options)
}

fn stream(example: &ExampleData, names: &[&str]) -> Option<XmlString> {
    let command = example.metadata.get("command")?;
    let stream = names.iter().find_map(|name| command.get(name)?.as_str())?;
    (!stream.is_empty()).then(|| text(stream))
}

fn duration(millis: i64) -> Option<Duration> {
    u64::try_from(millis).ok().map(Duration::from_millis)
}

/// Replaces characters that XML does not allow; [`XmlString`] removes escape sequences.
fn text(text: &str) -> XmlString {
    let is_replaced = |c: char| c != '\u{1b}' && is_forbidden(c);
    XmlString::new(text.replace(is_replaced, "\u{fffd}"))
}

fn is_forbidden(c: char) -> bool {
    matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')
}
