//! Snapshots: accepted output.

use std::fs;
use std::io;
use std::path::Path;

use casebook_record::{Redactor, io_reason};
use casebook_suite::snapshot::DIRECTORY;

use super::{CheckResult, Normalizers};
use crate::budget::OutputBudget;
use crate::options::SnapshotMode;
use crate::os::atomic_file;
use crate::shell::capture::trimmed;

/// A snapshot, and what changes its text and the output before they are compared.
pub(super) struct Accepted<'a> {
    pub(super) path: &'a Path,
    /// Its name in messages.
    pub(super) name: &'a str,
    pub(super) redactor: &'a Redactor,
    pub(super) normalizers: &'a Normalizers,
}

impl Accepted<'_> {
    /// Compares the output with the snapshot, both without secrets and normalized. Writes a missing or different snapshot if
    /// `mode` allows.
    pub(super) fn check(
        &self,
        mode: SnapshotMode,
        output: &[u8],
        budget: &OutputBudget,
    ) -> CheckResult {
        let redacted = self.redactor.bytes(output);
        let text = match self.normalizers.apply(&redacted) {
            Ok(text) => text,
            Err(error) => {
                return problem(self.name, format!("`normalize`: {error}"))
                    .with_actual(&redacted, budget);
            }
        };
        self.compare(mode, &text, budget)
            .with_unnormalized(&redacted, &text, budget)
    }

    fn compare(&self, mode: SnapshotMode, text: &[u8], budget: &OutputBudget) -> CheckResult {
        let name = self.name;
        let accepted = match fs::read(self.path) {
            Ok(accepted) => Some(accepted),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => {
                let message = format!("cannot read {name}: {}", io_reason(&error));
                return problem(name, message).with_actual(text, budget);
            }
        };
        match (accepted, mode) {
            (Some(accepted), _) if trimmed(&accepted) == text => {
                unchanged(name, &accepted).with_actual(text, budget)
            }
            // An older version wrote the secret, or there was no normalizer yet. It stays until the snapshot is updated.
            (Some(accepted), SnapshotMode::New | SnapshotMode::Keep)
                if self.shown(&accepted) == text =>
            {
                unchanged(name, text).with_actual(text, budget)
            }
            (None, SnapshotMode::New | SnapshotMode::Update) | (Some(_), SnapshotMode::Update) => {
                written(self.path, name, text, budget)
            }
            (None, SnapshotMode::Keep) => {
                let missing = format!(
                    "{name} does not exist and is not written in CI; run the test once without CI and commit the file"
                );
                problem(name, missing).with_actual(text, budget)
            }
            (Some(accepted), SnapshotMode::New | SnapshotMode::Keep) => {
                let differs =
                    "output differs from the snapshot; run with --update to accept it".to_owned();
                let (expected, _) = budget.excerpt(&self.shown(&accepted));
                let result = CheckResult {
                    expected: Some(expected.into()),
                    ..problem(name, differs)
                };
                result.with_actual(text, budget)
            }
        }
    }

    /// The accepted text without secrets, normalized.
    fn shown(&self, accepted: &[u8]) -> Vec<u8> {
        let redacted = self.redactor.bytes(trimmed(accepted));
        let normalized = self.normalizers.apply(&redacted);
        normalized.map_or_else(|_| redacted.to_vec(), std::borrow::Cow::into_owned)
    }
}

fn problem(name: &str, problem: String) -> CheckResult {
    CheckResult {
        problem: Some(problem),
        more: vec![("snapshot", name.into())],
        ..CheckResult::default()
    }
}

fn unchanged(name: &str, accepted: &[u8]) -> CheckResult {
    let (expected, is_truncated) = crate::excerpt::excerpt_of(trimmed(accepted), super::SHORT);
    CheckResult {
        expected: (!is_truncated).then(|| expected.into()),
        more: vec![("snapshot", name.into())],
        ..CheckResult::default()
    }
}

fn written(path: &Path, name: &str, text: &[u8], budget: &OutputBudget) -> CheckResult {
    match write(path, text) {
        Ok(()) => CheckResult {
            more: vec![("snapshot", name.into()), ("written", true.into())],
            ..CheckResult::default()
        },
        Err(error) => problem(name, format!("cannot write {name}: {}", io_reason(&error)))
            .with_actual(text, budget),
    }
}

