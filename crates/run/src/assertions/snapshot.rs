//! Output that was accepted before.

use std::fs;
use std::io;
use std::path::Path;

use super::CheckResult;
use crate::budget::OutputBudget;
use crate::options::SnapshotMode;
use crate::os::atomic_file;
use crate::shell::capture::trimmed;

/// Whether the output is the accepted one; one that is missing or outdated is written where that is wanted.
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
            return problem(name, format!("{name} cannot be read: {error}"))
                .with_actual(text, budget);
        }
    };
    match (accepted, mode) {
        (Some(accepted), _) if trimmed(&accepted) == text => {
            problem_free(name, &accepted).with_actual(text, budget)
        }
        (None, SnapshotMode::New | SnapshotMode::Update) | (Some(_), SnapshotMode::Update) => {
            written(path, name, text, budget)
        }
        (None, SnapshotMode::Keep) => {
            let missing = format!(
                "{name} does not exist, and CI writes none: run it once without CI and commit the file"
            );
            problem(name, missing).with_actual(text, budget)
        }
        (Some(accepted), SnapshotMode::New | SnapshotMode::Keep) => {
            let differs = "output differs from the snapshot; --update accepts it".to_owned();
            let (expected, _) = budget.excerpt(trimmed(&accepted));
            let finding = CheckResult {
                expected: Some(expected.into()),
                ..problem(name, differs)
            };
            finding.with_actual(text, budget)
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

fn problem_free(name: &str, accepted: &[u8]) -> CheckResult {
    let (expected, is_cut) = crate::excerpt::excerpt_of(trimmed(accepted), super::SHORT);
    CheckResult {
        expected: (!is_cut).then(|| expected.into()),
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
            problem(name, format!("{name} cannot be written: {error}")).with_actual(text, budget)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_or_different_is_written_where_that_is_wanted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/a.snap");
        let find = |mode, text: &str| {
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
        assert!(!find(SnapshotMode::Keep, "one"));
        assert!(find(SnapshotMode::New, "one"));
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\n");
        assert!(find(SnapshotMode::Keep, "one"));
        assert!(!find(SnapshotMode::New, "two"));
        assert!(find(SnapshotMode::Update, "two"));
        assert!(find(SnapshotMode::Keep, "two"));
    }
}
