//! How the run is shown while it lasts.

use std::io;

use casebook_report::live::{Live, Options, Verbosity};

use crate::arguments::rspec::Rspec;
use crate::context::{Context, Progress};

pub(super) fn live(arguments: &Rspec, context: &Context) -> io::Result<Live> {
    let verbosity = match (arguments.showing.quiet, arguments.showing.verbose) {
        (true, _) => Verbosity::Quiet,
        (false, true) => Verbosity::Verbose,
        (false, false) => Verbosity::Normal,
    };
    let defaults = Options::default();
    let options = Options {
        color: context.color,
        width: context.width.unwrap_or(defaults.width),
        height: context.height.unwrap_or(defaults.height),
        progress: context.progress == Progress::WithData && verbosity > Verbosity::Quiet,
        verbosity,
        timing: arguments.showing.timing,
        trace: false,
        record: arguments.keeping.folder(),
    };
    Live::new(
        options,
        Box::new(Context::now),
        Context::stdout(),
        Context::stderr(),
    )
}
