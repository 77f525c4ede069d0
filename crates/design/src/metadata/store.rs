//! Writing so that nobody loses anything.
//!
//! Whoever changes a file holds a lock on its folder from reading to renaming, so two writers come one after the other;
//! the new text is written beside the old and then takes its place, so a writer that is killed leaves the old file whole.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::document::{Document, DocumentError};

/// Why a file could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is none.
    #[error("there is no metadata file {}: run `casebook design analyze` first", .0.display())]
    Missing(PathBuf),
    /// It cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It is no metadata.
    #[error("{}: {source}", path.display())]
    Invalid {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: DocumentError,
    },
    /// It cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// Which file.
        path: PathBuf,
        /// Why.
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

/// Changes a metadata file: reads it, hands it over, writes what came of it. Nobody else writes meanwhile.
pub fn update(
    path: &Path,
    change: impl FnOnce(Result<Document, StoreError>) -> Result<Document, StoreError>,
) -> Result<Document, StoreError> {
    let _lock = lock(path)?;
    let document = change(read(path))?;
    replace(path, document.text().as_bytes())?;
    Ok(document)
}

/// Held until it is dropped.
fn lock(path: &Path) -> Result<File, StoreError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let locked = File::open(folder).and_then(|folder| {
        folder.lock()?;
        Ok(folder)
    });
    locked.map_err(|source| StoreError::Write {
        path: path.to_owned(),
        source,
    })
}

/// Puts a text in the place of a file, in one step.
pub fn replace(path: &Path, text: &[u8]) -> Result<(), StoreError> {
    write_beside(path, text).map_err(|source| StoreError::Write {
        path: path.to_owned(),
        source,
    })
}

fn write_beside(path: &Path, text: &[u8]) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new()
        .prefix(".casebook-")
        .permissions(fs::Permissions::from_mode(0o644))
        .tempfile_in(folder)?;
    file.write_all(text)?;
    // A file that is already there keeps its mode.
    if let Ok(metadata) = fs::metadata(path) {
        file.as_file().set_permissions(metadata.permissions())?;
    }
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}
