//! Conversations, turn by turn.

mod conversation;
pub(super) mod end_reason;
pub(super) mod tool_call;

use std::io;

use casebook_record::model::ConversationData;
use casebook_record::{ExampleData, RunData, Status};

use super::Transcripts;
use super::evaluation::AlreadyShown;
use super::page::Page;
use super::style::{BOLD, DIM, mark};
use super::text::count;
use super::title::title;

pub(super) use conversation::show;

/// Up to this many conversations are shown completely.
const FEW: usize = 5;

/// Shows the conversations of examples that did not fail. Those of failed examples are shown with the failure.
pub(super) fn show_all(page: &mut Page, run: &RunData, which: Transcripts) -> io::Result<()> {
    let shown: Vec<_> = conversations(run)
        .filter(|(example, _)| example.status != Status::Failed)
        .collect();
    if shown.is_empty() {
        return Ok(());
    }
    match which {
        Transcripts::Failed | Transcripts::None => Ok(()),
        Transcripts::Auto if conversations(run).count() > FEW => {
            show_hidden_count(page, shown.len())
        }
        Transcripts::Auto | Transcripts::All => {
            page.heading("Conversations")?;
            for (number, (example, conversation)) in shown.into_iter().enumerate() {
                if number > 0 {
                    page.blank()?;
                }
                page.paragraph(0, 2, &[mark(example), (BOLD, &title(run, example))])?;
                show(page, 2, example, conversation, &AlreadyShown::default())?;
            }
            Ok(())
        }
    }
}

/// The example's conversation, if it has turns.
pub(super) fn non_empty_conversation(example: &ExampleData) -> Option<&ConversationData> {
    example
        .conversation
        .as_ref()
        .filter(|conversation| !conversation.turns.is_empty())
}

fn conversations(run: &RunData) -> impl Iterator<Item = (&ExampleData, &ConversationData)> {
    run.examples
        .values()
        .filter_map(|example| Some((&**example, non_empty_conversation(example)?)))
}

fn show_hidden_count(page: &mut Page, hidden: usize) -> io::Result<()> {
    let conversations = count(hidden, "conversation");
    let line = format!("{conversations} not shown; --transcripts all shows them");
    page.blank()?;
    page.paragraph(0, 2, &[(DIM, &line)])
}
