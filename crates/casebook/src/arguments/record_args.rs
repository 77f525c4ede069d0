//! Options for the record, shared by all commands that write one.

use std::path::{Path, PathBuf};

use casebook_record::{Destination, Store};
use casebook_storage::Location;
use clap::Args;

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct RecordArgs {
    /// Write the record to this new directory, or `none` to write nothing [default: a directory in .casebook/runs]
    #[arg(long, value_name = "DIR")]
    pub(crate) record: Option<PathBuf>,

    /// Also redact the values of environment variables whose names match
    #[arg(long, value_name = "PATTERN")]
    pub(crate) redact: Vec<String>,

    /// Also upload the record to S3-compatible storage, with the credentials in the AWS_* variables
    #[arg(long, value_name = "URL")]
    pub(crate) upload: Option<Location>,
}

impl RecordArgs {
    /// No record.
    pub(crate) fn disabled() -> RecordArgs {
        RecordArgs {
            record: Some(PathBuf::from("none")),
            redact: Vec::new(),
            upload: None,
        }
    }

    pub(crate) fn is_disabled(&self) -> bool {
        self.record.as_deref() == Some(Path::new("none"))
    }

    /// Whether a directory was given.
    pub(crate) fn is_requested(&self) -> bool {
        self.record.is_some() && !self.is_disabled()
    }

    /// Where the record is written.
    pub(crate) fn destination(&self, dir: &Path) -> Destination {
        match &self.record {
            None => Destination::Store(Store::in_project(dir)),
            Some(_) if self.is_disabled() => Destination::Nowhere,
            Some(path) => Destination::Dir(dir.join(path)),
        }
    }

    /// The directory of the record, relative to the working directory.
    pub(crate) fn dir(&self) -> Option<String> {
        match &self.record {
            None => Some(".casebook/runs/latest".to_owned()),
            Some(_) if self.is_disabled() => None,
            Some(path) => Some(path.display().to_string()),
        }
    }
}
