//! New working directories: a copy of a folder, or an empty directory.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;

use casebook_record::io_reason;
use casebook_suite::model::Workdir;

use super::NativeEngine;
use crate::plan::PlannedTest;

impl NativeEngine<'_> {
    /// Makes the new working directory of a test in its temporary directory, if it needs one.
    pub(super) fn make_workdir(
        &self,
        planned: PlannedTest<'_>,
        temporary: &Path,
    ) -> io::Result<()> {
        let workdir = temporary.join(Workdir::NAME);
        match &planned.test().workdir {
            None | Some(Workdir::At(_)) => Ok(()),
            Some(Workdir::Empty) => fs::create_dir(workdir),
            Some(Workdir::Copy(folder)) => {
                let folder = &folder.path;
                let from = self.absolute_dir(planned, folder);
                copy_folder(&from, &workdir).map_err(|error| {
                    io::Error::other(format!(
                        "cannot copy the directory {folder}: {}",
                        io_reason(&error)
                    ))
                })
            }
        }
    }
}

/// Copies a folder. Symbolic links are copied as links, and permissions are kept.
fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    let entries = fs::read_dir(from)?;
    fs::create_dir(to)?;
    for entry in entries {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy_folder(&from, &to)?;
        } else if kind.is_symlink() {
            symlink(fs::read_link(&from)?, &to)?;
        } else if kind.is_file() {
            fs::copy(&from, &to)?;
        } else {
            let name = from.display();
            return Err(io::Error::other(format!("{name} is not a regular file")));
        }
    }
    // Last, because a folder may not be writable.
    fs::set_permissions(to, fs::metadata(from)?.permissions())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn links_and_permissions_are_copied() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("from"), dir.path().join("to"));
        fs::create_dir_all(from.join("deep/.hidden")).unwrap();
        fs::write(from.join("deep/run"), "#!/bin/sh\n").unwrap();
        fs::set_permissions(from.join("deep/run"), fs::Permissions::from_mode(0o750)).unwrap();
        symlink("deep/run", from.join("link")).unwrap();
        symlink("nowhere", from.join("dangling")).unwrap();
        copy_folder(&from, &to).unwrap();
        let mode = |path: &str| fs::metadata(to.join(path)).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode("deep/run"), 0o750);
        assert!(to.join("deep/.hidden").is_dir());
        assert_eq!(
            fs::read_link(to.join("link")).unwrap(),
            Path::new("deep/run")
        );
        assert_eq!(
            fs::read_link(to.join("dangling")).unwrap(),
            Path::new("nowhere")
        );
        assert!(copy_folder(&dir.path().join("missing"), &dir.path().join("other")).is_err());
    }
}
