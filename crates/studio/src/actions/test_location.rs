//! Where a recorded test is, if that is a file of the project.
//!
//! A record can come from anywhere, so what it says is not trusted: its command lines are not run, and a location counts only
//! if it names a file below the project's directory.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use casebook_record::{ExampleData, Time, hex_of_sha256};
use serde_json::Value;

use crate::project::Project;

/// The file and line of a test.
pub(crate) struct TestLocation {
    /// Relative to the project's directory.
    file: PathBuf,
    line: u64,
    /// The digest of the suite that was run, which only suites have.
    digest: Option<String>,
    started_at: Time,
}

impl TestLocation {
    /// The location of a test of this run.
    pub(crate) fn find(project: &Project, run: &str, test: &str) -> Result<TestLocation, String> {
        let json = match project.live.get(run) {
            Some(live) => live.example(test).map_err(|error| error.to_string())?,
            None => project
                .stored
                .open(project, run)?
                .example(test)
                .transpose()
                .map_err(|error| error.to_string())?,
        };
        let json = json.ok_or("unknown test")?;
        let example: ExampleData =
            serde_json::from_slice(&json).map_err(|error| error.to_string())?;
        let (file, line) = example
            .location
            .rsplit_once(':')
            .ok_or("the record does not say where the test is")?;
        let line = line
            .parse()
            .map_err(|_| "the record does not say in which line the test is")?;
        let file = in_project(&project.dir, file)
            .ok_or_else(|| format!("{file} is not a file of this project"))?;
        let digest = example.metadata.get("suite_digest").and_then(Value::as_str);
        Ok(TestLocation {
            file,
            line,
            digest: digest.map(str::to_owned),
            started_at: example.started_at,
        })
    }

    pub(crate) fn is_spec(&self) -> bool {
        is_ruby(&self.file)
    }

    /// Whether the suite has changed since the test was run. That of a suite with other files has another digest than its text,
    /// so it must also have been written later.
    pub(crate) fn has_changed(&self, project: &Project) -> bool {
        let path = self.path(project);
        let is_newer = || {
            let modified = fs::metadata(&path).and_then(|file| file.modified()).ok()?;
            let modified = modified.duration_since(UNIX_EPOCH).ok()?.as_millis();
            Some(i64::try_from(modified).ok()? > self.started_at.as_millis())
        };
        let text = fs::read(&path).unwrap_or_default();
        let digest = hex_of_sha256(&text, 16);
        let is_other = self.digest.as_ref().is_some_and(|run| *run != digest);
        is_other && is_newer().unwrap_or(false)
    }

    /// The file, which is not mistaken for an option.
    pub(crate) fn file_argument(&self) -> String {
        let file = self.file.display().to_string();
        let prefix = if file.starts_with('-') { "./" } else { "" };
        format!("{prefix}{file}")
    }

    /// `FILE:LINE`.
    pub(crate) fn argument(&self) -> String {
        format!("{}:{}", self.file_argument(), self.line)
    }

    /// The file, relative to the project's directory.
    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    pub(crate) fn path(&self, project: &Project) -> PathBuf {
        project.dir.join(&self.file)
    }

    pub(crate) fn line(&self) -> u64 {
        self.line
    }
}

fn is_ruby(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "rb")
}

/// The path relative to the directory, if there is such a file below it, after following links.
pub(crate) fn in_project(dir: &Path, file: &str) -> Option<PathBuf> {
    let root = dir.canonicalize().ok()?;
    let path = root.join(file).canonicalize().ok()?;
    let relative = path.strip_prefix(&root).ok()?;
    path.is_file().then(|| relative.to_owned())
}

/// Whether the run was one of RSpec.
pub(crate) fn is_of_rspec(project: &Project, run: &str) -> Result<bool, String> {
    let run = project.stored.open(project, run)?;
    let first = run.run.each_example().next();
    let first = first.transpose().map_err(|error| error.to_string())?;
    Ok(first.is_some_and(|example| is_ruby(Path::new(&example.file))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_the_project_count() {
        let dir = tempfile::tempdir().unwrap();
        let project = dir.path().join("project");
        std::fs::create_dir_all(project.join("tests")).unwrap();
        std::fs::write(project.join("tests/-a.yaml"), "").unwrap();
        std::fs::write(dir.path().join("secret"), "").unwrap();
        std::os::unix::fs::symlink(dir.path().join("secret"), project.join("link")).unwrap();
        assert_eq!(
            in_project(&project, "tests/../tests/-a.yaml"),
            Some("tests/-a.yaml".into())
        );
        for outside in ["../secret", "link", "/etc/passwd", "tests", "missing", ""] {
            assert_eq!(in_project(&project, outside), None, "{outside}");
        }
    }
}
