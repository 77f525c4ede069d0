//! `design refactor`: rewrites an old spec in the current style (rule P7). The spec has to pass before and after, and no
//! example that runs is lost.

mod described_source;
mod extend;
mod kept_examples;
mod rewrite;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::backup::Backup;
use super::decision::{discard_or_keep, needs_decision, which_refactoring};
use super::lint::Linter;
use super::skeleton::write;
use super::update::manual_edits;
use super::{ProgramOutput, StepContext, StepError};
use crate::metadata::location::{absolute, find_root};
use crate::outline::{Outline, outline};
use crate::refactor::{RefactoredParts, RefactoredSpec, refactor as refactor_text};
use crate::review::{Review, ReviewContext, review};
use kept_examples::kept_examples;

/// How much of a spec is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refactoring {
    /// Assertions, wording, frozen literals, and what the linter corrects.
    Conservative,
    /// Rewritten from the code. Examples that run are kept.
    Full {
        /// Rewrite even if manual edits are lost.
        discard_handwork: bool,
    },
}

/// Options of `design refactor`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RefactorOptions {
    /// How much is changed; `None` requires a decision.
    pub mode: Option<Refactoring>,
    /// Leave descriptions unchanged.
    pub keeps_wording: bool,
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

/// Whether a refactored spec checks as much as the old one; otherwise why not.
pub type Check<'a> = dyn Fn() -> Result<(), String> + 'a;

/// Refactors a spec that passes. Restores it if it then fails, has fewer examples that pass, or does not pass the check.
pub fn refactor(
    spec: &Path,
    options: RefactorOptions,
    check: &Check<'_>,
    context: &StepContext<'_>,
) -> Result<Refactored, StepError> {
    let mut old = ExistingSpec::read(spec, options.keeps_wording, context)?;
    old.require_groups()?;
    old.passed = old.require_passing(context)?;
    let before = old.review(&old.text);
    let kept = kept_examples(&old.text).len();
    match options.mode {
        None => {
            let question = which_refactoring(&old.shown, before.structural(), kept);
            Ok(Refactored::Decide(needs_decision(&[question])))
        }
        Some(Refactoring::Full { discard_handwork }) if old.needs_decision(discard_handwork) => {
            let question = discard_or_keep(&old.shown, &manual_edits(&old.text));
            Ok(Refactored::Decide(needs_decision(&[question])))
        }
        Some(mode) => {
            let done = old.clone().apply(mode, before.clone(), check, context);
            if !matches!(done, Err(StepError::FailsAfterwards(_))) || !old.gets_frozen()? {
                return done;
            }
            // Code under test may change the strings that the spec passes to it.
            old.freezes_literals = false;
            old.apply(mode, before, check, context).or(done)
        }
    }
}

/// A spec before the refactoring.
#[derive(Clone)]
struct ExistingSpec {
    path: PathBuf,
    /// The path relative to the root.
    shown: String,
    root: PathBuf,
    text: String,
    /// The number of examples that passed; `None` if RSpec did not print it.
    passed: Option<usize>,
    keeps_wording: bool,
    /// Whether the comment `frozen_string_literal` is added.
    freezes_literals: bool,
}

