//! Output that was accepted before.

use std::fs;
use std::io;
use std::path::Path;

use super::Finding;
use crate::budget::Budget;
use crate::options::Snapshots;
use crate::os::atomic_file;
use crate::shell::capture::trimmed;

/// Whether the output is the accepted one; one that is missing or outdated is written where that is wanted.
pub(super) fn find(
    path: &Path,
    name: &str,
    mode: Snapshots,
    text: &[u8],
    budget: &Budget,
) -> Finding {
    let accepted = match fs::read(path) {
        Ok(accepted) => Some(accepted),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => {
            return problem(name, format!("{name} cannot be read: {error}")).about(text, budget);
        }
    };
    match (accepted, mode) {
        (Some(accepted), _) if trimmed(&accepted) == text => {
            problem_free(name, &accepted).about(text, budget)
        }
        (None, Snapshots::New | Snapshots::Update) | (Some(_), Snapshots::Update) => {
            written(path, name, text, budget)
        }
        (None, Snapshots::Keep) => {
            let missing = format!(
                "{name} does not exist, and CI writes none: run it once without CI and commit the file"
            );
            problem(name, missing).about(text, budget)
        }
        (Some(accepted), Snapshots::New | Snapshots::Keep) => {
            let differs = "output differs from the snapshot; --update accepts it".to_owned();
            let (expected, _) = budget.excerpt(trimmed(&accepted));
            let finding = Finding {
                expected: Some(expected.into()),
                ..problem(name, differs)
            };
            finding.about(text, budget)
        }
    }
}

fn problem(name: &str, problem: String) -> Finding {
    Finding {
        problem: Some(problem),
        more: vec![("snapshot", name.into())],
        ..Finding::default()
    }
}

fn problem_free(name: &str, accepted: &[u8]) -> Finding {
    let (expected, is_cut) = crate::excerpt::excerpt_of(trimmed(accepted), super::SHORT);
    Finding {
        expected: (!is_cut).then(|| expected.into()),
        more: vec![("snapshot", name.into())],
        ..Finding::default()
    }
}

fn written(path: &Path, name: &str, text: &[u8], budget: &Budget) -> Finding {
    match atomic_file::write(path, text) {
        Ok(()) => Finding {
            more: vec![("snapshot", name.into()), ("written", true.into())],
            ..Finding::default()
        },
        Err(error) => {
            problem(name, format!("{name} cannot be written: {error}")).about(text, budget)
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
            find(&path, "a.snap", mode, text.as_bytes(), &Budget::default())
                .problem
                .is_none()
        };
        assert!(!find(Snapshots::Keep, "one"));
        assert!(find(Snapshots::New, "one"));
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\n");
        assert!(find(Snapshots::Keep, "one"));
        assert!(!find(Snapshots::New, "two"));
        assert!(find(Snapshots::Update, "two"));
        assert!(find(Snapshots::Keep, "two"));
    }
}
