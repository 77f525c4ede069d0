//! `rspec --cluster`: runs the examples on the workers of a cluster.

use std::path::Path;

use casebook_cluster::{RspecCommand, SpecPlan};
use casebook_record::event::SuiteStarted;
use casebook_record::{Event, RunIdentity};
use casebook_run::rspec::{self, ControllerInbox, ListedExample, Request, RspecOutcome};
use casebook_run::{EventSink, RunContext, StopToken};

use casebook_suite::model::conversation::Budget;

use super::output;
use crate::commands::shared::cluster::{ClusterRun, ClusterSettings, recorded_events};
use crate::commands::shared::recording::Recording;
use crate::context::Context;
use crate::error::CommandError;
use crate::messages::Messages;

/// A run on a cluster.
pub(super) struct SpecRun<'a> {
    /// Lists the examples on this machine.
    pub(super) request: &'a Request,
    /// How a worker starts RSpec.
    pub(super) command: RspecCommand,
    pub(super) identity: RunIdentity,
    /// What an earlier controller recorded.
    pub(super) journal: Option<&'a Path>,
    /// Names of further environment variables whose values are redacted.
    pub(super) redact: &'a [String],
    pub(super) recording: &'a Recording,
    pub(super) stop: &'a StopToken,
}

/// What one RSpec process on this machine reports before any example runs.
struct Listing {
    examples: Vec<ListedExample>,
    start: Option<SuiteStarted>,
    end: Vec<Event>,
    /// The ids of errors outside of examples.
    errors: Vec<String>,
    outcome: RspecOutcome,
}

impl SpecRun<'_> {
    pub(super) fn run(
        self,
        cluster: &ClusterSettings,
        inbox: ControllerInbox,
        context: &Context,
    ) -> Result<RspecOutcome, CommandError> {
        let listing = self.list(inbox, context)?;
        let start = match listing.start {
            Some(start) if !listing.examples.is_empty() => start,
            start => {
                let start = start.map(Event::from);
                for event in start.into_iter().chain(listing.end) {
                    self.recording.publish(event);
                }
                return Ok(listing.outcome);
            }
        };
        let planned = listing.outcome.planned;
        let plan = SpecPlan {
            start,
            examples: listing.examples,
            errors: listing.errors,
            durations: self.request.durations.clone(),
            max_failures: listing.outcome.fail_fast,
            command: self.command,
        };
        let sink = SpecSink {
            recording: self.recording,
            messages: context.messages.clone(),
        };
        let run_context = RunContext {
            system: &context.system(),
            stop: self.stop,
            sink: &sink,
            workers: None,
            limiter: None,
            locks: None,
            budget: Budget::default(),
        };
        let recorded = self.journal.map(recorded_events).transpose()?;
        let run = ClusterRun {
            identity: self.identity,
            recorded: recorded.unwrap_or_default(),
            redact: self.redact,
        };
        let ran = cluster.run(run, context, |cluster| {
            casebook_cluster::run_specs(&plan, cluster, run_context)
        })?;
        Ok(RspecOutcome {
            planned,
            failed: ran.failed,
            not_run: ran.not_started.len() + ran.interrupted,
            ..listing.outcome
        })
    }

    /// Loads the specs to find the examples.
    fn list(&self, inbox: ControllerInbox, context: &Context) -> Result<Listing, CommandError> {
        let request = Request {
            workers: 1,
            ..self.request.clone()
        };
        let (mut start, mut end, mut errors) = (None, Vec::new(), Vec::new());
        let mut publish = |event: Event| match event {
            Event::SuiteStarted(started) => start = Some(started),
            Event::SuiteStopped(_) | Event::SuiteSummary(_) => end.push(event),
            event => {
                if let Event::ExampleFailed(error) = &event {
                    errors.push(error.example_id.clone());
                }
                self.recording.publish(event);
            }
        };
        let output = output(context.messages.clone());
        let (examples, outcome) =
            rspec::list(&request, &context.system(), inbox, &mut publish, &output)?;
        Ok(Listing {
            examples,
            start,
            end,
            errors,
            outcome,
        })
    }
}

/// Records the events of workers.
struct SpecSink<'a> {
    recording: &'a Recording,
    messages: Messages,
}

impl EventSink for SpecSink<'_> {
    fn publish(&self, event: Event) {
        self.recording.publish(event);
    }

    fn wants_full_output(&self) -> bool {
        false
    }

    fn save_output(&self, _example_id: &str, _streams: &[(&str, &[u8])]) -> Option<String> {
        None
    }

    fn warn(&self, message: &str) {
        self.messages.warn(message);
    }

    // RSpec exports nothing to Casebook.
    fn register_secrets(&self, _exported: &[(String, String)]) {}
}
