//! The lines of a test in its suite, with the problems that `casebook check` reports there, and when the suite last changed.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde::Serialize;
use serde_json::Value;

use crate::actions::{TestLocation, output_of};
use crate::project::Project;

/// A longer test is cut off.
const MAX_LINES: usize = 80;

/// A test in its file.
#[derive(Debug, Serialize)]
pub(crate) struct TestSource {
    file: String,
    /// The number of the first line.
    line: usize,
    lines: Vec<String>,
    /// As in `casebook check --format json`.
    problems: Vec<Value>,
    /// Problems elsewhere in the file.
    other_problems: usize,
    changed: Option<LastChange>,
}

/// The last commit that changed a file.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct LastChange {
    commit: String,
    time: String,
    subject: String,
    /// Whether the file has changed since.
    is_modified: bool,
}

/// The lines of a test of this run; the error is for the user.
pub(crate) fn of(project: &Project, run: &str, test: &str) -> Result<TestSource, String> {
    let location = TestLocation::find(project, run, test)?;
    let bytes = fs::read(location.path(project)).map_err(|error| error.to_string())?;
    let source = project.redactor.text(&String::from_utf8_lossy(&bytes));
    let line = usize::try_from(location.line()).unwrap_or_default().max(1);
    let lines = block(&source, line);
    let problems = if location.is_spec() {
        Vec::new()
    } else {
        problems(project, &location)
    };
    let is_here = |problem: &Value| {
        let at = problem["line"].as_u64().and_then(|at| at.try_into().ok());
        at.is_some_and(|at: usize| (line..line + lines.len()).contains(&at))
    };
    let (here, elsewhere): (Vec<_>, Vec<_>) = problems.into_iter().partition(is_here);
    Ok(TestSource {
        file: location.file().display().to_string(),
        line,
        lines,
        problems: here,
        other_problems: elsewhere.len(),
        changed: last_change(&project.dir, location.file()),
    })
}

/// The lines that belong to the one at this number: those that are indented more, and the line that ends a block of Ruby.
fn block(text: &str, line: usize) -> Vec<String> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut rest = text.lines().skip(line - 1);
    let Some(first) = rest.next() else {
        return Vec::new();
    };
    let mut lines = vec![first.to_owned()];
    for line in rest.take(MAX_LINES - 1) {
        if !line.trim().is_empty() && indent(line) <= indent(first) {
            lines.extend((line.trim() == "end").then(|| line.to_owned()));
            break;
        }
        lines.push(line.to_owned());
    }
    while lines.last().is_some_and(|line| line.trim().is_empty()) {
        lines.pop();
    }
    lines
}

fn problems(project: &Project, location: &TestLocation) -> Vec<Value> {
    let arguments = ["check", &location.file_argument(), "--format", "json"];
    let checked = output_of(&*project.launcher, &arguments);
    let problems = checked.map(|mut report| report["problems"].take());
    match problems {
        Ok(Value::Array(problems)) => problems,
        _ => Vec::new(),
    }
}

/// What git says; `None` without git, and for a file that it does not know.
fn last_change(dir: &Path, file: &Path) -> Option<LastChange> {
    let git = |arguments: &[&str]| {
        let output = Command::new("git")
            .args(arguments)
            .arg("--")
            .arg(file)
            .current_dir(dir)
            // It would refresh its index.
            .env("GIT_OPTIONAL_LOCKS", "0")
            .output();
        let output = output.ok().filter(|output| output.status.success())?;
        String::from_utf8(output.stdout).ok()
    };
    let last = git(&["log", "-1", "--format=%h%x00%cI%x00%s"])?;
    let mut parts = last.trim_end().split('\0').map(str::to_owned);
    Some(LastChange {
        commit: parts.next().filter(|commit| !commit.is_empty())?,
        time: parts.next()?,
        subject: parts.next()?,
        is_modified: git(&["status", "--porcelain"]).is_some_and(|status| !status.is_empty()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_what_is_indented_more() {
        let suite = "tests:\n  - name: a\n    command: |\n      x\n\n      y\n\n  - name: b\n";
        assert_eq!(
            block(suite, 2),
            ["  - name: a", "    command: |", "      x", "", "      y"]
        );
        assert_eq!(block(suite, 8), ["  - name: b"]);
        let spec = "describe do\n  it 'a' do\n    x\n  end\n\n  it 'b' do\n  end\nend\n";
        assert_eq!(block(spec, 2), ["  it 'a' do", "    x", "  end"]);
        assert_eq!(block(spec, 99), Vec::<String>::new());
    }

    #[test]
    fn the_last_commit_of_a_file_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let git = |arguments: &[&str]| {
            let mut command = Command::new("git");
            command.args(["-c", "user.name=a", "-c", "user.email=a@b.example"]);
            let status = command.args(arguments).current_dir(dir.path()).status();
            assert!(status.unwrap().success());
        };
        let file = Path::new("a.yaml");
        fs::write(dir.path().join(file), "1").unwrap();
        assert_eq!(last_change(dir.path(), file), None);
        git(&["init", "--quiet"]);
        assert_eq!(last_change(dir.path(), file), None);
        git(&["add", "a.yaml"]);
        git(&["commit", "--quiet", "-m", "first: text"]);
        let change = last_change(dir.path(), file).unwrap();
        assert_eq!(
            (&*change.subject, change.is_modified),
            ("first: text", false)
        );
        fs::write(dir.path().join(file), "2").unwrap();
        assert!(last_change(dir.path(), file).unwrap().is_modified);
    }
}
