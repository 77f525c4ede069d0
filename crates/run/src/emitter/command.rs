//! The command of a test in the record.

use casebook_record::Screen;
use casebook_suite::model::Action;
use serde_json::{Map, Value, json};

use super::{AttemptReport, Failure};
use crate::attempt::{AttemptResult, StepResult};
use crate::budget::OutputBudget;
use crate::event_sink::EventSink;
use crate::os::signal_name;
use crate::recorded_screen::recorded_screen;
use crate::shell::capture::trimmed;
use crate::shell::{CommandResult, Streams, Termination};

/// Describes the command for the record. The complete output of a failed test is saved in a separate file.
pub(super) fn describe(
    report: &AttemptReport<'_>,
    attempt: &AttemptResult,
    failure: Option<&Failure>,
    budget: &OutputBudget,
    sink: &dyn EventSink,
) -> Value {
    let test = report.planned.test();
    let mut command = Map::new();
    let last = attempt.steps.len().max(1);
    if let Some(step) = test.steps().get(last - 1) {
        let script = attempt.captured.substitute(&step.command.text);
        command.insert("command".into(), script.into());
    }
    if let Action::Steps(steps) = &test.action {
        command.insert("step".into(), json!({"number": last, "of": steps.len()}));
    }
    if let Some(step) = attempt.steps.last() {
        let ran = &step.ran;
        describe_step(step, budget, &mut command);
        let timeout = step.own_timeout.or(report.timeout);
        if let Some(timeout) = timeout.filter(|_| ran.termination == Some(Termination::Timeout)) {
            command.insert("timed_out".into(), true.into());
            command.insert("timeout".into(), timeout.as_secs_f64().into());
        }
        if failure.is_some()
            && let Some(path) = save_output(report, ran, sink)
        {
            command.insert("output_file".into(), path.into());
        }
    }
    if failure.is_none() && report.number.retry().is_some() {
        command.insert("flaky".into(), true.into());
    }
    if attempt.service_failure.is_some() && attempt.steps.is_empty() {
        command.insert("service_failed".into(), true.into());
    }
    if let Some(failure) = failure {
        command.insert("phase".into(), failure.phase.into());
    }
    Value::Object(command)
}

/// Describes the result of a command.
pub(super) fn describe_step(
    step: &StepResult,
    budget: &OutputBudget,
    command: &mut Map<String, Value>,
) {
    describe_run(&step.ran, budget, command);
    if let Some(repetition) = step.repetition {
        command.insert("attempts".into(), repetition.attempts.into());
        let elapsed = repetition.elapsed.as_secs_f64();
        command.insert("elapsed".into(), elapsed.into());
    }
}

fn describe_run(ran: &CommandResult, budget: &OutputBudget, command: &mut Map<String, Value>) {
    if !was_ended_by_dialogue(ran) {
        command.insert("exit_code".into(), ran.exit_code.into());
        if let Some(number) = ran.signal {
            command.insert("signal".into(), signal_name::name(number).into());
        }
    }
    if let Some(terminal) = &ran.terminal {
        let screen = recorded_screen(&terminal.screen, budget);
        command.insert(Screen::KEY.into(), screen);
    }
    let over_limit = ran.streams.all().any(|stream| stream.truncated);
    let mut truncated = over_limit;
    for (name, bytes) in named(&ran.streams) {
        let (text, is_truncated) = budget.excerpt(bytes);
        truncated |= is_truncated;
        command.insert(name.into(), text.into());
        if is_truncated {
            command.insert(format!("{name}_lines"), line_count(bytes).into());
        }
    }
    let flags = [
        ("truncated", truncated),
        ("over_limit", over_limit),
        (
            "nul_dropped",
            ran.streams.all().any(|stream| stream.had_nul),
        ),
        ("leaky", ran.leaky),
    ];
    for (name, _) in flags.into_iter().filter(|(_, is_set)| *is_set) {
        command.insert(name.into(), true.into());
    }
}

/// Whether the command was terminated because its dialogue failed: then its exit code means nothing.
fn was_ended_by_dialogue(ran: &CommandResult) -> bool {
    let terminal = ran.terminal.as_ref();
    let problem = terminal.and_then(|terminal| terminal.problem.as_ref());
    problem.is_some_and(|problem| problem.was_running)
}

/// The number of lines, because those of an excerpt cannot be counted.
fn line_count(output: &[u8]) -> usize {
    trimmed(output).split(|byte| *byte == b'\n').count()
}

fn named(streams: &Streams) -> Vec<(&'static str, &[u8])> {
    match streams {
        Streams::Joined(output) => vec![("output", &output.bytes)],
        Streams::Separate(stdout, stderr) => {
            vec![("stdout", &stdout.bytes), ("stderr", &stderr.bytes)]
        }
    }
}

fn save_output(
    report: &AttemptReport<'_>,
    ran: &CommandResult,
    sink: &dyn EventSink,
) -> Option<String> {
    let streams = named(&ran.streams);
    if streams.iter().all(|(_, bytes)| bytes.is_empty()) {
        return None;
    }
    let id = &report.planned.id;
    match report.number.repetition() {
        None => sink.save_output(id, &streams),
        Some(number) => sink.save_output(&format!("{id}-repetition-{number}"), &streams),
    }
}
