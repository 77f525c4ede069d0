//! A hint about examples that fail because several processes use the same files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use casebook_record::{ExampleData, Run, Status};
use serde_json::Value;

/// The fewest failures that make a pattern.
const MIN_FAILURES: usize = 2;

/// The directory in the project that failures of several workers name, and how many failures do.
pub(super) fn shared_dir(run: &Run, project: &Path) -> Option<(PathBuf, usize)> {
    // An example that cannot be read is reported elsewhere; this is only a hint.
    let examples = run.each_example().filter_map(Result::ok);
    let failed = examples.filter(|example| example.status == Status::Failed);
    let mut dirs: BTreeMap<PathBuf, (usize, BTreeSet<u64>)> = BTreeMap::new();
    for example in failed {
        let Some(worker) = example.metadata.get("worker").and_then(Value::as_u64) else {
            continue;
        };
        for dir in named_dirs(&example, project) {
            let (failures, workers) = dirs.entry(dir).or_default();
            *failures += 1;
            workers.insert(worker);
        }
    }
    let shared = dirs
        .into_iter()
        .filter(|(_, (failures, workers))| *failures >= MIN_FAILURES && workers.len() > 1);
    // Of several directories with the same failures, the innermost.
    let (dir, (failures, _)) =
        shared.max_by_key(|(dir, (failures, _))| (*failures, dir.components().count()))?;
    Some((dir, failures))
}

/// The directories of all files in the project that the failure names, relative to it.
fn named_dirs(example: &ExampleData, project: &Path) -> BTreeSet<PathBuf> {
    let message = example
        .exception
        .as_ref()
        .and_then(|exception| exception.message.as_deref());
    let message = message.unwrap_or_default();
    let prefix = format!("{}/", project.display());
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ',' | ':' | ')' | '>');
    let absolute = message
        .match_indices(&prefix)
        .map(|(index, _)| &message[index + prefix.len()..]);
    let paths = absolute.map(|rest| rest.split(ends).next().unwrap_or_default());
    let dirs = paths.flat_map(|path| Path::new(path).ancestors().skip(1));
    dirs.filter(|dir| !dir.as_os_str().is_empty())
        .map(Path::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use casebook_record::RunData;

    use super::*;

    fn run(failures: &[(u64, &str)]) -> RunData {
        let examples: serde_json::Map<_, _> = failures
            .iter()
            .enumerate()
            .map(|(index, (worker, message))| {
                let id = index.to_string();
                let example = serde_json::json!({"id": id, "status": "failed", "description": "x", "file": "a_spec.rb", "location": "a_spec.rb:1", "started_at": "2026-11-15T08:40:51.000Z",
                    "exception": {"class_name": "E", "message": message}, "metadata": {"worker": worker}});
                (id, example)
            })
            .collect();
        let run = serde_json::json!({"schema_version": "1.0", "run_id": "r", "started_at": "2026-11-15T08:40:51.000Z", "examples": examples});
        serde_json::from_value(run).unwrap()
    }

    fn found(failures: &[(u64, &str)]) -> Option<(PathBuf, usize)> {
        shared_dir(&run(failures), Path::new("/app"))
    }

    #[test]
    fn files_that_failures_of_two_workers_name_are_shared() {
        let failures = [
            (
                1,
                "No such file or directory @ rb_sysopen - /app/spec/sandbox/doc/README",
            ),
            (
                2,
                "The file /app/spec/sandbox/a.rb does not appear to exist",
            ),
            (2, "expected: 1 got: 2"),
        ];
        assert_eq!(found(&failures), Some(("spec/sandbox".into(), 2)));
    }

    #[test]
    fn one_worker_or_other_directories_are_no_pattern() {
        assert_eq!(found(&[(1, "/app/tmp/a"), (1, "/app/tmp/b")]), None);
        assert_eq!(
            found(&[
                (1, "/app/a"),
                (2, "/app/b"),
                (2, "/etc/x/y"),
                (1, "/etc/x/y")
            ]),
            None
        );
        assert_eq!(found(&[(1, "/app/a/x"), (2, "/app/b/x")]), None);
    }
}