/// Writes a snapshot and a final newline, completely or not at all, unless a symbolic link leads out of the directory of snapshots.
pub fn write(path: &Path, text: &[u8]) -> io::Result<()> {
    if leads_outside(path) {
        let outside =
            format!("a symbolic link leads out of {DIRECTORY}; replace it with a directory");
        return Err(io::Error::other(outside));
    }
    atomic_file::write(path, text)
}

/// Whether a symbolic link below the directory of snapshots leads to another directory. The directory itself may be a link.
fn leads_outside(path: &Path) -> bool {
    let root = path.ancestors().find(|dir| dir.ends_with(DIRECTORY));
    let existing = path.ancestors().skip(1).find(|dir| dir.exists());
    let real = |dir: &Path| fs::canonicalize(dir).ok();
    match (root.and_then(real), existing.and_then(real)) {
        (Some(root), Some(existing)) => !existing.starts_with(&root),
        // Nothing exists yet.
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes(path: &Path, mode: SnapshotMode, text: &[u8], redactor: &Redactor) -> bool {
        let budget = OutputBudget::default();
        let accepted = Accepted {
            path,
            name: "a.snap",
            redactor,
            normalizers: &Normalizers::none(),
        };
        accepted.check(mode, text, &budget).problem.is_none()
    }

    #[test]
    fn secrets_are_neither_written_nor_compared() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.snap");
        let redactor = Redactor::of(["s3cr3t-value"]);
        assert!(passes(
            &path,
            SnapshotMode::New,
            b"it is s3cr3t-value",
            &redactor
        ));
        assert_eq!(fs::read_to_string(&path).unwrap(), "it is [redacted]\n");
        let other = Redactor::of(["another-value"]);
        assert!(passes(
            &path,
            SnapshotMode::Keep,
            b"it is another-value",
            &other
        ));
        assert!(!passes(
            &path,
            SnapshotMode::Keep,
            b"it was another-value",
            &other
        ));
        // Written by an older version.
        fs::write(&path, "it is s3cr3t-value\n").unwrap();
        assert!(passes(
            &path,
            SnapshotMode::Keep,
            b"it is s3cr3t-value",
            &redactor
        ));
        assert!(passes(
            &path,
            SnapshotMode::Update,
            b"it is s3cr3t-value",
            &redactor
        ));
        assert_eq!(fs::read_to_string(&path).unwrap(), "it is [redacted]\n");
        // Output that is not UTF-8 is kept.
        assert!(passes(&path, SnapshotMode::Update, b"caf\xe9", &redactor));
        assert_eq!(fs::read(&path).unwrap(), b"caf\xe9\n");
    }

    #[test]
    fn a_symbolic_link_does_not_lead_out_of_the_directory() {
        let dir = tempfile::tempdir().unwrap();
        let (snapshots, outside) = (dir.path().join(DIRECTORY), dir.path().join("outside"));
        fs::create_dir_all(snapshots.join("a")).unwrap();
        fs::create_dir(&outside).unwrap();
        std::os::unix::fs::symlink(&outside, snapshots.join("a/link")).unwrap();
        let none = Redactor::default();
        assert!(!passes(
            &snapshots.join("a/link/x.snap"),
            SnapshotMode::New,
            b"x",
            &none
        ));
        assert!(!passes(
            &snapshots.join("a/link/deep/x.snap"),
            SnapshotMode::New,
            b"x",
            &none
        ));
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
        assert!(passes(
            &snapshots.join("a/new/x.snap"),
            SnapshotMode::New,
            b"x",
            &none
        ));
    }

    #[test]
    fn missing_and_different_snapshots_are_written_if_allowed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("deep/a.snap");
        let none = Redactor::default();
        let passes = |mode, text: &str| passes(&path, mode, text.as_bytes(), &none);
        assert!(!passes(SnapshotMode::Keep, "one"));
        assert!(passes(SnapshotMode::New, "one"));
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\n");
        assert!(passes(SnapshotMode::Keep, "one"));
        assert!(!passes(SnapshotMode::New, "two"));
        assert!(passes(SnapshotMode::Update, "two"));
        assert!(passes(SnapshotMode::Keep, "two"));
    }
}
