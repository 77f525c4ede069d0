//! [`Call`]: one call of a tool, which runs commands of the command line in this process.

use std::path::Path;
use std::sync::Arc;

use clap::Parser as _;
use serde_json::Value;

use super::session::Session;
use crate::arguments::Arguments;
use crate::caller::{CallOutput, Caller, Cancellation, Capture, Observer};
use crate::commands;
use crate::context::Context;
use crate::exit::Exit;

pub(super) struct Call<'s> {
    pub(super) session: &'s Session,
    pub(super) cancellation: Arc<Cancellation>,
    pub(super) observer: Arc<dyn Observer>,
}

/// What a command did.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) exit: u8,
    pub(super) stdout: String,
    pub(super) messages: String,
}

impl Call<'_> {
    /// Runs a command, without the name of the program, and returns its output.
    pub(super) fn run(&self, words: &[String]) -> Result<Outcome, String> {
        let capture = Capture::default();
        let mut outcome = self.run_with(words, CallOutput::Kept(capture.clone()))?;
        outcome.stdout = String::from_utf8_lossy(&capture.take()).into_owned();
        Ok(outcome)
    }

    /// Runs a command whose output is events; the observer sees them.
    pub(super) fn run_observed(&self, words: &[String]) -> Result<Outcome, String> {
        self.run_with(words, CallOutput::Observed)
    }

    fn run_with(&self, words: &[String], output: CallOutput) -> Result<Outcome, String> {
        // The records of the project.
        let records = self.session.root.check(Path::new(".casebook"));
        records.map_err(|error| format!("cannot use .casebook: {error}"))?;
        let program = "casebook".to_owned();
        let words = std::iter::once(&program).chain(words);
        let arguments = Arguments::try_parse_from(words).map_err(|error| usage(&error))?;
        let messages = Capture::default();
        let caller = Arc::new(Caller {
            root: self.session.root.clone(),
            cancellation: Arc::clone(&self.cancellation),
            output,
            messages: messages.clone(),
            observer: Arc::clone(&self.observer),
        });
        let mut context = Context::of_call(caller, self.session.environment.clone());
        let exit = commands::run(arguments, &mut context).unwrap_or_else(|error| {
            context.messages.error(&error.to_string());
            Exit::CouldNotTest
        });
        Ok(Outcome {
            exit: exit.code(),
            stdout: String::new(),
            messages: String::from_utf8_lossy(&messages.take()).trim().to_owned(),
        })
    }
}

/// The first paragraph of a usage error: the rest is about the command line.
fn usage(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let first = text.split("\n\n").next().unwrap_or_default();
    first.trim_start_matches("error: ").trim().to_owned()
}

impl Outcome {
    /// The JSON that the command printed; otherwise its messages are the error.
    pub(super) fn json(&self) -> Result<Value, String> {
        serde_json::from_str(&self.stdout).map_err(|_| self.reason())
    }

    /// Why it failed.
    pub(super) fn reason(&self) -> String {
        match self.messages.as_str() {
            "" => format!("the command exited with code {} and no message", self.exit),
            // The commands of `design` write `Error:`. A tool's error is known to be one.
            messages => ["error: ", "Error: "]
                .iter()
                .find_map(|label| messages.strip_prefix(label))
                .unwrap_or(messages)
                .to_owned(),
        }
    }
}
