//! Atomic writes: a file is complete or does not exist.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use tempfile::NamedTempFile;

/// Writes the text and a final newline. Creates missing directories.
pub(crate) fn write(path: &Path, text: &[u8]) -> io::Result<()> {
    temporary(path, text)?.persist(path)?;
    Ok(())
}

/// Writes the text and a final newline to a new file. Returns false, and changes nothing, if the file exists.
pub(crate) fn create(path: &Path, text: &[u8]) -> io::Result<bool> {
    match temporary(path, text)?.persist_noclobber(path) {
        Ok(_) => Ok(true),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error.error),
    }
}

/// A complete file next to `path`.
fn temporary(path: &Path, text: &[u8]) -> io::Result<NamedTempFile> {
    let dir = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(dir)?;
    let mut file = NamedTempFile::new_in(dir)?;
    file.write_all(text)?;
    file.write_all(b"\n")?;
    file.as_file()
        .set_permissions(fs::Permissions::from_mode(0o644))?;
    Ok(file)
}
