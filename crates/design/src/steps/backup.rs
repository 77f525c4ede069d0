//! [`FileBackup`] restores a file after a failed step. [`Backup`] copies a spec to the metadata directory.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::skeleton::create_parent;
use super::{StepContext, StepError};
use crate::metadata::location::MetadataDir;
use crate::metadata::store::replace;

/// The content of a file; restored with `restore`.
pub(super) struct FileBackup {
    path: PathBuf,
    /// `None` if the file did not exist.
    text: Option<Vec<u8>>,
    /// The missing parent directories, innermost first.
    missing: Vec<PathBuf>,
}

impl FileBackup {
    pub(super) fn of(path: &Path) -> Result<FileBackup, StepError> {
        let text = match fs::read(path) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(source) => return Err(unreadable(path, source)),
        };
        let dirs = path.ancestors().skip(1);
        let missing = dirs.take_while(|dir| !dir.exists());
        Ok(FileBackup {
            path: path.to_owned(),
            text,
            missing: missing.map(Path::to_owned).collect(),
        })
    }

    pub(super) fn restore(self) -> Result<(), StepError> {
        if let Some(text) = &self.text {
            replace(&self.path, text)?;
            return Ok(());
        }
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(unreadable(&self.path, error));
            }
            _ => {}
        }
        for dir in self.missing {
            // A directory that now contains other files is kept.
            if fs::remove_dir(dir).is_err() {
                break;
            }
        }
        Ok(())
    }
}

fn unreadable(path: &Path, source: io::Error) -> StepError {
    StepError::Unreadable {
        path: path.to_owned(),
        source,
    }
}

/// A copy of a spec.
pub(super) struct Backup {
    pub(super) path: PathBuf,
    /// What was there before; `None` if there already was such a copy.
    before: Option<FileBackup>,
}

impl Backup {
    /// Writes a copy of a spec, with this text, below the metadata directory. Nothing is left in `spec/`, where RSpec,
    /// linters and Git find it. Earlier copies are kept, and one with the same text is used again.
    pub(super) fn of(
        spec: &Path,
        text: &[u8],
        context: &StepContext<'_>,
    ) -> Result<Backup, StepError> {
        let dir = MetadataDir::of(spec.parent().unwrap_or(context.cwd), context.cwd);
        let mut number = 1;
        loop {
            let path = backup_path(spec, &dir, number);
            let before = FileBackup::of(&path)?;
            match &before.text {
                Some(earlier) if earlier != text => number += 1,
                Some(_) => return Ok(Backup { path, before: None }),
                None => {
                    dir.create(context.may_fall_back)?;
                    create_parent(&path)?;
                    replace(&path, text)?;
                    let before = Some(before);
                    return Ok(Backup { path, before });
                }
            }
        }
    }

    /// Removes the copy. Called if the spec did not change.
    pub(super) fn undo(self) -> Result<(), StepError> {
        self.before.map_or(Ok(()), FileBackup::restore)
    }
}

/// `backups/spec/models/cart_spec.rb.backup` in the metadata directory, and `….backup2` for the second copy.
fn backup_path(spec: &Path, dir: &MetadataDir, number: usize) -> PathBuf {
    let root = dir.root.as_deref().unwrap_or(Path::new("/"));
    let inside = spec.strip_prefix(root).unwrap_or(spec);
    let mut name = dir.path.join("backups").into_os_string();
    for part in inside
        .components()
        .filter(|part| matches!(part, Component::Normal(_)))
    {
        name.push("/");
        name.push(part);
    }
    name.push(".backup");
    if number > 1 {
        name.push(number.to_string());
    }
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backups_are_in_the_metadata_directory() {
        let dir = |root: Option<&str>| MetadataDir {
            root: root.map(PathBuf::from),
            path: PathBuf::from("/meta"),
        };
        for (spec, root, number, expected) in [
            (
                "/shop/spec/a_spec.rb",
                Some("/shop"),
                1,
                "/meta/backups/spec/a_spec.rb.backup",
            ),
            (
                "/other/a_spec.rb",
                Some("/shop"),
                2,
                "/meta/backups/other/a_spec.rb.backup2",
            ),
            (
                "/home/a_spec.rb",
                None,
                1,
                "/meta/backups/home/a_spec.rb.backup",
            ),
        ] {
            let path = backup_path(Path::new(spec), &dir(root), number);
            assert_eq!(path, Path::new(expected));
        }
    }
}
