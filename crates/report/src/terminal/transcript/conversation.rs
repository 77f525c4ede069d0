//! One conversation: messages, tool calls and evaluations.

use std::io;

use anstyle::Style;
use casebook_record::model::{ConversationData, EvaluationData, TurnData};
use casebook_record::{ExampleData, Metadata};
use serde_json::Value;

use super::{end_reason, reply, tool_call};
use crate::terminal::evaluation::{self, AlreadyShown};
use crate::terminal::page::Page;
use crate::terminal::style::{AGENT, DIM, PLAIN, USER, WARN};
use crate::terminal::value::text_at;

/// Columns of the turn's number and of the speaker's name.
const NUMBER: usize = 4;
const LABEL: usize = 7;

/// Shows the turns of an example's conversation without what `already_shown` contains.
pub(in crate::terminal) fn show(
    page: &mut Page,
    indent: usize,
    example: &ExampleData,
    conversation: &ConversationData,
    already_shown: &AlreadyShown,
) -> io::Result<()> {
    let mut transcript = Transcript {
        page,
        indent,
        topic: None,
        already_shown,
    };
    transcript.simulation_fact(conversation, "goal")?;
    transcript.history(&example.metadata)?;
    for turn in &conversation.turns {
        transcript.turn(turn, &example.evaluations)?;
    }
    transcript.simulation_fact(conversation, "termination_reason")?;
    transcript.early_end(example, conversation)?;
    let evaluations = example.evaluations.iter();
    let rest: Vec<_> = evaluations
        .filter(|evaluation| !is_of_a_turn(evaluation, conversation))
        .collect();
    transcript.evaluations(NUMBER, &rest)
}

fn is_of_a_turn(evaluation: &EvaluationData, conversation: &ConversationData) -> bool {
    let mut turns = conversation.turns.iter();
    turns.any(|turn| evaluation.turn_number == Some(turn.number))
}

struct Transcript<'t, 'o> {
    page: &'t mut Page<'o>,
    indent: usize,
    topic: Option<&'t str>,
    already_shown: &'t AlreadyShown<'t>,
}

impl<'t> Transcript<'t, '_> {
    fn turn(&mut self, turn: &'t TurnData, evaluations: &[EvaluationData]) -> io::Result<()> {
        self.topic(turn.topic.as_deref())?;
        let mut number = format!("{:>2}  ", turn.number);
        if let Some(message) = &turn.user_message {
            self.show_message(&number, (USER, "User"), (PLAIN, &message.content))?;
            number.clear();
            if let Some(files) = message.metadata.get("files").and_then(Value::as_array) {
                let files: Vec<_> = files.iter().filter_map(Value::as_str).collect();
                let files = format!("(files: {})", files.join(", "));
                self.page
                    .row(self.indent + NUMBER + LABEL, &[(DIM, &files)])?;
            }
        }
        for call in &turn.tool_calls {
            self.show_message(&number, (DIM, "tool"), (PLAIN, &tool_call::request(call)))?;
            tool_call::show_outcome(self.page, self.indent + NUMBER + LABEL, call)?;
            number.clear();
        }
        match &turn.agent_response {
            Some(message) => {
                self.show_message(&number, (AGENT, "Agent"), (PLAIN, &message.content))?;
                for note in reply::notes(&message.metadata) {
                    self.page.row(
                        self.indent + NUMBER + LABEL,
                        &[(WARN, &format!("({note})"))],
                    )?;
                }
            }
            None => self.show_message(&number, (AGENT, "Agent"), (WARN, "(no reply)"))?,
        }
        let own: Vec<_> = evaluations
            .iter()
            .filter(|evaluation| evaluation.turn_number == Some(turn.number))
            .collect();
        self.evaluations(NUMBER + LABEL, &own)
    }

    /// Shows the turns before the conversation, which the suite supplies.
    fn history(&mut self, metadata: &Metadata) -> io::Result<()> {
        let history = metadata.dig("conversation.history");
        for turn in history.and_then(Value::as_array).into_iter().flatten() {
            let text = |key: &str| turn.get(key).and_then(Value::as_str).unwrap_or_default();
            let calls = turn.get("tool_calls").and_then(Value::as_array);
            let calls = calls.into_iter().flatten().map(|call| {
                let name = call.get("name").and_then(Value::as_str).unwrap_or_default();
                let arguments = call.get("arguments").unwrap_or(&Value::Null);
                ("tool", format!("{name} {arguments}"))
            });
            let user = [("User", text("user").to_owned())].into_iter();
            let agent = [("Agent", text("agent").to_owned())];
            let lines = user.chain(calls).chain(agent);
            for (label, line) in lines.filter(|(_, line)| !line.is_empty()) {
                self.show_message(" …  ", (DIM, label), (DIM, &line))?;
            }
        }
        Ok(())
    }

    fn topic(&mut self, topic: Option<&'t str>) -> io::Result<()> {
        let Some(topic) = topic.filter(|topic| self.topic != Some(topic)) else {
            return Ok(());
        };
        let change = match self.topic {
            Some(before) => format!("{before} → {topic}"),
            None => topic.to_owned(),
        };
        self.topic = Some(topic);
        self.show_message("", (DIM, "topic"), (DIM, &change))
    }

    fn simulation_fact(&mut self, conversation: &ConversationData, field: &str) -> io::Result<()> {
        match text_at(&conversation.metadata, &format!("simulation.{field}")) {
            Some(goal) if field == "goal" => self.show_message("", (DIM, "goal"), (DIM, &goal)),
            Some(reason) => {
                self.show_message("", (DIM, "ended"), (DIM, end_reason::describe(&reason)))
            }
            None => Ok(()),
        }
    }

    /// Says that a script ended because of a failed `expect`.
    fn early_end(
        &mut self,
        example: &ExampleData,
        conversation: &ConversationData,
    ) -> io::Result<()> {
        let is_script = conversation.metadata.get("simulation").is_none();
        let end = text_at(&example.metadata, "conversation.end");
        let is_hard = |evaluation: &EvaluationData| evaluation.mode.as_deref() == Some("hard");
        let mut evaluations = example.evaluations.iter();
        let has_failed = evaluations.any(|evaluation| is_hard(evaluation) && !evaluation.passed);
        if is_script && has_failed && end.as_deref() == Some("stop_condition") {
            let reason = "stopped: an expectation failed";
            self.show_message("", (DIM, "ended"), (DIM, reason))?;
        }
        Ok(())
    }

    /// Shows a line: the turn's number on its first row, a label, and text next to it.
    fn show_message(
        &mut self,
        number: &str,
        (label_style, label): (Style, &str),
        (style, text): (Style, &str),
    ) -> io::Result<()> {
        self.page.paragraph(
            self.indent,
            NUMBER + LABEL,
            &[
                (DIM, &format!("{number:NUMBER$}")),
                (label_style, &format!("{label:LABEL$}")),
                (style, text.trim_end()),
            ],
        )
    }

    fn evaluations(&mut self, indent: usize, evaluations: &[&EvaluationData]) -> io::Result<()> {
        for evaluation in evaluations {
            evaluation::show(
                self.page,
                self.indent + indent,
                evaluation,
                self.already_shown,
            )?;
        }
        Ok(())
    }
}
