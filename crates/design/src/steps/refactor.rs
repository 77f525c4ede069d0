//! `design refactor`: an old spec in the present style (rule P7). It passes before, and it passes afterwards.

mod rewrite;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::backup::Backup;
use super::decision::{discard_or_keep, needed, which_refactoring};
use super::lint::Linter;
use super::skeleton::write;
use super::update::manual_edits;
use super::{StepContext, StepError};
use crate::metadata::location::{absolute, find_root};
use crate::refactor::{RefactoredSpec, refactor as mend};
use crate::review::{Review, ReviewContext, review};

/// How far a spec is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refactoring {
    /// Assertions, wording, frozen literals, and what the linter mends.
    Conservative,
    /// Written anew from the code.
    Full {
        /// Even if handwork is lost.
        discard_handwork: bool,
    },
}

/// What came of it.
#[derive(Debug)]
pub enum Refactored {
    /// The spec was changed, and still passes.
    Done {
        /// The spec.
        spec: PathBuf,
        /// The spec as it was; none where there was nothing to change.
        backup: Option<PathBuf>,
        /// What was changed, in words.
        changes: Vec<String>,
        /// What the reviewer found in it.
        before: Review,
        /// What the reviewer finds now.
        after: Review,
        /// What is worth knowing.
        warnings: Vec<String>,
    },
    /// Somebody has to decide; nothing was changed.
    Decide(Value),
}

/// Changes a spec that passes; puts it back where it then fails.
pub fn refactor(
    spec: &Path,
    how: Option<Refactoring>,
    world: &StepContext<'_>,
) -> Result<Refactored, StepError> {
    let old = ExistingSpec::read(spec, world)?;
    old.passes(world)?;
    let before = old.review(&old.text);
    match how {
        None => {
            let structural = before.structural();
            let question = which_refactoring(&old.shown, structural);
            Ok(Refactored::Decide(needed(&[question])))
        }
        Some(Refactoring::Conservative) => old.mended(before, world),
        Some(Refactoring::Full { discard_handwork }) => {
            let by_hand = manual_edits(&old.text);
            if !by_hand.is_empty() && !discard_handwork {
                let question = discard_or_keep(&old.shown, &by_hand);
                return Ok(Refactored::Decide(needed(&[question])));
            }
            old.rewrite(before, world)
        }
    }
}

/// A spec as it is.
struct ExistingSpec {
    path: PathBuf,
    /// From the root.
    shown: String,
    root: PathBuf,
    text: String,
}

impl ExistingSpec {
    fn read(spec: &Path, world: &StepContext<'_>) -> Result<ExistingSpec, StepError> {
        let path = absolute(spec, world.cwd);
        let unreadable = |source| StepError::Unreadable {
            path: spec.to_owned(),
            source,
        };
        let text = fs::read_to_string(&path).map_err(unreadable)?;
        let root = path.parent().and_then(find_root);
        let root = root.unwrap_or_else(|| world.cwd.to_owned());
        let shown = path.strip_prefix(&root).unwrap_or(&path);
        Ok(ExistingSpec {
            shown: shown.to_string_lossy().into_owned(),
            path,
            root,
            text,
        })
    }

    /// Nobody could say whether a change is right if it did not.
    fn passes(&self, world: &StepContext<'_>) -> Result<(), StepError> {
        match world.rspec(&self.root, &self.path) {
            None => Err(StepError::Other(
                "rspec is not installed: nobody could say whether the spec still passes".to_owned(),
            )),
            Some(ran) if !ran.is_success => Err(StepError::Other(format!(
                "{} fails as it is: {}\nMend it first; nothing was changed.",
                self.shown,
                ran.summary()
            ))),
            Some(_) => Ok(()),
        }
    }

    fn review(&self, text: &str) -> Review {
        let about = ReviewContext {
            path: &self.shown,
            ..ReviewContext::default()
        };
        review(text, &about)
    }

    /// Puts everything back as it was.
    fn restore(&self, backup: Backup) -> Result<(), StepError> {
        write(&self.path, &self.text)?;
        backup.undo()
    }

    fn mended(self, before: Review, world: &StepContext<'_>) -> Result<Refactored, StepError> {
        let mended = mend(&self.text).map_err(|source| StepError::Ruby {
            file: self.path.clone(),
            source,
        })?;
        let mut changes = in_words(&mended);
        let (mut text, mut warnings) = (mended.text, Vec::new());
        if let Some(linter) = Linter::of(&self.root) {
            let (linted, told) = linter.autocorrect(&self.root, &self.path, &text, world)?;
            if linted != text {
                changes.push(format!("{} mended the style", linter.name()));
            }
            text = linted;
            warnings.extend(told);
        }
        let backup = Backup::of(&self.path, &self.text)?;
        write(&self.path, &text)?;
        self.finished(backup, changes, before, warnings, world)
    }

    fn finished(
        self,
        backup: Backup,
        changes: Vec<String>,
        before: Review,
        warnings: Vec<String>,
        world: &StepContext<'_>,
    ) -> Result<Refactored, StepError> {
        let ran = world.rspec(&self.root, &self.path);
        if let Some(ran) = ran.filter(|ran| !ran.is_success) {
            self.restore(backup)?;
            return Err(StepError::Other(format!(
                "{} fails when changed: {}\nIt was put back as it was.",
                self.shown,
                ran.summary()
            )));
        }
        let text = fs::read_to_string(&self.path).unwrap_or_default();
        let kept = backup.path.clone();
        let is_changed = text != self.text;
        if !is_changed {
            backup.undo()?;
        }
        Ok(Refactored::Done {
            after: self.review(&text),
            spec: self.path,
            backup: is_changed.then_some(kept),
            changes,
            before,
            warnings,
        })
    }
}

fn in_words(mended: &RefactoredSpec) -> Vec<String> {
    let counted = |count: usize, what: &str| {
        let s = if count == 1 { "" } else { "s" };
        (count > 0).then(|| format!("{count} {what}{s}"))
    };
    let frozen = mended
        .is_frozen_now
        .then(|| "literals are frozen".to_owned());
    [
        counted(mended.assertions, "assertion"),
        counted(mended.descriptions, "description"),
        frozen,
    ]
    .into_iter()
    .flatten()
    .collect()
}
