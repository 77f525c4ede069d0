//! Snapshots: accepted output.

use std::fs;
use std::io;
use std::path::Path;

use super::CheckResult;
use crate::budget::OutputBudget;
use crate::options::SnapshotMode;
use crate::os::atomic_file;
use crate::shell::capture::trimmed;

/// Compares the output with the snapshot. Writes a missing or different snapshot if `mode` allows.
pub(super) fn check(
    path: &Path,
    name: &str,
    mode: SnapshotMode,
    text: &[u8],
    budget: &OutputBudget,
) -> CheckResult {
    let accepted = match fs::read(path) {
        Ok(accepted) => Some(accepted),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => {
            return problem(name, format!("cannot read {name}: {error}")).with_actual(text, budget);
        }
    };
    match (accepted, mode) {
        (Some(accepted), _) if trimmed(&accepted) == text => {
            unchanged(name, &accepted).with_actual(text, budget)
        }
        (None, SnapshotMode::New | SnapshotMode::Update) | (Some(_), SnapshotMode::Update) => {
            written(path, name, text, budget)
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
            let (expected, _) = budget.excerpt(trimmed(&accepted));
            let result = CheckResult {
                expected: Some(expected.into()),
                ..problem(name, differs)
            };
            result.with_actual(text, budget)
        }
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
    match atomic_file::write(path, text) {
        Ok(()) => CheckResult {
            more: vec![("snapshot", name.into()), ("written", true.into())],
            ..CheckResult::default()
        },
        Err(error) => {
            problem(name, format!("cannot write {name}: {error}")).with_actual(text, budget)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_and_different_snapshots_are_written_if_allowed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("deep/a.snap");
        let passes = |mode, text: &str| {
            check(
                &path,
                "a.snap",
                mode,
                text.as_bytes(),
                &OutputBudget::default(),
            )
            .problem
            .is_none()
        };
        assert!(!passes(SnapshotMode::Keep, "one"));
        assert!(passes(SnapshotMode::New, "one"));
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\n");
        assert!(passes(SnapshotMode::Keep, "one"));
        assert!(!passes(SnapshotMode::New, "two"));
        assert!(passes(SnapshotMode::Update, "two"));
        assert!(passes(SnapshotMode::Keep, "two"));
    }
}
