//! What is kept of a run, for all commands that record one.

use std::path::{Path, PathBuf};

use casebook_record::{Destination, Store};
use clap::Args;

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct RecordArgs {
    /// Where to put the record: a new folder, or `none` to write nothing [default: a folder in .casebook/runs]
    #[arg(long, value_name = "DIR")]
    pub(crate) record: Option<PathBuf>,

    /// Hide the values of environment variables with such names as well
    #[arg(long, value_name = "PATTERN")]
    pub(crate) redact: Vec<String>,
}

impl RecordArgs {
    /// What is wished for when nothing is to be kept.
    pub(crate) fn disabled() -> RecordArgs {
        RecordArgs {
            record: Some(PathBuf::from("none")),
            redact: Vec::new(),
        }
    }

    pub(crate) fn is_disabled(&self) -> bool {
        self.record.as_deref() == Some(Path::new("none"))
    }

    /// Where the record goes.
    pub(crate) fn destination(&self, folder: &Path) -> Destination {
        match &self.record {
            None => Destination::Store(Store::in_project(folder)),
            Some(_) if self.is_disabled() => Destination::Nowhere,
            Some(path) => Destination::Folder(folder.join(path)),
        }
    }

    /// The folder of the record as the user would type it.
    pub(crate) fn folder(&self) -> Option<String> {
        match &self.record {
            None => Some(".casebook/runs/latest".to_owned()),
            Some(_) if self.is_disabled() => None,
            Some(path) => Some(path.display().to_string()),
        }
    }
}
