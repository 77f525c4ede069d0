//! Demands on files.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

use casebook_suite::model::FileCheck;

use super::{CheckResult, quoted, text};
use crate::budget::OutputBudget;
use crate::shell::capture::Captured;

/// No more of a file is looked at.
const LIMIT: usize = 10 << 20;

/// The demand in a few words, behind the field's name.
pub(super) fn description(path: &str, check: &FileCheck) -> String {
    let demand = match check {
        FileCheck::Exists(true) => " exists".to_owned(),
        FileCheck::Exists(false) => " does not exist".to_owned(),
        FileCheck::Content(check) => {
            format!(" {}{}", text::verb(check), text::description(check))
        }
    };
    format!(" {}{demand}", quoted(path))
}

/// Whether the file is as demanded.
pub(super) fn check(
    path: &Path,
    name: &str,
    check: &FileCheck,
    budget: &OutputBudget,
) -> CheckResult {
    let mut finding = match check {
        FileCheck::Exists(expected) => exists(path, name, *expected),
        FileCheck::Content(check) => match read(path) {
            Ok(content) => text::check(name, check, content.text(), budget),
            Err(error) => CheckResult {
                problem: Some(unreadable(name, &error)),
                ..CheckResult::default()
            },
        },
    };
    finding.more.push(("path", name.into()));
    finding
}

fn exists(path: &Path, name: &str, expected: bool) -> CheckResult {
    // A link to nowhere is nothing, as for `[ -e … ]`.
    let actual = fs::metadata(path).is_ok();
    let problem = (actual != expected).then(|| {
        if expected {
            format!("{name} does not exist")
        } else {
            format!("{name} exists")
        }
    });
    CheckResult {
        problem,
        expected: Some(expected.into()),
        actual: Some(actual.into()),
        ..CheckResult::default()
    }
}

fn unreadable(name: &str, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => format!("{name} does not exist"),
        io::ErrorKind::IsADirectory => format!("{name} is a folder"),
        _ => format!("{name} cannot be read: {error}"),
    }
}

/// Read as output is: a pipe would never end, so only what is a file is read.
fn read(path: &Path) -> io::Result<Captured> {
    let metadata = fs::metadata(path)?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !metadata.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?
        .take(LIMIT as u64)
        .read_to_end(&mut bytes)?;
    let mut content = Captured::default();
    content.take(&bytes, LIMIT);
    Ok(content)
}
