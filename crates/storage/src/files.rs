//! Which files of a record are stored: `run.json`, the complete output of failed tests, and reviews. The journal is not: it
//! contains nothing that `run.json` does not.

use std::fs;
use std::path::{Path, PathBuf};

/// The name under which `run.json` is uploaded.
pub(crate) const RUN_FILE: &str = "run.json.zst";
/// The names that it may have, as other programs can copy records too.
const RUN_FILES: [&str; 3] = [RUN_FILE, "run.json", "run.json.gz"];
/// The directory of the complete output.
const OUTPUT: &str = "output";
const REVIEWS: &str = "reviews.jsonl";

/// The files of a record besides `run.json`, by their names relative to its directory.
pub(crate) fn beside_run_file(dir: &Path) -> Vec<(String, PathBuf)> {
    let entries = fs::read_dir(dir.join(OUTPUT)).into_iter().flatten();
    let outputs = entries.filter_map(|entry| {
        let entry = entry.ok()?;
        let name = entry.file_name().into_string().ok()?;
        Some((format!("{OUTPUT}/{name}"), entry.path()))
    });
    let reviews = (REVIEWS.to_owned(), dir.join(REVIEWS));
    let mut files: Vec<_> = outputs
        .chain([reviews])
        .filter(|(name, path)| is_of_record(name) && path.is_file())
        .collect();
    files.sort();
    files
}

/// Whether a file with this name, relative to a record, is part of it. Nothing else is written when a record is copied from a
/// server.
pub(crate) fn is_of_record(name: &str) -> bool {
    match name.split_once('/') {
        Some((OUTPUT, file)) => !file.is_empty() && !file.starts_with('.') && !file.contains('/'),
        Some(_) => false,
        None => name == REVIEWS || is_run_file(name),
    }
}

/// Whether this is the file that makes a record complete.
pub(crate) fn is_run_file(name: &str) -> bool {
    RUN_FILES.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_files_belong_to_a_record() {
        for name in ["run.json", "run.json.zst", "reviews.jsonl", "output/a.txt"] {
            assert!(is_of_record(name), "{name}");
        }
        for name in [
            "",
            ".bashrc",
            "events.jsonl",
            "output",
            "output/",
            "output/.x",
            "output/../x",
            "output/a/b",
            "other/a",
        ] {
            assert!(!is_of_record(name), "{name}");
        }
    }
}
