//! The environment variables of Bats, which tests get in addition to their own.

use std::path::{Path, PathBuf};

use crate::plan::{PlannedSuite, PlannedTest};
use crate::scratch::{RUN_MARK, ScratchDir};
use crate::shell::environment::Environment;
use crate::shell::{FILE_MARK, TEST_MARK};

/// Sets the variables for all scripts and commands of a suite.
pub(super) fn set_suite_variables(
    environment: &mut Environment,
    suite: &PlannedSuite,
    dir: &Path,
    scratch: &ScratchDir,
    file_dir: &Path,
) {
    let file = absolute(&suite.file(dir));
    environment.set("BATS_TEST_DIRNAME", file.parent().unwrap_or(Path::new("/")));
    environment.set("BATS_TEST_FILENAME", &file);
    environment.set(RUN_MARK, scratch.root());
    environment.set("BATS_SUITE_TMPDIR", scratch.root().join("suite"));
    environment.set(FILE_MARK, file_dir);
}

/// Sets the variables for the hooks and the command of a test.
pub(super) fn set_test_variables(
    environment: &mut Environment,
    name: &str,
    planned: PlannedTest<'_>,
    dir: &Path,
) {
    environment.set(TEST_MARK, dir);
    environment.set("BATS_TEST_TMPDIR", dir);
    environment.set("BATS_TEST_NUMBER", planned.number.to_string());
    environment.set("BATS_SUITE_TEST_NUMBER", planned.run_number.to_string());
    environment.set("BATS_TEST_DESCRIPTION", name);
    environment.set("BATS_TEST_NAME", function_name(name));
}

/// Removes `.` and `..` from the path without resolving symbolic links.
pub(super) fn absolute(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir => {
                out.pop();
            }
            component => out.push(component),
        }
    }
    out
}

/// The name of the function that Bats derives from a test's name.
fn function_name(name: &str) -> String {
    let is_simple = name
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-'));
    let encoded = if is_simple {
        name.replace('_', "-5f")
            .replace('-', "-2d")
            .replace(' ', "_")
    } else {
        name.chars()
            .map(|c| match c {
                ' ' | '\n' => "_".to_owned(),
                c if c.is_alphanumeric() => c.to_string(),
                c => format!("-{:02x}", u32::from(c)),
            })
            .collect()
    };
    format!("test_{encoded}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_encoded_as_bats_does() {
        for (name, encoded) in [
            ("it adds", "test_it_adds"),
            ("a_b-c", "test_a-2d5fb-2dc"),
            ("a_b!", "test_a-5fb-21"),
            ("größe: 3", "test_größe-3a_3"),
        ] {
            assert_eq!(function_name(name), encoded);
        }
    }

    #[test]
    fn dots_are_removed_from_paths() {
        assert_eq!(absolute(Path::new("/a/./b/../c")), Path::new("/a/c"));
    }
}
