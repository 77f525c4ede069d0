//! An agent that is a process: one per conversation, with JSON lines on standard input and output.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use casebook_record::event::ToolCall;
use serde_json::Map;

use super::protocol::{self, AgentMessage, Response, quoted};
use super::{Agent, AgentError, AgentExit, ChatRequest};
use crate::conversation::ConversationContext;
use crate::os::signal_name;
use crate::seconds::seconds;
use crate::shell::line_process::{LineEvent, LineProcess};
use crate::shell::{Termination, could_not_run, terminal_stop_message};
use crate::stop::Cancellation;
use crate::transcript::Reply;

/// The number of standard error lines in a failure message, and the length of each.
const MAX_STDERR_LINES: usize = 10;
const MAX_STDERR_CHARS: usize = 500;

/// The timeout of a reply if the test has none.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);

/// An agent process.
pub(super) struct ProcessAgent<'a> {
    process: LineProcess<'a>,
    command: String,
    /// The temporary directory, which marks all processes of the test.
    process_mark: &'a Path,
    timeout: Option<Duration>,
    instant: fn() -> Instant,
    /// Whether it has sent a valid message.
    has_sent: bool,
}

impl<'a> ProcessAgent<'a> {
    pub(super) fn start(
        command: String,
        services: ConversationContext<'a>,
    ) -> io::Result<ProcessAgent<'a>> {
        let ConversationContext {
            processes, site, ..
        } = services;
        Ok(ProcessAgent {
            process: LineProcess::start(processes, &command, &site.environment, &site.dir)?,
            command,
            process_mark: site.temporary,
            timeout: site.timeout,
            instant: processes.instant,
            has_sent: false,
        })
    }

    fn parse_event(&mut self, event: LineEvent) -> Result<AgentMessage, AgentError> {
        match event {
            LineEvent::Line(line) => protocol::parse(&line).map_err(AgentError::Failed),
            LineEvent::TooLong => Err(AgentError::Failed(format!(
                "the agent wrote a line of more than {} MiB to standard output",
                LineProcess::LONGEST >> 20
            ))),
            LineEvent::Closed => Err(AgentError::Failed(
                "the agent closed standard output before it responded".to_owned(),
            )),
            LineEvent::Ended => Err(self.ended()),
            LineEvent::Terminate(Termination::Interrupt) => Err(AgentError::Interrupted),
            LineEvent::Terminate(Termination::Timeout) => {
                Err(AgentError::TooLong(self.timeout_message()))
            }
            LineEvent::Terminate(termination) => Err(AgentError::Failed(format!(
                "the agent {}",
                terminal_stop_message(termination).unwrap_or_default()
            ))),
        }
    }

    fn timeout_message(&self) -> String {
        let hint = if self.has_sent {
            ""
        } else {
            "; check that it ends each response with a newline and flushes standard output"
        };
        match self.timeout {
            Some(timeout) => format!(
                "timed out after {}: the agent did not respond{hint}",
                seconds(timeout)
            ),
            None => format!(
                "the agent did not respond within {}; set the test's `timeout` to allow more{hint}",
                seconds(DEFAULT_TIMEOUT)
            ),
        }
    }

    fn ended(&self) -> AgentError {
        let (how, was_started) = match self.process.ended() {
            Some((_, Some(number))) => {
                (format!("was killed by {}", signal_name::name(number)), true)
            }
            Some((code, None)) => {
                let how = format!("exited with code {code}");
                (how, self.has_sent || !could_not_run(code))
            }
            None => ("exited".to_owned(), true),
        };
        let message = format!("the agent {how} before it responded");
        if was_started {
            AgentError::Failed(message)
        } else {
            AgentError::Unreachable(message)
        }
    }

    /// Checks that the response has the id of the request.
    fn check_response_id(request: &ChatRequest<'_>, response: &Response) -> Result<(), AgentError> {
        let problem = match &response.id {
            Some(id) if id.as_u64() == Some(request.id) => return Ok(()),
            Some(id) if id.as_u64().is_some_and(|id| id < request.id) => format!(
                "the agent responded twice: the response has the id {id}, expected {}",
                request.id
            ),
            Some(id) => format!(
                "the agent's response has the id {id}, expected {}: a response must have the `id` of its request",
                request.id
            ),
            None => format!("the agent's response has no `id`, expected {}", request.id),
        };
        Err(AgentError::Failed(problem))
    }
}

impl Agent for ProcessAgent<'_> {
    fn reply(
        &mut self,
        request: &ChatRequest<'_>,
        on_tool_call: &mut dyn FnMut(&ToolCall),
        cancellation: Cancellation<'_>,
    ) -> Result<Reply, AgentError> {
        let started = (self.instant)();
        self.process.send_line(protocol::chat(request).as_bytes());
        let mut calls = Vec::new();
        loop {
            let deadline = cancellation
                .deadline
                .unwrap_or((self.instant)() + DEFAULT_TIMEOUT);
            let event = self.process.receive(Some(deadline));
            let event = event.map_err(|error| {
                AgentError::Failed(format!("cannot read the agent's output: {error}"))
            })?;
            if matches!(&event, LineEvent::Line(line) if line.trim_ascii().is_empty()) {
                continue;
            }
            let message = self.parse_event(event)?;
            self.has_sent = true;
            match message {
                AgentMessage::Call(call) => {
                    on_tool_call(&call);
                    calls.push(call);
                }
                AgentMessage::Response(response) => {
                    ProcessAgent::check_response_id(request, &response)?;
                    let has_calls = response.lists_calls;
                    let mut reply = response.reply;
                    if !has_calls {
                        reply.calls = calls;
                    }
                    reply.latency = (self.instant)() - started;
                    return Ok(reply);
                }
            }
        }
    }

    fn shut_down(self: Box<Self>, immediately: bool) -> io::Result<AgentExit> {
        let exit = self.process.shut_down(self.process_mark, immediately)?;
        let stderr = last_lines(&exit.stderr);
        let mut facts = Map::from_iter([("command".to_owned(), self.command.clone().into())]);
        if !stderr.is_empty() {
            facts.insert("stderr".into(), stderr.join("\n").into());
        }
        match (exit.exit_code, exit.signal) {
            (_, Some(number)) => {
                facts.insert("signal".into(), signal_name::name(number).into());
            }
            (Some(code), None) => {
                facts.insert("exit_code".into(), code.into());
            }
            (None, None) => {}
        }
        Ok(AgentExit {
            facts,
            stderr,
            problem: unrequested_response(&exit.unread),
        })
    }
}

/// The problem of a response after the last one.
fn unrequested_response(unread: &[u8]) -> Option<String> {
    let mut lines = unread.split(|byte| *byte == b'\n');
    let line = lines.find(|line| matches!(protocol::parse(line), Ok(AgentMessage::Response(_))))?;
    Some(format!(
        "the agent responded twice: after its last response it wrote {}",
        quoted(line)
    ))
}

fn last_lines(stderr: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(stderr);
    let lines: Vec<_> = text.trim_end().lines().collect();
    let last = &lines[lines.len().saturating_sub(MAX_STDERR_LINES)..];
    last.iter().map(|line| line_end(line)).collect()
}

/// The end of a long line, which usually contains the error.
fn line_end(line: &str) -> String {
    match line.char_indices().rev().nth(MAX_STDERR_CHARS - 1) {
        Some((start, _)) if start > 0 => format!("…{}", &line[start..]),
        _ => line.to_owned(),
    }
}
