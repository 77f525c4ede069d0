//! Formats each event of a run as a few lines while it lasts: messages, tool calls, results.

use std::collections::{HashMap, HashSet};
use std::io;

use anstyle::Style;
use casebook_record::event::{
    AgentResponse, EvaluationRecorded, ExampleFailed, ExamplePassed, ExamplePending,
    ExampleStarted, ToolCall, ToolCallCompleted,
};
use casebook_record::model::{STEP, ToolCallData};
use casebook_record::{Event, ExampleLookup, Time, UnknownFields};
use serde_json::Value;

use super::Transcripts;
use super::command::Command;
use super::duration::human;
use super::failure::{self, FailureOptions, IN_FULL};
use super::live::running::{Running, Test};
use super::output::record_dir;
use super::page::Page;
use super::style::{AGENT, BAD, BOLD, DIM, GOOD, LOCATION, PLAIN, USER, WARN, check};
use super::text::{elide_to, tail};
use super::transcript::{end_reason, reply, tool_call};
use crate::examples::millis;
use crate::flag;

/// Columns of the label before a message.
const LABEL: usize = 7;
/// Lines of an error and of its backtrace in brief mode.
const FEW: usize = 3;
/// Characters of a message in brief mode.
const BRIEF: usize = 200;

/// How much is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Detail {
    /// One line per event.
    Brief,
    /// Complete messages, and failures as the report shows them.
    Full,
}

/// Formatted lines about a test.
#[derive(Debug)]
pub(super) struct EventLines {
    /// The index of the worker that runs the test.
    pub(super) worker: u64,
    /// Complete lines with styles.
    pub(super) lines: Vec<u8>,
}

/// Formats events as lines. Tracks the running tests and their workers.
pub(super) struct EventLineFormatter {
    detail: Detail,
    color: bool,
    pub(super) width: usize,
    /// The run data and the record's directory, for failures in full; `None` in brief mode.
    source: Option<(Box<dyn ExampleLookup>, Option<String>)>,
    running: Running,
    workers: HashMap<String, u64>,
    /// Ids of running conversations: their evaluations are shown when they are recorded.
    conversations: HashSet<String>,
    /// The running tests with steps.
    steps: HashSet<String>,
    /// Turns whose tool calls have already been shown.
    shown_calls: HashSet<(String, u64)>,
    failures: usize,
}

impl EventLineFormatter {
    /// Creates a formatter. With `source`, it shows complete messages and failures.
    pub(super) fn new(
        color: bool,
        width: usize,
        source: Option<(Box<dyn ExampleLookup>, Option<String>)>,
    ) -> EventLineFormatter {
        EventLineFormatter {
            detail: match source {
                Some(_) => Detail::Full,
                None => Detail::Brief,
            },
            color,
            width,
            source,
            running: Running::default(),
            workers: HashMap::new(),
            conversations: HashSet::new(),
            steps: HashSet::new(),
            shown_calls: HashSet::new(),
            failures: 0,
        }
    }

    /// Formats an event; `None` if nothing is shown for it.
    pub(super) fn format(&mut self, event: &Event) -> Option<EventLines> {
        let id = event.example_id()?.to_owned();
        if let Event::ExampleStarted(started) = event {
            let worker = started.metadata.get("worker").and_then(Value::as_u64);
            self.workers.insert(id.clone(), worker.unwrap_or(1));
        }
        let worker = self.workers.get(&id).copied().unwrap_or(1);
        let mut lines = Vec::new();
        let page = &mut Page::new(&mut lines, self.color, self.width);
        self.write(page, event).expect("writing to memory succeeds");
        (!lines.is_empty()).then_some(EventLines { worker, lines })
    }

    fn write(&mut self, page: &mut Page, event: &Event) -> io::Result<()> {
        match event {
            Event::ExampleStarted(started) => self.test_started(page, started),
            event if event.will_repeat() => self.repetition(page, event),
            Event::ExamplePassed(passed) => match self.ended(&passed.example_id, event) {
                Some(test) => self.passed(page, &test, passed),
                None => Ok(()),
            },
            Event::ExampleFailed(failed) if flag(&failed.metadata, "will_retry") => {
                self.running.attempt_failed(&failed.example_id);
                let reason = failed.message.as_deref().unwrap_or("failed");
                labeled(page, self.detail, (WARN, "again"), (WARN, reason))
            }
            Event::ExampleFailed(failed) => match self.ended(&failed.example_id, event) {
                Some(test) => self.failed(page, &test, failed),
                None => Ok(()),
            },
            Event::ExamplePending(pending) => match self.ended(&pending.example_id, event) {
                Some(test) => skipped(page, &test, pending),
                None => Ok(()),
            },
            other => self.write_progress(page, other),
        }
    }

