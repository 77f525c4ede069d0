//! [`FileReader`]: reads the files that a suite names.

use std::path::{Component, Path, PathBuf};

/// Reads the files that a suite names. Paths are relative to the suite's directory.
pub trait FileReader {
    /// The text of a file; the error is the cause.
    fn read(&self, path: &str) -> Result<String, String>;

    /// The same for all paths of one file. By default, paths that differ only in `.` and `..` are the same.
    fn identity(&self, path: &str) -> PathBuf {
        let mut identity = PathBuf::new();
        for component in Path::new(path).components() {
            let goes_up = component == Component::ParentDir;
            let has_name = matches!(
                identity.components().next_back(),
                Some(Component::Normal(_))
            );
            match component {
                Component::CurDir => {}
                _ if goes_up && has_name => drop(identity.pop()),
                _ => identity.push(component),
            }
        }
        identity
    }
}

impl<F: Fn(&str) -> Result<String, String>> FileReader for F {
    fn read(&self, path: &str) -> Result<String, String> {
        self(path)
    }
}

/// What a suite is checked with.
pub type ReadFile<'a> = &'a dyn FileReader;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_differ_only_in_dots_are_the_same_file() {
        let reader = |_: &str| Ok(String::new());
        for (path, identity) in [
            ("a.yaml", "a.yaml"),
            ("./a/./b.yaml", "a/b.yaml"),
            ("a/../b.yaml", "b.yaml"),
            ("../a.yaml", "../a.yaml"),
            ("../../b/../a.yaml", "../../a.yaml"),
            ("/x/../a.yaml", "/a.yaml"),
        ] {
            assert_eq!(reader.identity(path), Path::new(identity), "{path}");
        }
    }
}
