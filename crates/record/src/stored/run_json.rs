//! The examples of a `run.json`.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::Content;
use crate::examples::{ExampleSource, Run};
use crate::journaled_run::ReadAt as _;
use crate::model::{ExampleData, RunData};
use crate::outline::outline;
use crate::redact::Redactor;
use crate::run_file::{ReadRunError, read_run, unsupported_version};

struct FileExamples {
    file: File,
    path: PathBuf,
    examples: Vec<Range<u64>>,
    redactor: Redactor,
}

pub(super) fn open(path: &Path, redactor: &Redactor) -> Result<Box<Run>, ReadRunError> {
    if let Some(run) = open_file(path, redactor) {
        return Ok(run);
    }
    // The file is damaged or has an unusual form. The complete reader describes the damage or accepts it.
    let mut run = read_run(path)?;
    redactor.apply(&mut run);
    Ok(Box::new(run))
}

fn open_file(path: &Path, redactor: &Redactor) -> Option<Box<Run>> {
    let mut content = Content::open(path).ok()?;
    let outline = outline(content.buffered()).ok()?;
    let mut run: RunData<()> = serde_json::from_slice(&outline.head).ok()?;
    let version = run.schema_version.as_ref();
    if version.and_then(unsupported_version).is_some() {
        return None;
    }
    redactor.apply(&mut run);
    let examples = FileExamples {
        file: content.file,
        path: path.into(),
        examples: outline.examples,
        redactor: redactor.clone(),
    };
    Some(Box::new(run.with_examples(examples)))
}

impl ExampleSource for FileExamples {
    fn count(&self) -> usize {
        self.examples.len()
    }

    fn read(&self, index: usize) -> io::Result<Cow<'_, ExampleData>> {
        let json = self
            .file
            .read_range(&self.examples[index])
            .map_err(|source| {
                io::Error::other(ReadRunError::Io {
                    path: self.path.clone(),
                    source,
                })
            })?;
        let mut example = serde_json::from_slice(&json).map_err(|error| self.explain(&error))?;
        self.redactor.apply(&mut example);
        Ok(Cow::Owned(example))
    }
}

impl FileExamples {
    /// Reads the whole file again: the complete reader knows the line of the problem and its path in the document.
    fn explain(&self, error: &serde_json::Error) -> io::Error {
        io::Error::other(match read_run(&self.path) {
            Err(explained) => explained,
            Ok(_) => ReadRunError::Io {
                path: self.path.clone(),
                source: io::Error::new(io::ErrorKind::InvalidData, error.to_string()),
            },
        })
    }
}