    /// Formats an event between the start and the end of a test.
    fn write_progress(&mut self, page: &mut Page, event: &Event) -> io::Result<()> {
        let detail = self.detail;
        match event {
            Event::UserMessage(message) if message.source.as_deref() == Some(STEP) => {
                self.steps.insert(message.example_id.clone());
                labeled(page, detail, (DIM, "step"), (PLAIN, &message.text))
            }
            Event::AgentResponse(response) if self.steps.contains(&response.example_id) => Ok(()),
            Event::UserMessage(message) => {
                self.conversations.insert(message.example_id.clone());
                labeled(page, detail, (USER, "User"), (PLAIN, &message.text))
            }
            Event::AgentResponse(response) => self.agent_response(page, response),
            Event::ToolCallCompleted(call) => {
                let turn = (call.example_id.clone(), call.turn_number);
                self.shown_calls.insert(turn);
                tool(page, detail, &completed(call))
            }
            Event::TopicChanged(change) => {
                let topic = match &change.from_topic {
                    Some(from) => format!("{from} → {}", change.to_topic),
                    None => change.to_topic.clone(),
                };
                labeled(page, detail, (DIM, "topic"), (DIM, &topic))
            }
            Event::SimulationStarted(simulation) => {
                self.conversations.insert(simulation.example_id.clone());
                labeled(page, detail, (DIM, "goal"), (DIM, &simulation.goal))
            }
            Event::SimulationEnded(simulation) => {
                let reason = end_reason::describe(&simulation.termination_reason);
                labeled(page, detail, (DIM, "ended"), (DIM, reason))
            }
            Event::EvaluationRecorded(found) if self.conversations.contains(&found.example_id) => {
                evaluated(page, detail, found)
            }
            _ => Ok(()),
        }
    }

    fn test_started(&mut self, page: &mut Page, event: &ExampleStarted) -> io::Result<()> {
        let test = self.running.begin(event);
        if self.detail == Detail::Full {
            page.blank()?;
        }
        page.row(
            0,
            &[
                (DIM, "▸ "),
                (BOLD, &test.title),
                (DIM, " · "),
                (LOCATION, &test.location),
            ],
        )
    }

    /// A repetition that is not the last.
    fn repetition(&self, page: &mut Page, event: &Event) -> io::Result<()> {
        match event {
            Event::ExampleFailed(failed) => {
                let reason = failed.message.as_deref().unwrap_or("failed");
                labeled(page, self.detail, (BAD, "failed"), (BAD, reason))
            }
            _ => labeled(page, self.detail, (GOOD, "passed"), (PLAIN, "")),
        }
    }

    fn agent_response(&mut self, page: &mut Page, response: &AgentResponse) -> io::Result<()> {
        let turn = (response.example_id.clone(), response.turn_number);
        if !self.shown_calls.remove(&turn) {
            for call in &response.tool_calls {
                tool(page, self.detail, &finished_call(call, response.time))?;
            }
        }
        labeled(page, self.detail, (AGENT, "Agent"), (PLAIN, &response.text))?;
        for note in reply::notes(&response.metadata) {
            page.row(2 + LABEL, &[(WARN, &format!("({note})"))])?;
        }
        Ok(())
    }

    /// Removes a test that has ended.
    fn ended(&mut self, id: &str, event: &Event) -> Option<Test> {
        self.conversations.remove(id);
        self.steps.remove(id);
        self.workers.remove(id);
        self.running.end(id, event)
    }

    fn passed(&mut self, page: &mut Page, test: &Test, event: &ExamplePassed) -> io::Result<()> {
        if let (Some(command), Detail::Full) = (Command::of(&event.metadata), self.detail) {
            command.show(page, 2, &[], None)?;
        }
        let flaky = test.earlier > 0 || flag(&event.metadata, "command.flaky");
        let mark = if flaky { (WARN, "~ ") } else { (GOOD, "✓ ") };
        let time = format!("  {}", human(millis(event.duration)));
        page.row_to_end(0, &[mark, (PLAIN, &test.title)], (DIM, &time))
    }

