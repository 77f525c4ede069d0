//! The texts that a result refers to: the output of a command, and the transcript of a conversation.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use casebook_record::ExampleData;
use casebook_record::model::{ConversationData, TurnData};
use serde::Serialize;

use crate::test_row::streams;

#[derive(Serialize)]
pub(super) struct Attachment {
    name: &'static str,
    source: String,
    r#type: &'static str,
}

/// Writes the texts of one attempt next to its result.
pub(super) fn write_all(
    example: &ExampleData,
    uuid: &str,
    dir: &Path,
) -> io::Result<Vec<Attachment>> {
    let write = |name: &'static str, text: &str| {
        let source = format!("{uuid}-{name}-attachment.txt");
        fs::write(dir.join(&source), text)?;
        Ok(Attachment {
            name,
            source,
            r#type: "text/plain",
        })
    };
    let outputs = streams(example).map(|(name, text)| write(name, text));
    let transcript = example.transcript().map(transcript);
    outputs
        .chain(transcript.map(|text| write("transcript", &text)))
        .collect()
}

fn transcript(conversation: &ConversationData) -> String {
    let mut text = String::new();
    for turn in &conversation.turns {
        add_turn(&mut text, turn).expect("writing to memory succeeds");
    }
    text
}

fn add_turn(text: &mut String, turn: &TurnData) -> std::fmt::Result {
    if let Some(message) = &turn.user_message {
        writeln!(text, "user: {}", message.content)?;
    }
    for call in &turn.tool_calls {
        writeln!(text, "tool: {} {}", call.name, call.arguments.text())?;
    }
    if let Some(message) = &turn.agent_response {
        writeln!(text, "agent: {}", message.content)?;
    }
    Ok(())
}
