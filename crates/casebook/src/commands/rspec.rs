//! `casebook rspec`: RSpec in several processes, shown and recorded as one run.

mod list;
mod request;

use std::sync::Arc;

use casebook_record::{Bus, Event, Identity, Recorded, Recorder, Redactor};
use casebook_run::Stop;
use casebook_run::rspec::{self, Inbox, Outcome, Output, Stopper};
use signal_hook::consts::SIGPIPE;
use uuid::Uuid;

use super::output::{self, Outputs, Reader, Show};
use super::problems::plural;
use super::signals::Signals;
use crate::arguments::rspec::Rspec;
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::messages::Messages;

pub(super) fn run(arguments: &Rspec, context: &mut Context) -> Result<Exit, CommandError> {
    output::is_possible(arguments.showing.ui, context)?;
    let redactor = context.redactor(&arguments.keeping.redact)?;
    context.messages.redact(redactor.clone());
    let request = request::resolve(arguments, context);
    if arguments.list {
        return list::show(request, context);
    }
    let messages = context.messages.clone();
    let bus = Bus::reporting(move |trouble| {
        messages.warn(&format!("{}: {}", trouble.listener, trouble.first));
    });
    let stop = Arc::new(Stop::new()?);
    let show = Show::typed(&arguments.showing, arguments.keeping.folder());
    let recorder = recorder(arguments, bus, redactor, context);
    let inbox = Inbox::new();
    let reader = reader(inbox.stopper(), &show);
    let outputs = Outputs::begin(&show, &recorder, (&stop, &reader), context)?;
    let recording = Recording::new(recorder, context.messages.clone());
    let signals = listen(inbox.stopper(), stop, context);
    let ran = rspec::run(
        &request,
        &context.world(),
        inbox,
        &mut |event| recording.publish(event),
        &output(context.messages.clone()),
    );
    let record = recording.finish();
    outputs.end(&record, signals.first().is_some(), context)?;
    let outcome = ran?;
    say_where(&record, arguments, context);
    let left = Some(SIGPIPE).filter(|_| reader.has_left() && outcome.not_run > 0);
    conclude(outcome, signals.first().or(left), context)
}

/// Whoever reads standard output: nobody wants the results of examples that run on when `head` has seen enough.
fn reader(stopper: Stopper, show: &Show) -> Reader {
    let is_for_later = show.is_for_later();
    Reader::new(move || {
        if !is_for_later {
            stopper.ask();
        }
    })
}

/// Only what could not be tested is an error: failed examples are a result.
fn listen(stopper: Stopper, stop: Arc<Stop>, context: &Context) -> Signals {
    let messages = context.messages.clone();
    Signals::begin(move |count| {
        if count == 0 {
            messages.say("ending after the running examples; once more to end them at once");
        }
        stop.ask();
        stopper.ask();
    })
}

fn conclude(
    outcome: Outcome,
    signal: Option<i32>,
    context: &Context,
) -> Result<Exit, CommandError> {
    if outcome.not_run > 0 {
        let not_run = outcome.not_run as u64;
        let examples = plural(not_run, "example");
        context
            .messages
            .say(&format!("{not_run} {examples} not run"));
    }
    match (signal, outcome.planned, outcome.ended_early) {
        (Some(signal), ..) => Ok(Exit::Interrupted(signal)),
        _ if outcome.failed > 0 || outcome.not_run > 0 => Ok(Exit::Failed),
        (_, None, Some(how)) => Err(CommandError::RspecEndedEarly(how)),
        (_, None | Some(0), _) => Err(CommandError::NoExamples),
        _ => Ok(Exit::Passed),
    }
}

/// What the processes print goes past what is drawn, a whole line at a time.
fn output(messages: Messages) -> Arc<Output> {
    Arc::new(move |line: &[u8]| messages.pass_on(line))
}

fn recorder(arguments: &Rspec, bus: Bus, redactor: Redactor, context: &Context) -> Recorder {
    let destination = arguments.keeping.destination(&context.folder);
    let identity = Identity {
        run_id: Uuid::new_v4().to_string(),
        git_commit: context.git_commit().get(),
    };
    Recorder::new(bus, destination, identity, redactor)
}

/// A recorder that warns at once of what goes wrong with it.
struct Recording {
    recorder: Recorder,
    messages: Messages,
}

impl Recording {
    fn new(recorder: Recorder, messages: Messages) -> Recording {
        Recording { recorder, messages }
    }

    fn publish(&self, event: Event) {
        for error in self.recorder.publish(event) {
            self.messages.warn(&error.to_string());
        }
    }

    fn finish(self) -> Recorded {
        let told = self.recorder.errors().len();
        let recorded = self.recorder.finish();
        for error in &recorded.errors[told..] {
            self.messages.warn(&error.to_string());
        }
        recorded
    }
}

fn say_where(recorded: &Recorded, arguments: &Rspec, context: &Context) {
    let run = recorded.run.as_ref();
    let failed = run.is_some_and(|run| run.summary().failed_count > 0);
    if let Some(folder) = &recorded.folder
        && (failed || arguments.showing.verbose)
    {
        let folder = folder.strip_prefix(&context.folder).unwrap_or(folder);
        context
            .messages
            .say(&format!("recorded in {}", folder.display()));
    }
}
