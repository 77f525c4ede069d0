//! [`Edits`]: the new content of suites and snapshots.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

use casebook_report::patch;
use casebook_suite::accept::SuiteEditor;

use super::WrittenFiles;
use super::proposals::{Proposals, SuiteProposals, Target};
use super::refusal::Reason;
use crate::commands::shared::atomic_file;
use crate::context::Context;
use crate::error::CommandError;

/// The new content of all files.
#[derive(Default)]
pub(super) struct Edits {
    files: Vec<Edit>,
}

/// The new content of a file.
struct Edit {
    /// The name for the user.
    name: String,
    path: PathBuf,
    /// The content of a suite, or that of another file without its last newline.
    text: String,
    kind: Kind,
    /// The number of accepted values in it.
    values: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Suite,
    /// A snapshot, or an expected text.
    Text,
}

impl Edits {
    /// Applies the proposals. One that cannot be applied is refused and removed.
    pub(super) fn new(proposals: &mut Proposals<'_>) -> Edits {
        let mut edits = Edits::default();
        for index in 0..proposals.suites.len() {
            while let Err(failed) = edits.add_suite(&proposals.suites[index]) {
                let refused = proposals.suites[index].list.remove(failed);
                let reason = Reason::from(casebook_suite::accept::Refusal::NotInPlace);
                proposals.refuse(refused.failures[0], &reason);
            }
        }
        edits
    }

    /// Adds the files of a suite, or returns the index of a proposal that cannot be applied.
    fn add_suite(&mut self, suite: &SuiteProposals<'_>) -> Result<(), usize> {
        let mut changes = Vec::new();
        let mut snapshots = Vec::new();
        for (index, proposal) in suite.list.iter().enumerate() {
            match &proposal.target {
                Target::Value { change, .. } => changes.push((index, change)),
                Target::File { path, name, text } => snapshots.push(Edit {
                    name: name.clone(),
                    path: path.clone(),
                    text: text.clone(),
                    kind: Kind::Text,
                    values: 1,
                }),
            }
        }
        if let Some((first, _)) = changes.first() {
            let source = &suite.file.suite.file;
            let all: Vec<_> = changes.iter().map(|(_, change)| *change).collect();
            let editor = SuiteEditor::new(source).ok_or(*first)?;
            let text = editor.apply(&all).map_err(|failed| changes[failed].0)?;
            self.files.push(Edit {
                name: source.name().to_owned(),
                path: suite.file.path.clone(),
                text,
                kind: Kind::Suite,
                values: changes.len(),
            });
        }
        self.files.extend(snapshots);
        Ok(())
    }

    /// Prints the changes as a patch.
    pub(super) fn write_patch(&self, context: &mut Context) -> Result<(), CommandError> {
        for edit in &self.files {
            let old = fs::read(&edit.path).ok();
            let old = old.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            let text = match edit.kind {
                Kind::Suite => edit.text.clone(),
                Kind::Text => format!("{}\n", edit.text),
            };
            let patch = patch(&edit.name, old.as_deref(), &text);
            context.stdout.write_all(patch.as_bytes())?;
        }
        context.stdout.flush()?;
        Ok(())
    }

    /// Writes all files, each completely or not at all. After an error, those written before are still named.
    pub(super) fn write(&self, context: &Context) -> Result<WrittenFiles, CommandError> {
        let mut written = WrittenFiles::default();
        for edit in &self.files {
            let result = match edit.kind {
                Kind::Suite => atomic_file::replace(&edit.path, edit.text.as_bytes()),
                Kind::Text => casebook_run::write_snapshot(&edit.path, edit.text.as_bytes()),
            };
            if let Err(source) = result {
                if written.values > 0 {
                    written.report(context);
                }
                let path = edit.name.clone().into();
                return Err(CommandError::Write { path, source });
            }
            written.values += edit.values;
            written.names.push(edit.name.clone());
            written.paths.push(edit.path.clone());
        }
        Ok(written)
    }
}
