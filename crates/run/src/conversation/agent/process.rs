//! An agent that is a process: one per conversation, JSON lines on its standard input and output.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use casebook_record::event::ToolCall;
use serde_json::Map;

use super::protocol::{self, AgentMessage, Response, quoted};
use super::{Agent, AgentError, AgentExit, ChatRequest};
use crate::conversation::ConversationContext;
use crate::emitter::seconds;
use crate::os::signal_name;
use crate::shell::Termination;
use crate::shell::line_process::{LineEvent, LineProcess};
use crate::shell::terminal_stop_message;
use crate::stop::Cancellation;
use crate::transcript::Reply;

/// So many lines of its standard error are told of, and so many characters of each.
const LINES: usize = 10;
const COLUMNS: usize = 500;

/// How long it may say nothing where the test has all the time in the world.
const SILENCE: Duration = Duration::from_secs(60);

/// A process that answers.
pub(super) struct ProcessAgent<'a> {
    dialogue: LineProcess<'a>,
    command: &'a str,
    /// What marks the processes of the test.
    mark: &'a Path,
    timeout: Option<Duration>,
    instant: fn() -> Instant,
    /// Whether it has ever said anything that makes sense.
    has_spoken: bool,
}

impl<'a> ProcessAgent<'a> {
    pub(super) fn start(
        command: &'a str,
        services: ConversationContext<'a>,
    ) -> io::Result<ProcessAgent<'a>> {
        let ConversationContext {
            processes, site, ..
        } = services;
        Ok(ProcessAgent {
            dialogue: LineProcess::start(processes, command, &site.environment, &site.folder)?,
            command,
            mark: site.temporary,
            timeout: site.timeout,
            instant: processes.instant,
            has_spoken: false,
        })
    }

    fn heard(&mut self, heard: LineEvent) -> Result<AgentMessage, AgentError> {
        match heard {
            LineEvent::Line(line) => protocol::read(&line).map_err(AgentError::Failed),
            LineEvent::TooLong => Err(AgentError::Failed(format!(
                "the agent wrote a line of more than {} MiB to its standard output",
                LineProcess::LONGEST >> 20
            ))),
            LineEvent::Closed => Err(AgentError::Failed(
                "the agent closed its standard output before it answered".to_owned(),
            )),
            LineEvent::Ended => Err(AgentError::Failed(self.how_it_ended())),
            LineEvent::Terminate(Termination::Interrupt) => Err(AgentError::Interrupted),
            LineEvent::Terminate(Termination::Timeout) => {
                Err(AgentError::TooLong(self.timed_out()))
            }
            LineEvent::Terminate(termination) => Err(AgentError::Failed(format!(
                "the agent {}",
                terminal_stop_message(termination).unwrap_or_default()
            ))),
        }
    }

    fn timed_out(&self) -> String {
        let hint = if self.has_spoken {
            ""
        } else {
            "; does it end each answer with a newline and flush its standard output?"
        };
        match self.timeout {
            Some(timeout) => format!(
                "timed out after {}: the agent did not answer{hint}",
                seconds(timeout)
            ),
            None => format!(
                "the agent said nothing for {}, and the test has no `timeout` that gives it longer{hint}",
                seconds(SILENCE)
            ),
        }
    }

    fn how_it_ended(&self) -> String {
        let how = match self.dialogue.ended() {
            Some((_, Some(number))) => format!("was ended by {}", signal_name::name(number)),
            Some((code, None)) => format!("exited with code {code}"),
            None => "ended".to_owned(),
        };
        format!("the agent {how} before it answered")
    }

    /// Whether that is the answer that was asked for.
    fn check_response_id(asked: &ChatRequest<'_>, response: &Response) -> Result<(), AgentError> {
        let problem = match &response.id {
            Some(id) if id.as_u64() == Some(asked.id) => return Ok(()),
            Some(id) if id.as_u64().is_some_and(|id| id < asked.id) => format!(
                "the agent answered twice: a response with the id {id} came where that with the id {} was expected",
                asked.id
            ),
            Some(id) => format!(
                "the agent's response has the id {id}, and the request had {}",
                asked.id
            ),
            None => format!(
                "the agent's response has no `id`, and the request had {}",
                asked.id
            ),
        };
        Err(AgentError::Failed(problem))
    }
}

impl Agent for ProcessAgent<'_> {
    fn answer(
        &mut self,
        asked: &ChatRequest<'_>,
        told: &mut dyn FnMut(&ToolCall),
        patience: Cancellation<'_>,
    ) -> Result<Reply, AgentError> {
        let asked_at = (self.instant)();
        self.dialogue.send_line(protocol::chat(asked).as_bytes());
        let mut calls = Vec::new();
        loop {
            let until = patience.deadline.unwrap_or((self.instant)() + SILENCE);
            let heard = self.dialogue.receive(Some(until));
            let heard = heard.map_err(|error| {
                AgentError::Failed(format!("the agent cannot be heard: {error}"))
            })?;
            if matches!(&heard, LineEvent::Line(line) if line.trim_ascii().is_empty()) {
                continue;
            }
            let said = self.heard(heard)?;
            self.has_spoken = true;
            match said {
                AgentMessage::Call(call) => {
                    told(&call);
                    calls.push(call);
                }
                AgentMessage::Response(response) => {
                    ProcessAgent::check_response_id(asked, &response)?;
                    let named = response.names_calls;
                    let mut reply = response.reply;
                    if !named {
                        reply.calls = calls;
                    }
                    reply.latency = (self.instant)() - asked_at;
                    return Ok(reply);
                }
            }
        }
    }

    fn shut_down(self: Box<Self>, in_a_hurry: bool) -> io::Result<AgentExit> {
        let left = self.dialogue.shut_down(self.mark, in_a_hurry)?;
        let stderr = last_lines(&left.stderr);
        let mut facts = Map::from_iter([("command".to_owned(), self.command.into())]);
        if !stderr.is_empty() {
            facts.insert("stderr".into(), stderr.join("\n").into());
        }
        match (left.exit_code, left.signal) {
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
            problem: answered_again(&left.unread),
        })
    }
}

/// A response that nobody has asked for.
fn answered_again(unread: &[u8]) -> Option<String> {
    let mut lines = unread.split(|byte| *byte == b'\n');
    let again = lines.find(|line| matches!(protocol::read(line), Ok(AgentMessage::Response(_))))?;
    Some(format!(
        "the agent answered twice: after its last answer came {}",
        quoted(again)
    ))
}

fn last_lines(stderr: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(stderr);
    let lines: Vec<_> = text.trim_end().lines().collect();
    let last = &lines[lines.len().saturating_sub(LINES)..];
    last.iter().map(|line| end_of(line)).collect()
}

/// The end of a line, which says most where it is long.
fn end_of(line: &str) -> String {
    match line.char_indices().rev().nth(COLUMNS - 1) {
        Some((start, _)) if start > 0 => format!("…{}", &line[start..]),
        _ => line.to_owned(),
    }
}
