//! Reads and writes metadata files without losing concurrent changes.
//!
//! [`update`] locks the file's directory from reading to renaming, so two writers run one after the other. [`replace`]
//! writes a temporary file in the same directory and renames it, so a writer that is killed leaves the old file intact.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::document::{Document, DocumentError};

/// Why a file could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file does not exist.
    #[error("metadata file not found: {}; run `casebook design analyze` first", .0.display())]
    Missing(PathBuf),
    /// The file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The file is not a metadata document.
    #[error("{}: {source}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: DocumentError,
    },
    /// The file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

/// Reads a metadata file.
pub fn read(path: &Path) -> Result<Document, StoreError> {
    let bytes = fs::read(path).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => StoreError::Missing(path.to_owned()),
        _ => StoreError::Read {
            path: path.to_owned(),
            source,
        },
    })?;
    let text = String::from_utf8(bytes).map_err(|_| StoreError::Invalid {
        path: path.to_owned(),
        source: DocumentError::Yaml {
            line: 1,
            message: "the file is not valid UTF-8".to_owned(),
        },
    })?;
    let name = path.display().to_string();
    Document::parse(&name, text).map_err(|source| StoreError::Invalid {
        path: path.to_owned(),
        source,
    })
}

/// Changes a metadata file: passes its current content to `change` and writes the result, under the directory's lock.
pub fn update(
    path: &Path,
    change: impl FnOnce(Result<Document, StoreError>) -> Result<Document, StoreError>,
) -> Result<Document, StoreError> {
    let _lock = lock(path)?;
    let document = change(read(path))?;
    replace(path, document.text().as_bytes())?;
    Ok(document)
}

/// Locks the directory of `path` until the returned file is dropped.
fn lock(path: &Path) -> Result<File, StoreError> {
    let dir = path.parent().unwrap_or(Path::new("."));
    let locked = File::open(dir).and_then(|dir| {
        dir.lock()?;
        Ok(dir)
    });
    locked.map_err(|source| StoreError::Write {
        path: path.to_owned(),
        source,
    })
}

/// Replaces a file atomically.
pub fn replace(path: &Path, text: &[u8]) -> Result<(), StoreError> {
    write_and_rename(path, text).map_err(|source| StoreError::Write {
        path: path.to_owned(),
        source,
    })
}

fn write_and_rename(path: &Path, text: &[u8]) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;

    let dir = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new()
        .prefix(".casebook-")
        .permissions(fs::Permissions::from_mode(0o644))
        .tempfile_in(dir)?;
    file.write_all(text)?;
    // An existing file keeps its mode.
    if let Ok(metadata) = fs::metadata(path) {
        file.as_file().set_permissions(metadata.permissions())?;
    }
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}
