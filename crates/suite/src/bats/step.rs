//! The steps of a test as Bats code.

use std::time::Duration;

use casebook_source::{SourceFile, Span};

use super::quote::{quote, quote_script};
use super::{Case, normalize};
use crate::assertion::{Stream, bats_code, json_keys};
use crate::model::{Action, Capture, CaptureSource, Check, Step, Test, Workdir};

/// The code of all steps of a test. A test with `command` has one, whose results are those of the test.
pub(super) fn code(case: &Case<'_>, file: &SourceFile) -> String {
    let has_several = matches!(case.test.action, Action::Steps(_));
    let steps = case.test.steps().iter().zip(case.snapshots).enumerate();
    steps
        .map(|(index, (step, snapshot))| {
            let mut commands = step_commands(case.test, step, snapshot.as_deref(), file);
            if has_several {
                commands.insert(0, format!("casebook_step {}", index + 1));
            }
            lines(&commands, "  ")
        })
        .collect()
}

/// Each command on a line. The other lines of a command are inside of quotes.
fn lines(commands: &[String], indentation: &str) -> String {
    let lines = commands.iter();
    lines
        .flat_map(|command| [indentation, command, "\n"])
        .collect()
}

fn step_commands(
    test: &Test,
    step: &Step,
    snapshot: Option<&str>,
    file: &SourceFile,
) -> Vec<String> {
    // Messages name the suite's file, so what is in an included file has the line of the test.
    let line = |span: Span| {
        let span = if file.is_included(span) {
            test.span
        } else {
            span
        };
        file.position(span.start).line
    };
    let mut commands = vec![run(test, step, line(step.command.span))];
    commands.extend(step.captures.iter().map(keep));
    commands.extend(normalize::code(test));
    let assertions = step.assertions.iter();
    commands
        .extend(assertions.map(|assertion| bats_code(assertion, line(assertion.span), snapshot)));
    commands.extend(expect_captured(&step.captures, line(step.span)));
    if let Some(eventually) = step.eventually {
        commands = vec![format!(
            "while casebook_attempt {} {}; do\n{}  done",
            eventually.within.as_millis(),
            eventually.every.as_millis(),
            lines(&commands, "    "),
        )];
    }
    if !test.uses.is_empty() {
        commands.push("casebook_still_running".to_owned());
    }
    commands.push(match &test.fails {
        Some(reason) => format!("casebook_finish_known_failure {}", quote(reason)),
        None => "casebook_finish".to_owned(),
    });
    commands
}

fn run(test: &Test, step: &Step, line: usize) -> String {
    let mut words = vec![match limit(step) {
        None => "casebook_run".to_owned(),
        Some(limit) => format!("casebook_run_limited {limit}"),
    }];
    if step.keeps_streams_apart() {
        words.push("--separate".to_owned());
    }
    let mut assertions = step.assertions.iter();
    if assertions.any(|assertion| matches!(assertion.check, Check::MaxDuration(_))) {
        words.push("--timed".to_owned());
    }
    words.extend(workdir(test, step).map(|workdir| format!("--workdir {workdir}")));
    if let Some(stdin) = &step.stdin {
        words.push(format!("--stdin {}", quote(stdin)));
    }
    let env = step.env.iter();
    words.extend(env.map(|(name, value)| format!("--env {name}={}", quote(value))));
    words.push(line.to_string());
    words.push(quote_script(&step.command.text));
    words.join(" ")
}

/// The working directory of a step, as a word.
fn workdir(test: &Test, step: &Step) -> Option<String> {
    if let Some(workdir) = &step.workdir {
        return Some(quote(&workdir.path));
    }
    Some(match test.workdir.as_ref()? {
        Workdir::At(workdir) => quote(&workdir.path),
        Workdir::Copy(_) | Workdir::Empty => {
            format!("\"$BATS_TEST_TMPDIR/{}\"", Workdir::NAME)
        }
    })
}

/// The time that a command may take, in milliseconds, as a word.
fn limit(step: &Step) -> Option<String> {
    let millis = |time: Duration| time.as_millis().to_string();
    match (step.timeout, step.eventually) {
        (None, None) => None,
        (Some(timeout), None) => Some(millis(timeout)),
        (None, Some(_)) => Some("\"$casebook_left\"".to_owned()),
        (Some(timeout), Some(_)) => {
            let timeout = millis(timeout);
            Some(format!(
                "\"$((casebook_left < {timeout} ? casebook_left : {timeout}))\""
            ))
        }
    }
}

fn keep(capture: &Capture) -> String {
    let source = match &capture.source {
        CaptureSource::Json(pointer) => format!("json {}", quote(&json_keys(pointer))),
        CaptureSource::Matches(stream, pattern) => {
            format!("matches {} {}", name(*stream), quote(pattern))
        }
        CaptureSource::Line(stream, number) => format!("line {} {number}", name(*stream)),
        CaptureSource::File(path) => format!("file {}", quote(path)),
        CaptureSource::Stream(stream) => format!("stream {}", name(*stream)),
        CaptureSource::ExitCode => "exitCode".to_owned(),
    };
    format!("casebook_keep {} {source}", capture.name)
}

fn expect_captured(captures: &[Capture], line: usize) -> Option<String> {
    let names: Vec<_> = captures.iter().map(|capture| &*capture.name).collect();
    let names = Some(names.join(" ")).filter(|names| !names.is_empty())?;
    Some(format!("casebook_expect_captured {line} {names}"))
}

fn name(stream: Stream) -> &'static str {
    match stream {
        Stream::Output => "output",
        Stream::Stdout => "stdout",
        Stream::Stderr => "stderr",
        // Only the native engine has terminals: suites with them are rejected.
        Stream::Screen => "screen",
    }
}
