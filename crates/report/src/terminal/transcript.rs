//! Conversations, turn by turn.

mod conversation;
pub(super) mod end_reason;
pub(super) mod reply;
pub(super) mod tool_call;

use std::io;

use casebook_record::{ExampleData, Run, Status};

use super::Transcripts;
use super::evaluation::AlreadyShown;
use super::page::Page;
use super::style::{BOLD, DIM, mark};
use super::text::count;
use super::title::title;

pub(super) use conversation::show;

/// Up to this many conversations are shown completely.
const FEW: usize = 5;

/// The examples of a run that have a conversation.
#[derive(Default)]
pub(super) struct Conversations {
    count: usize,
    /// Those of them that did not fail. Conversations of failed examples are shown with the failure.
    not_failed: Vec<usize>,
}

impl Conversations {
    pub(super) fn add(&mut self, index: usize, example: &ExampleData) {
        if example.transcript().is_none() {
            return;
        }
        self.count += 1;
        if example.status != Status::Failed {
            self.not_failed.push(index);
        }
    }

    /// Shows the conversations of examples that did not fail.
    pub(super) fn show(&self, page: &mut Page, run: &Run, which: Transcripts) -> io::Result<()> {
        if self.not_failed.is_empty() {
            return Ok(());
        }
        match which {
            Transcripts::Failed | Transcripts::None => Ok(()),
            Transcripts::Auto if self.count > FEW => show_hidden_count(page, self.not_failed.len()),
            Transcripts::Auto | Transcripts::All => {
                page.heading("Conversations")?;
                for (number, index) in self.not_failed.iter().enumerate() {
                    if number > 0 {
                        page.blank()?;
                    }
                    show_example(page, run, &*run.examples.read(*index)?)?;
                }
                Ok(())
            }
        }
    }
}

fn show_example(page: &mut Page, run: &Run, example: &ExampleData) -> io::Result<()> {
    page.paragraph(0, 2, &[mark(example), (BOLD, &title(run, example))])?;
    match example.transcript() {
        Some(conversation) => show(page, 2, example, conversation, &AlreadyShown::default()),
        None => Ok(()),
    }
}

fn show_hidden_count(page: &mut Page, hidden: usize) -> io::Result<()> {
    let conversations = count(hidden, "conversation");
    let line = format!("{conversations} not shown; --transcripts all shows them");
    page.blank()?;
    page.paragraph(0, 2, &[(DIM, &line)])
}
