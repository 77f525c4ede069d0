//! All the workers of a run.

use std::path::Path;
use std::time::{Duration, Instant};

use super::hand::Hand;
use super::link::Transport;
use crate::options::Options;
use crate::stop::Stop;
use crate::tell::Teller;

/// Where workers come from and what they all need to know.
pub(crate) struct Crew<'a> {
    pub(crate) transport: &'a dyn Transport,
    pub(crate) options: &'a Options,
    pub(crate) teller: &'a Teller<'a>,
    pub(crate) stop: &'a Stop,
    /// The temporary folder of the run.
    pub(crate) scratch: &'a Path,
    /// A worker that says nothing for so long is dead.
    pub(crate) silence: Duration,
    pub(crate) instant: fn() -> Instant,
}

impl Crew<'_> {
    /// A worker for one of the controller's threads. It is started when there is something to do.
    pub(crate) fn hand(&self, number: usize) -> Hand<'_> {
        Hand::new(self, number)
    }
}