impl ExistingSpec {
    fn read(
        spec: &Path,
        keeps_wording: bool,
        context: &StepContext<'_>,
    ) -> Result<ExistingSpec, StepError> {
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
            passed: None,
            keeps_wording,
            freezes_literals: true,
        })
    }

    /// With examples that run, only blocks are replaced, and those with manual edits are kept.
    fn needs_decision(&self, discards_handwork: bool) -> bool {
        !discards_handwork && !self.has_running_examples() && !manual_edits(&self.text).is_empty()
    }

    fn apply(
        self,
        mode: Refactoring,
        before: Review,
        check: &Check<'_>,
        context: &StepContext<'_>,
    ) -> Result<Refactored, StepError> {
        match mode {
            Refactoring::Conservative => self.refactor_conservatively(before, check, context),
            Refactoring::Full { discard_handwork } => {
                self.rewrite(before, discard_handwork, check, context)
            }
        }
    }

    fn outline(&self) -> Result<Outline, StepError> {
        outline(self.text.as_bytes(), &self.shown).map_err(|source| StepError::Ruby {
            file: self.path.clone(),
            source,
        })
    }

    /// Fails if the file is not a spec: rspec passes a file without examples.
    fn require_groups(&self) -> Result<(), StepError> {
        let outline = self.outline()?;
        if outline.groups.is_empty() && outline.shared.is_empty() {
            return Err(StepError::Other(format!(
                "{} is not a spec: it contains no `describe`; name a file such as spec/models/cart_spec.rb",
                self.shown
            )));
        }
        Ok(())
    }

    /// Fails if the spec does not pass. Otherwise a failure after the refactoring could have another cause. Returns the number
    /// of examples that passed.
    fn require_passing(&self, context: &StepContext<'_>) -> Result<Option<usize>, StepError> {
        match context.rspec(&self.root, &self.path) {
            None => Err(StepError::Other(
                "rspec is not installed; install it, because the spec is run before and after the refactoring"
                    .to_owned(),
            )),
            Some(ran) if !ran.is_success => Err(StepError::Other(format!(
                "{} already fails: {}; fix it first (nothing was changed)",
                self.shown,
                ran.summary()
            ))),
            Some(ran) => Ok(ran.passed()),
        }
    }

    fn review(&self, text: &str) -> Review {
        let review_context = ReviewContext {
            path: &self.shown,
            ..ReviewContext::default()
        };
        review(text, &review_context)
    }

    /// Whether an example runs. It may be defined by a method of the project, so the source alone cannot tell.
    fn has_running_examples(&self) -> bool {
        self.passed.is_some_and(|passed| passed > 0) || !kept_examples(&self.text).is_empty()
    }

    /// Restores the old spec and the previous backup.
    fn restore(&self, backup: Backup) -> Result<(), StepError> {
        write(&self.path, &self.text)?;
        backup.undo()
    }

    fn refactor_conservatively(
        self,
        before: Review,
        check: &Check<'_>,
        context: &StepContext<'_>,
    ) -> Result<Refactored, StepError> {
        let (mut text, mut changes) = self.restyled()?;
        let mut warnings = Vec::new();
        if let Some(linter) = Linter::of(&self.root) {
            let (linted, warning) = linter.autocorrect(&self.root, &self.path, &text, context)?;
            if linted != text {
                changes.push(format!("style corrected by {}", linter.name()));
            }
            text = linted;
            warnings.extend(warning);
        }
        let backup = Backup::of(&self.path, self.text.as_bytes(), context)?;
        write(&self.path, &text)?;
        let written = Written {
            backup,
            changes,
            before,
            warnings,
        };
        self.verify(written, check, context)
    }

    /// The text in the current style, and the changes in words.
    fn restyled(&self) -> Result<(String, Vec<String>), StepError> {
        let refactored = self.refactored()?;
        let changes = describe_changes(&refactored);
        Ok((refactored.text, changes))
    }

    fn refactored(&self) -> Result<RefactoredSpec, StepError> {
        let parts = RefactoredParts {
            wording: !self.keeps_wording,
            literals: self.freezes_literals,
        };
        refactor_text(&self.text, parts).map_err(|source| StepError::Ruby {
            file: self.path.clone(),
            source,
        })
    }

    fn gets_frozen(&self) -> Result<bool, StepError> {
        Ok(self.refactored()?.is_frozen_now)
    }

    /// What is worse in the refactored spec: it fails, or fewer examples pass.
    fn loss(&self, ran: &ProgramOutput) -> Option<String> {
        if !ran.is_success {
            return Some(format!(
                "{} fails after the refactoring: {}",
                self.shown,
                ran.summary()
            ));
        }
        let (before, after) = (self.passed?, ran.passed()?);
        (after < before).then(|| {
            format!(
                "{} has {after} passing examples after the refactoring instead of {before}",
                self.shown
            )
        })
    }

    fn verify(
        self,
        written: Written,
        check: &Check<'_>,
        context: &StepContext<'_>,
    ) -> Result<Refactored, StepError> {
        let ran = context.rspec(&self.root, &self.path);
        let text = fs::read_to_string(&self.path).unwrap_or_default();
        let is_changed = text != self.text;
        let lost = ran
            .and_then(|ran| self.loss(&ran))
            .map(|reason| StepError::FailsAfterwards(format!("{reason}; it was restored")));
        let check = || check().err().filter(|_| is_changed).map(StepError::Other);
        let Written { backup, .. } = written;
        if let Some(error) = lost.or_else(check) {
            self.restore(backup)?;
            return Err(error);
        }
        let kept = backup.path.clone();
        if !is_changed {
            backup.undo()?;
        }
        Ok(Refactored::Done {
            after: self.review(&text),
            spec: self.path,
            backup: is_changed.then_some(kept),
            changes: written.changes,
            before: written.before,
            warnings: written.warnings,
        })
    }
}

/// A refactored spec that is not verified yet.
struct Written {
    backup: Backup,
    /// The changes in words.
    changes: Vec<String>,
    /// The review of the old spec.
    before: Review,
    /// Warnings for the user.
    warnings: Vec<String>,
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
