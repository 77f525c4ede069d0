//! Decodes a user's message with files.

use casebook_source::yaml::Node;

use super::agent::required_text;
use crate::codes::{CONFLICT, WRONG_VALUE};
use crate::fields::conversation::MESSAGE;
use crate::model::conversation::{Agent, Attachment, MediaType, Turn};
use crate::reader::{Reader, Text};

/// A user's message.
pub(super) struct Message {
    pub(super) text: String,
    pub(super) files: Vec<Attachment>,
}

/// Decodes `{text, files}`.
pub(super) fn with_files(node: &Node, reader: &mut Reader<'_, '_>) -> Option<Message> {
    reader.object("a message", "user", node, MESSAGE);
    let text = required_text("the message", "text", node, reader);
    let files = node.get("files").map(|node| reader.texts("files", node));
    let files = files.unwrap_or_default().into_iter();
    let files: Vec<_> = files.map(|path| attachment(path, reader)).collect();
    let files = files.into_iter().collect::<Option<_>>();
    Some(Message {
        text: text?.0,
        files: files?,
    })
}

fn attachment(path: Text, reader: &mut Reader<'_, '_>) -> Option<Attachment> {
    let Some(media_type) = MediaType::of(&path.text) else {
        let message = format!("`{}` is neither an image nor a PDF file", path.text);
        let help = format!("its name must end with {}", MediaType::EXTENSIONS);
        reader
            .note(WRONG_VALUE, path.span, message)
            .help_last(&help);
        return None;
    };
    Some(Attachment {
        path: path.text,
        media_type,
        span: path.span,
    })
}

/// Reports files for an agent that cannot receive them.
pub(super) fn check_files(turns: &[Turn], agent: Option<&Agent>, reader: &mut Reader<'_, '_>) {
    if agent.is_none() || matches!(agent, Some(Agent::Model(_))) {
        return;
    }
    for file in turns.iter().filter_map(|turn| turn.files.first()) {
        let message = "`files` has no effect here: the agent is neither `openai` nor `anthropic`";
        reader
            .note(CONFLICT, file.span, message)
            .help_last("remove `files`, or use an agent of these kinds");
    }
}
