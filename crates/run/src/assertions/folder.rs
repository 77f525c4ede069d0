//! Comparison of folders: names, types, contents and executable bits.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use casebook_record::io_reason;

use super::{CheckResult, Normalizers, shortened};

/// An entry of a folder.
#[derive(Debug, PartialEq, Eq)]
enum Entry {
    Folder,
    Link(String),
    File {
        executable: bool,
        content: Vec<u8>,
    },
    /// A pipe, a socket or a device.
    Special,
}

type Entries = BTreeMap<String, Entry>;

/// Compares a folder with the expected one; both have a path and a name for messages. The contents of files are normalized.
pub(super) fn check(
    actual: (&Path, &str),
    expected: (&Path, &str),
    normalizers: &Normalizers,
) -> CheckResult {
    let ((path, name), (expected_path, expected_name)) = (actual, expected);
    let unreadable = |name: &str, error: &io::Error| CheckResult {
        problem: Some(match error.kind() {
            io::ErrorKind::NotFound => format!("{name} does not exist"),
            io::ErrorKind::NotADirectory => format!("{name} is not a directory"),
            _ => format!("cannot read {name}: {}", io_reason(error)),
        }),
        ..CheckResult::default()
    };
    let expected = match entries(expected_path, normalizers) {
        Ok(entries) => entries,
        Err(error) => return unreadable(expected_name, &error),
    };
    let actual = match entries(path, normalizers) {
        Ok(entries) => entries,
        Err(error) => return unreadable(name, &error),
    };
    let differences = Differences::of(&actual, &expected);
    let problem = differences.describe();
    CheckResult {
        problem: problem.map(|problem| format!("{name} differs from {expected_name}: {problem}")),
        expected: Some(differences.listing(&expected).into()),
        actual: Some(differences.listing(&actual).into()),
        more: vec![("expected_folder", expected_name.into())],
        ..CheckResult::default()
    }
}

/// The paths of entries that differ.
#[derive(Default)]
struct Differences {
    missing: Vec<String>,
    new: Vec<String>,
    different: Vec<String>,
}

impl Differences {
    fn of(actual: &Entries, expected: &Entries) -> Differences {
        let mut differences = Differences::default();
        for (path, entry) in expected {
            match actual.get(path) {
                None => differences.missing.push(path.clone()),
                Some(other) if other != entry => differences.different.push(path.clone()),
                Some(_) => {}
            }
        }
        let is_new = |path: &&String| !expected.contains_key(*path);
        differences.new = actual.keys().filter(is_new).cloned().collect();
        differences
    }

    /// `missing a; new b, c`; `None` if there are none.
    fn describe(&self) -> Option<String> {
        let parts = [
            ("missing", &self.missing),
            ("new", &self.new),
            ("different", &self.different),
        ];
        let parts = parts.into_iter().filter(|(_, paths)| !paths.is_empty());
        let parts: Vec<_> = parts
            .map(|(word, paths)| format!("{word} {}", shortened(&paths.join(", "))))
            .collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    /// The entries that differ, with their contents, for a diff.
    fn listing(&self, entries: &Entries) -> String {
        let mut paths: Vec<_> = [&self.missing, &self.new, &self.different]
            .into_iter()
            .flatten()
            .collect();
        paths.sort();
        let found = paths
            .into_iter()
            .filter_map(|path| entries.get_key_value(path));
        found.map(|(path, entry)| describe(path, entry)).collect()
    }
}

/// The entry and its content, each line indented.
fn describe(path: &str, entry: &Entry) -> String {
    match entry {
        Entry::Folder => format!("{path}/\n"),
        Entry::Link(target) => format!("{path} -> {target}\n"),
        Entry::Special => format!("{path} (a special file)\n"),
        Entry::File {
            executable,
            content,
        } => {
            let executable = if *executable { " (executable)" } else { "" };
            let content = String::from_utf8_lossy(content);
            let lines = content.lines();
            let mut lines: String = lines.flat_map(|line| ["  ", line, "\n"]).collect();
            if !content.is_empty() && !content.ends_with('\n') {
                lines.push_str("  (no newline at the end)\n");
            }
            format!("{path}{executable}\n{lines}")
        }
    }
}

/// All entries of a folder, by path.
fn entries(folder: &Path, normalizers: &Normalizers) -> io::Result<Entries> {
    let mut entries = Entries::new();
    collect(folder, "", &mut entries)?;
    for entry in entries.values_mut() {
        if let Entry::File { content, .. } = entry {
            let normalized = normalizers.apply(content).map_err(io::Error::other)?;
            *content = normalized.into_owned();
        }
    }
    Ok(entries)
}

fn collect(folder: &Path, prefix: &str, entries: &mut Entries) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let path = entry.path();
        let kind = entry.file_type()?;
        if kind.is_dir() {
            collect(&path, &format!("{name}/"), entries)?;
        }
        entries.insert(name, read(&path, kind)?);
    }
    Ok(())
}

fn read(path: &Path, kind: fs::FileType) -> io::Result<Entry> {
    const EXECUTABLE: u32 = 0o100;
    Ok(if kind.is_dir() {
        Entry::Folder
    } else if kind.is_symlink() {
        Entry::Link(fs::read_link(path)?.to_string_lossy().into_owned())
    } else if kind.is_file() {
        let mode = fs::metadata(path)?.permissions().mode();
        Entry::File {
            executable: mode & EXECUTABLE != 0,
            content: fs::read(path)?,
        }
    } else {
        Entry::Special
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(dir: &Path, files: &[(&str, &str)]) {
        for (path, content) in files {
            let path = dir.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
    }

    #[test]
    fn missing_new_and_different_entries_are_listed() {
        let dir = tempfile::tempdir().unwrap();
        let (one, two) = (dir.path().join("one"), dir.path().join("two"));
        folder(
            &one,
            &[("a", "1\n"), ("deep/b", "2\n"), ("c", "3\n"), ("run", "")],
        );
        folder(
            &two,
            &[("a", "1\n"), ("deep/d", "2\n"), ("c", "3"), ("run", "")],
        );
        fs::set_permissions(two.join("run"), fs::Permissions::from_mode(0o755)).unwrap();
        let result = check((&one, "out"), (&two, "expected"), &Normalizers::none());
        assert_eq!(
            result.problem.unwrap(),
            "out differs from expected: missing deep/d; new deep/b; different c, run"
        );
        assert_eq!(
            result.expected.unwrap(),
            "c\n  3\n  (no newline at the end)\ndeep/d\n  2\nrun (executable)\n"
        );
        assert_eq!(result.actual.unwrap(), "c\n  3\ndeep/b\n  2\nrun\n");
        assert_eq!(
            check((&one, "out"), (&one, "expected"), &Normalizers::none()).problem,
            None
        );
    }

    #[test]
    fn links_are_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let (one, two) = (dir.path().join("one"), dir.path().join("two"));
        folder(&one, &[("a", "1")]);
        folder(&two, &[("a", "1")]);
        std::os::unix::fs::symlink("a", one.join("link")).unwrap();
        fs::write(two.join("link"), "1").unwrap();
        let result = check((&one, "out"), (&two, "expected"), &Normalizers::none());
        assert_eq!(
            result.problem.unwrap(),
            "out differs from expected: different link"
        );
        let result = check(
            (&one.join("a"), "a"),
            (&two, "expected"),
            &Normalizers::none(),
        );
        assert_eq!(result.problem.unwrap(), "a is not a directory");
        let result = check(
            (&one, "out"),
            (&dir.path().join("x"), "x"),
            &Normalizers::none(),
        );
        assert_eq!(result.problem.unwrap(), "x does not exist");
    }
}