    fn failed(&mut self, page: &mut Page, test: &Test, event: &ExampleFailed) -> io::Result<()> {
        self.failures += 1;
        let source = self.source.as_ref();
        // If it cannot be read, the event is shown.
        let failed = source.and_then(|(run, record)| {
            let record = record_dir(record.as_deref(), &**run);
            Some((run.example(&event.example_id).ok()??, record))
        });
        let Some((run, record)) = failed else {
            return show_failure_briefly(page, test, event);
        };
        let in_full = self.failures <= IN_FULL;
        let failure_options = FailureOptions {
            // The messages have already been shown.
            transcripts: Transcripts::None,
            record: record.as_deref(),
        };
        run.examples.values().try_for_each(|example| {
            if in_full {
                failure::show_in_full(page, (BAD.bold(), "✗ "), &run, example, failure_options)
            } else {
                failure::show_named(page, (BAD, "✗ "), &run, example)
            }
        })
    }
}

fn show_failure_briefly(page: &mut Page, test: &Test, event: &ExampleFailed) -> io::Result<()> {
    let time = format!("  {}", human(millis(event.duration)));
    page.row_to_end(0, &[(BAD, "✗ "), (PLAIN, &test.title)], (DIM, &time))?;
    let message = event.message.as_deref().unwrap_or_default();
    for line in message.trim().lines().take(FEW) {
        page.row(2, &[(BAD, line)])?;
    }
    for line in event.backtrace.iter().flatten().take(FEW) {
        page.row(2, &[(DIM, line)])?;
    }
    Ok(())
}

fn skipped(page: &mut Page, test: &Test, event: &ExamplePending) -> io::Result<()> {
    let reason = event.message.as_deref().unwrap_or("skipped");
    page.row(
        0,
        &[
            (WARN, "○ "),
            (PLAIN, &test.title),
            (WARN, "  "),
            (WARN, reason),
        ],
    )
}

/// A label and a message next to it.
fn labeled(
    page: &mut Page,
    detail: Detail,
    (label_style, label): (Style, &str),
    (style, text): (Style, &str),
) -> io::Result<()> {
    let label = format!("{label:LABEL$}");
    let spans = [(label_style, label.as_str()), (style, text.trim())];
    match detail {
        Detail::Full => page.paragraph(2, LABEL, &spans),
        Detail::Brief => page.row(2, &spans),
    }
}

fn tool(page: &mut Page, detail: Detail, call: &ToolCallData) -> io::Result<()> {
    let request = format!("→ {}", tool_call::request(call));
    labeled(page, detail, (DIM, "tool"), (PLAIN, &request))?;
    if detail == Detail::Full {
        return tool_call::show_outcome(page, 2 + LABEL, call);
    }
    match &call.error {
        Some(error) => page.row(2 + LABEL, &[(BAD, "✗ "), (BAD, error)]),
        None => Ok(()),
    }
}

fn completed(call: &ToolCallCompleted) -> ToolCallData {
    ToolCallData {
        name: call.tool_name.clone(),
        arguments: call.arguments.clone(),
        result: call.result.clone(),
        error: call.error.clone(),
        timestamp: call.time,
        metadata: call.metadata.clone(),
        extra: UnknownFields::default(),
    }
}

fn finished_call(call: &ToolCall, time: Time) -> ToolCallData {
    ToolCallData {
        name: call.name.clone(),
        arguments: call.arguments.clone(),
        result: call.result.clone(),
        error: call.error.clone(),
        timestamp: time,
        metadata: call.metadata.clone(),
        extra: UnknownFields::default(),
    }
}

fn evaluated(page: &mut Page, detail: Detail, found: &EvaluationRecorded) -> io::Result<()> {
    page.row(
        2 + LABEL,
        &[check(found.passed), (PLAIN, &found.description)],
    )?;
    let failure_message = found.failure_message.as_deref().filter(|_| !found.passed);
    let reason = failure_message.or(found.reasoning.as_deref());
    let Some(reason) = reason.filter(|_| detail == Detail::Full) else {
        return Ok(());
    };
    let (lines, _) = tail(reason, FEW);
    page.paragraph(4 + LABEL, 0, &[(DIM, &elide_to(&lines.join("\n"), BRIEF))])
}
