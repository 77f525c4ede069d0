//! How results are shown.

use std::io::Write as _;

use casebook_record::{Bus, Recorded};
use casebook_report::terminal;

use super::settings::Settings;
use crate::context::Context;
use crate::error::CommandError;

pub(super) struct Outputs {}

impl Outputs {
    pub(super) fn begin(
        _settings: &Settings,
        _bus: &Bus,
        _context: &mut Context,
    ) -> Result<Outputs, CommandError> {
        Ok(Outputs {})
    }

    pub(super) fn end(
        self,
        recorded: &Recorded,
        context: &mut Context,
    ) -> Result<(), CommandError> {
        if let Some(run) = &recorded.run {
            let options = terminal::Options {
                color: context.color,
                ..terminal::Options::default()
            };
            terminal::report(run, &options, &mut context.stdout)?;
            context.stdout.flush()?;
        }
        Ok(())
    }
}
