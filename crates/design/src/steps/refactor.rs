//! `design refactor`: rewrites an old spec in the current style (rule P7). The spec has to pass before and after.

mod rewrite;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::backup::Backup;
use super::decision::{discard_or_keep, needs_decision, which_refactoring};
use super::lint::Linter;
use super::skeleton::write;
use super::update::manual_edits;
use super::{StepContext, StepError};
use crate::metadata::location::{absolute, find_root};
use crate::outline::outline;
use crate::refactor::{RefactoredSpec, refactor as refactor_text};
use crate::review::{Review, ReviewContext, review};

/// How much of a spec is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refactoring {
    /// Assertions, wording, frozen literals, and what the linter corrects.
    Conservative,
    /// Rewritten from the code.
    Full {
        /// Rewrite even if manual edits are lost.
        discard_handwork: bool,
    },
}

/// The result of `design refactor`.
#[derive(Debug)]
pub enum Refactored {
    /// The spec was changed, and still passes.
    Done {
        /// The spec.
        spec: PathBuf,
        /// The copy of the old spec; `None` if nothing was changed.
        backup: Option<PathBuf>,
        /// The changes, in words.
        changes: Vec<String>,
        /// The review of the old spec.
        before: Review,
        /// The review of the new spec.
        after: Review,
        /// Warnings for the user.
        warnings: Vec<String>,
    },
    /// The user has to decide. Nothing was changed.
    Decide(Value),
}

/// Refactors a spec that passes. Restores it if it then fails.
pub fn refactor(
    spec: &Path,
    refactoring: Option<Refactoring>,
    context: &StepContext<'_>,
) -> Result<Refactored, StepError> {
    let old = ExistingSpec::read(spec, context)?;
    old.require_groups()?;
    old.require_passing(context)?;
    let before = old.review(&old.text);
    match refactoring {
        None => {
            let structural = before.structural();
            let question = which_refactoring(&old.shown, structural);
            Ok(Refactored::Decide(needs_decision(&[question])))
        }
        Some(Refactoring::Conservative) => old.refactor_conservatively(before, context),
        Some(Refactoring::Full { discard_handwork }) => {
            let edits = manual_edits(&old.text);
            if !edits.is_empty() && !discard_handwork {
                let question = discard_or_keep(&old.shown, &edits);
                return Ok(Refactored::Decide(needs_decision(&[question])));
            }
            old.rewrite(before, context)
        }
    }
}

/// A spec before the refactoring.
struct ExistingSpec {
    path: PathBuf,
    /// The path relative to the root.
    shown: String,
    root: PathBuf,
    text: String,
}

impl ExistingSpec {
    fn read(spec: &Path, context: &StepContext<'_>) -> Result<ExistingSpec, StepError> {
        let path = absolute(spec, context.cwd);
        let unreadable = |source| StepError::Unreadable {
            path: spec.to_owned(),
            source,
        };
        let text = fs::read_to_string(&path).map_err(unreadable)?;
        let root = path.parent().and_then(find_root);
        let root = root.unwrap_or_else(|| context.cwd.to_owned());
        let shown = path.strip_prefix(&root).unwrap_or(&path);
        Ok(ExistingSpec {
            shown: shown.to_string_lossy().into_owned(),
            path,
            root,
            text,
        })
    }

    /// Fails if the file is not a spec: rspec passes a file without examples.
    fn require_groups(&self) -> Result<(), StepError> {
        let outline =
            outline(self.text.as_bytes(), &self.shown).map_err(|source| StepError::Ruby {
                file: self.path.clone(),
                source,
            })?;
        if outline.groups.is_empty() && outline.shared.is_empty() {
            return Err(StepError::Other(format!(
                "{} is not a spec: it contains no `describe`; name a file such as spec/models/cart_spec.rb",
                self.shown
            )));
        }
        Ok(())
    }

    /// Fails if the spec does not pass. Otherwise a failure after the refactoring could have another cause.
    fn require_passing(&self, context: &StepContext<'_>) -> Result<(), StepError> {
        match context.rspec(&self.root, &self.path) {
            None => Err(StepError::Other(
                "rspec is not installed, so it cannot be checked that the spec still passes"
                    .to_owned(),
            )),
            Some(ran) if !ran.is_success => Err(StepError::Other(format!(
                "{} already fails: {}; fix it first (nothing was changed)",
                self.shown,
                ran.summary()
            ))),
            Some(_) => Ok(()),
        }
    }

    fn review(&self, text: &str) -> Review {
        let review_context = ReviewContext {
            path: &self.shown,
            ..ReviewContext::default()
        };
        review(text, &review_context)
    }

    /// Restores the old spec and the previous backup.
    fn restore(&self, backup: Backup) -> Result<(), StepError> {
        write(&self.path, &self.text)?;
        backup.undo()
    }

    fn refactor_conservatively(
        self,
        before: Review,
        context: &StepContext<'_>,
    ) -> Result<Refactored, StepError> {
        let refactored = refactor_text(&self.text).map_err(|source| StepError::Ruby {
            file: self.path.clone(),
            source,
        })?;
        let mut changes = describe_changes(&refactored);
        let (mut text, mut warnings) = (refactored.text, Vec::new());
        if let Some(linter) = Linter::of(&self.root) {
            let (linted, warning) = linter.autocorrect(&self.root, &self.path, &text, context)?;
            if linted != text {
                changes.push(format!("style corrected by {}", linter.name()));
            }
            text = linted;
            warnings.extend(warning);
        }
        let backup = Backup::of(&self.path, self.text.as_bytes())?;
        write(&self.path, &text)?;
        self.verify(backup, changes, before, warnings, context)
    }

    fn verify(
        self,
        backup: Backup,
        changes: Vec<String>,
        before: Review,
        warnings: Vec<String>,
        context: &StepContext<'_>,
    ) -> Result<Refactored, StepError> {
        let ran = context.rspec(&self.root, &self.path);
        if let Some(ran) = ran.filter(|ran| !ran.is_success) {
            self.restore(backup)?;
            return Err(StepError::Other(format!(
                "{} fails after the refactoring: {}; it was restored",
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

fn describe_changes(refactored: &RefactoredSpec) -> Vec<String> {
    let counted = |count: usize, what: &str| {
        let s = if count == 1 { "" } else { "s" };
        (count > 0).then(|| format!("{count} {what}{s}"))
    };
    let frozen = refactored
        .is_frozen_now
        .then(|| "frozen string literals added".to_owned());
    [
        counted(refactored.assertions, "assertion"),
        counted(refactored.descriptions, "description"),
        frozen,
    ]
    .into_iter()
    .flatten()
    .collect()
}
