//! `casebook rspec --list`: lists examples without running them.

use std::sync::Arc;

use casebook_record::{Event, TestNames};
use casebook_run::StopToken;
use casebook_run::rspec::{self, ControllerInbox, ListedExample, Request};
use serde_json::Value;

use super::{conclude, listen, output};
use crate::commands::shared::list::{self, ListFormat};
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;

/// Prints one line per example. One RSpec process loads the specs to find them.
pub(super) fn show(
    request: Request,
    format: ListFormat,
    context: &mut Context,
) -> Result<Exit, CommandError> {
    let request = Request {
        workers: 1,
        ..request
    };
    let inbox = ControllerInbox::new();
    let signals = listen(inbox.stopper(), Arc::new(StopToken::new()?), context);
    let messages = context.messages.clone();
    let (examples, outcome) = rspec::list(
        &request,
        &context.system(),
        inbox,
        &mut |event| {
            if let Event::ExampleFailed(error) = event {
                let why = error.message.unwrap_or_default();
                messages.error(&format!("{}: {why}", error.description));
            }
        },
        &output(context.messages.clone()),
    )?;
    let items: Vec<_> = examples.iter().map(item).collect();
    list::write(&items, format, &request.redactor, &mut context.stdout)?;
    if outcome.failed > 0 {
        return Ok(Exit::CouldNotTest);
    }
    conclude(&outcome, signals.first(), false, context)
}

fn item(listed: &ListedExample) -> list::Item<'_> {
    let example = &listed.example;
    let tags = example.metadata.get("tags").and_then(Value::as_array);
    let named = TestNames {
        canonical_path: example.canonical_path.as_deref(),
        full_description: Some(&example.full_description),
        description: &example.description,
        scenario_id: None,
        scenario_name: None,
    };
    list::Item {
        id: example.example_id.clone(),
        place: example.location.clone(),
        title: named.title(),
        tags: tags
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect(),
        is_skipped: listed.is_skipped,
    }
}
