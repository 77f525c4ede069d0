//! Writes a run as results of Allure: a directory with one JSON file per attempt at a test, and the texts they refer to.
//!
//! Names of files depend only on the run and the test, so writing a run again replaces its files. Results of other runs
//! in the directory are left alone; Allure merges them.

mod attachment;
mod result;

use std::fs;
use std::io;
use std::path::Path;

use casebook_record::{ExampleData, Run, hex_of_sha256};

use crate::test_row::earlier_attempts;

/// Writes the results into a directory, which is created if necessary.
pub fn write(run: &Run, dir: &Path) -> io::Result<()> {
    fs::create_dir_all(dir)?;
    for example in run.each_example() {
        let example = &*example?;
        let earlier = earlier_attempts(example);
        for (attempt, number) in earlier.iter().chain([example]).zip(1..) {
            write_attempt(run, example, (attempt, number), dir)?;
        }
    }
    if let Some(commit) = &run.git_commit {
        let environment = format!("git_commit = {commit}\nrun = {}\n", run.run_id);
        fs::write(dir.join("environment.properties"), environment)?;
    }
    Ok(())
}

fn write_attempt(
    run: &Run,
    example: &ExampleData,
    (attempt, number): (&ExampleData, usize),
    dir: &Path,
) -> io::Result<()> {
    let uuid = uuid(&format!("{}\n{}\n{number}", run.run_id, example.id));
    let attachments = attachment::write_all(attempt, &uuid, dir)?;
    let result = result::of(example, attempt, &uuid, &attachments);
    let file = fs::File::create(dir.join(format!("{uuid}-result.json")))?;
    Ok(serde_json::to_writer(file, &result)?)
}

/// A UUID of version 8 from a hash of this text.
fn uuid(text: &str) -> String {
    let hex = hex_of_sha256(text.as_bytes(), 32);
    let (time, rest) = hex.split_at(8);
    format!(
        "{time}-{}-8{}-8{}-{}",
        &rest[..4],
        &rest[5..8],
        &rest[9..12],
        &rest[12..]
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uuid_has_the_form_of_version_8() {
        let id = uuid("a");
        let groups: Vec<_> = id.split('-').map(str::len).collect();
        assert_eq!(groups, [8, 4, 4, 4, 12]);
        assert_eq!((&id[14..15], &id[19..20]), ("8", "8"));
        assert_ne!(uuid("b"), id);
    }
}
