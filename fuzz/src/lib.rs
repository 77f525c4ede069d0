//! What must hold whatever comes in: the checks that the fuzz targets share.
//!
//! - [`survives`]: events and run data come back from JSON as they were;
//! - [`import`]: the events of an importer are those of one run;
//! - [`secret`]: what a redactor has seen holds no secret;
//! - [`suite`]: a suite, or the reason why there is none;
//! - [`bash`]: what bash makes of compiled suites.
//!
//! A check panics where its property does not hold, which is what the fuzzer looks for.

pub mod bash;
pub mod import;
pub mod secret;
pub mod suite;
pub mod survives;

use casebook_record::{Event, RunBuilder, RunData};

/// The run that the events make.
pub fn built(events: &[Event]) -> Option<RunData> {
    let builder = RunBuilder::new("fuzz");
    for event in events {
        builder.apply(event.clone());
    }
    builder.close()
}
