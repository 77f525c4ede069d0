//! The options that repeat tests.

use std::time::Duration;

use casebook_run::Repeat;
use clap::Args;

use super::run::{at_least_one, duration};

/// How often tests are run.
#[derive(Debug, Default, Args)]
pub(crate) struct RepeatArgs {
    /// Run each test N times; it fails if a repetition fails
    #[arg(long, value_name = "N", value_parser = at_least_one::<u32>, allow_negative_numbers = true, conflicts_with_all = ["stress", "retries", "resume"])]
    pub(crate) repeat: Option<u32>,

    /// Repeat the tests until one fails; --repeat and --stress limit how often and how long
    #[arg(long, conflicts_with_all = ["retries", "resume", "watch", "cluster"])]
    pub(crate) until_fail: bool,

    /// Repeat the tests on all jobs for this long, each at least once: 30, 10m
    #[arg(long, value_name = "DURATION", value_parser = duration, allow_negative_numbers = true, conflicts_with_all = ["retries", "resume", "cluster"])]
    pub(crate) stress: Option<Duration>,
}

impl RepeatArgs {
    /// How tests are repeated; `None` if each runs once.
    pub(crate) fn resolve(&self) -> Option<Repeat> {
        let is_repeated = self.repeat.is_some() || self.until_fail || self.stress.is_some();
        is_repeated.then_some(Repeat {
            times: self.repeat,
            duration: self.stress,
            overlapping: self.stress.is_some(),
            until_fail: self.until_fail,
        })
    }

    /// The first option given, for messages.
    pub(crate) fn name(&self) -> Option<&'static str> {
        let options = [
            (self.repeat.is_some(), "--repeat"),
            (self.stress.is_some(), "--stress"),
            (self.until_fail, "--until-fail"),
        ];
        let mut given = options.into_iter().filter(|(is_given, _)| *is_given);
        given.next().map(|(_, name)| name)
    }
}
