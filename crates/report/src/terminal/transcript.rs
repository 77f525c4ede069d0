//! Conversations, turn by turn.

mod conversation;
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

/// So many conversations are read from the first to the last; more are searched.
const FEW: usize = 5;

/// Shows the conversations of examples that did not fail: those that did stand with their failure.
pub(super) fn show_all(page: &mut Page, run: &RunData, which: Transcripts) -> io::Result<()> {
    let told: Vec<_> = talks(run)
        .filter(|(example, _)| example.status != Status::Failed)
        .collect();
    if told.is_empty() {
        return Ok(());
    }
    match which {
        Transcripts::Failed | Transcripts::None => Ok(()),
        Transcripts::Auto if talks(run).count() > FEW => say_hidden(page, told.len()),
        Transcripts::Auto | Transcripts::All => {
            page.heading("Conversations")?;
            for (number, (example, conversation)) in told.into_iter().enumerate() {
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

/// The example's conversation, if anything was said in it.
pub(super) fn talk(example: &ExampleData) -> Option<&ConversationData> {
    example
        .conversation
        .as_ref()
        .filter(|conversation| !conversation.turns.is_empty())
}

fn talks(run: &RunData) -> impl Iterator<Item = (&ExampleData, &ConversationData)> {
    run.examples
        .values()
        .filter_map(|example| Some((&**example, talk(example)?)))
}

fn say_hidden(page: &mut Page, hidden: usize) -> io::Result<()> {
    let conversations = count(hidden, "conversation");
    let line = format!("{conversations} not shown; --transcripts all shows them");
    page.blank()?;
    page.paragraph(0, 2, &[(DIM, &line)])
}
