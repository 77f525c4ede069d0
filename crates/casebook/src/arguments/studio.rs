//! The options of `casebook studio`.

use std::path::PathBuf;

use casebook_storage::{InvalidLocation, Location};
use clap::Args;

/// Serve a local web page for the runs of a project
///
/// The page shows the recorded runs, and every run in progress while it runs, no matter who started it. Tests can be run again, output accepted and verdicts reviewed. The address that is printed contains a token that works once; the browser then has a cookie.
///
/// Only this machine can connect, unless --host is set. Ctrl-C ends the server; runs that were started from the page continue.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit code: 0 or 130 ended by Ctrl-C, 2 the server cannot be started.

Examples:
  casebook studio --open
  casebook studio ~/projects/shop --read-only
  casebook studio s3://ci-records/shop     records that `casebook run --upload` has uploaded
  CASEBOOK_STUDIO_TOKEN=$(openssl rand -hex 16) casebook studio --host 192.0.2.7 --port 8080")]
pub(crate) struct Studio {
    /// The directory of the project, or s3://BUCKET/PREFIX for uploaded records [default: this directory]
    #[arg(value_name = "DIR", value_parser = source)]
    pub(crate) source: Option<Source>,

    /// Listen on this port [default: the last port used, or a free one]
    #[arg(long, value_name = "N", value_parser = port, allow_negative_numbers = true)]
    pub(crate) port: Option<u16>,

    /// Open the page in the browser
    #[arg(long)]
    pub(crate) open: bool,

    /// Serve no actions: nothing can be started or changed
    #[arg(long)]
    pub(crate) read_only: bool,

    /// Listen on this address of the machine, with the token in CASEBOOK_STUDIO_TOKEN; use a proxy for TLS
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) host: Option<String>,
}

fn port(text: &str) -> Result<u16, String> {
    let number = text.parse();
    number.map_err(|_| "must be a port number from 0 to 65535".to_owned())
}

/// Where the records are.
#[derive(Debug, Clone)]
pub(crate) enum Source {
    Dir(PathBuf),
    Storage(Location),
}

impl Studio {
    /// The storage that is shown instead of a project.
    pub(crate) fn storage(&self) -> Option<&Location> {
        match &self.source {
            Some(Source::Storage(location)) => Some(location),
            _ => None,
        }
    }
}

fn source(text: &str) -> Result<Source, InvalidLocation> {
    if Location::is_meant_by(text) {
        return text.parse().map(Source::Storage);
    }
    Ok(Source::Dir(text.into()))
}
