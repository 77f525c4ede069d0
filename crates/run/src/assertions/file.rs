//! Assertions on files.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use casebook_record::io_reason;
use casebook_suite::model::FileCheck;

use super::{CheckResult, quoted, shortened, text};
use crate::shell::capture::Captured;

/// At most this many bytes of a file are checked.
const LIMIT: usize = 10 << 20;

/// Describes the assertion, to follow the field's name.
pub(super) fn description(path: &str, check: &FileCheck) -> String {
    let condition = match check {
        FileCheck::Exists(true) => " exists".to_owned(),
        FileCheck::Exists(false) => " does not exist".to_owned(),
        FileCheck::Content(check) => {
            format!(" {}{}", text::verb(check), text::description(check))
        }
        FileCheck::EqualsFolder(folder) => format!(" equals the directory {}", quoted(folder)),
        FileCheck::Mode(mode) => format!(" has the mode {mode:04o}"),
        FileCheck::Json { pointer, expected } => {
            format!(" {pointer} equals {}", shortened(&expected.to_string()))
        }
    };
    format!(" {}{condition}", quoted(path))
}

/// Checks whether the file exists.
pub(super) fn exists(path: &Path, name: &str, expected: bool) -> CheckResult {
    // A broken symbolic link does not exist, as for `[ -e … ]`.
    let actual = fs::metadata(path).is_ok();
    let problem = (actual != expected).then(|| {
        if expected {
            format!("{name} does not exist")
        } else {
            format!("{name} exists, but must not")
        }
    });
    CheckResult {
        problem,
        expected: Some(expected.into()),
        actual: Some(actual.into()),
        ..CheckResult::default()
    }
}

/// The text of a file, or why it cannot be read.
pub(super) fn content(path: &Path, name: &str) -> Result<Captured, String> {
    read(path).map_err(|error| unreadable(name, &error))
}

/// Checks the permissions.
pub(super) fn mode(path: &Path, name: &str, expected: u32) -> CheckResult {
    const PERMISSIONS: u32 = 0o7777;
    let actual = fs::metadata(path).map(|metadata| metadata.mode() & PERMISSIONS);
    let octal = |mode: u32| format!("{mode:04o}");
    let problem = match &actual {
        Ok(actual) if *actual == expected => None,
        Ok(actual) => {
            let (actual, expected) = (octal(*actual), octal(expected));
            Some(format!(
                "{name} has the mode {actual} instead of {expected}"
            ))
        }
        Err(error) => Some(unreadable(name, error)),
    };
    CheckResult {
        problem,
        expected: Some(octal(expected).into()),
        actual: actual.ok().map(|actual| octal(actual).into()),
        ..CheckResult::default()
    }
}

fn unreadable(name: &str, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => format!("{name} does not exist"),
        io::ErrorKind::IsADirectory => format!("{name} is a directory"),
        _ => format!("cannot read {name}: {}", io_reason(error)),
    }
}

/// Reads a file like output. Only regular files are read, because reading a pipe might never end.
fn read(path: &Path) -> io::Result<Captured> {
    let metadata = fs::metadata(path)?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !metadata.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?
        .take(LIMIT as u64)
        .read_to_end(&mut bytes)?;
    let mut content = Captured::default();
    content.take(&bytes, LIMIT);
    Ok(content)
}
