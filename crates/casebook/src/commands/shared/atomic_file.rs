//! Writes a file completely or not at all.

use std::fs::{File, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use tempfile::NamedTempFile;

/// Permissions of new files, before the umask.
pub(crate) const ORDINARY: u32 = 0o666;
pub(crate) const EXECUTABLE: u32 = 0o777;

/// Checks that the file can be written, before a long run.
pub(crate) fn check_writable(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if is_replaceable(path) {
        temporary(path, ORDINARY).map(drop)
    } else {
        File::options().write(true).open(path).map(drop)
    }
}

/// Writes a temporary file and renames it. A path that is not a regular file, such as a terminal, is written to directly.
pub(crate) fn write(
    path: &Path,
    mode: u32,
    contents: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    if !is_replaceable(path) {
        return write_to(File::options().write(true).open(path)?, contents);
    }
    let temporary = temporary(path, mode)?;
    write_to(temporary.as_file(), contents)?;
    temporary.persist(path)?;
    Ok(())
}

/// Writes a new file; fails if it exists.
pub(crate) fn write_new(path: &Path, text: &str) -> io::Result<()> {
    let temporary = temporary(path, ORDINARY)?;
    write_to(temporary.as_file(), |out| out.write_all(text.as_bytes()))?;
    temporary.persist_noclobber(path)?;
    Ok(())
}

/// Lets `write` fill a new file, which is then renamed. For formats that need a file and not a stream.
pub(crate) fn write_file(
    path: &Path,
    write: impl FnOnce(&Path) -> io::Result<()>,
) -> io::Result<()> {
    if path.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !is_replaceable(path) {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not a regular file",
        ));
    }
    let temporary = temporary(path, ORDINARY)?;
    write(temporary.path())?;
    temporary.persist(path)?;
    Ok(())
}

/// Replaces the content of an existing file and keeps its permissions. A symbolic link is followed.
pub(crate) fn replace(path: &Path, contents: &[u8]) -> io::Result<()> {
    let path = path.canonicalize()?;
    let permissions = path.metadata()?.permissions();
    // Renaming a file over it would succeed.
    if permissions.readonly() {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    let temporary = temporary(&path, ORDINARY)?;
    write_to(temporary.as_file(), |out| out.write_all(contents))?;
    temporary.as_file().set_permissions(permissions)?;
    temporary.persist(&path)?;
    Ok(())
}

fn write_to(
    file: impl Write,
    contents: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 18, file);
    contents(&mut out)?;
    out.flush()
}

fn is_replaceable(path: &Path) -> bool {
    path.is_file() || !path.exists()
}

fn temporary(path: &Path, mode: u32) -> io::Result<NamedTempFile> {
    let dir = path.parent().unwrap_or(Path::new("/"));
    // Errors omit the name of the temporary file, which the user does not know.
    std::fs::metadata(dir)?;
    tempfile::Builder::new()
        .prefix(".casebook-")
        .permissions(Permissions::from_mode(mode))
        .tempfile_in(dir)
        .map_err(|error| error.kind().into())
}
