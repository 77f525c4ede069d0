//! Unpacks the archive of a bundle, read-only.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Read};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use tar::{Archive, Entry, EntryType};

use super::entry::{is_safe_link, normalized};

const READ_ONLY_DIR: u32 = 0o555;
const WRITABLE_DIR: u32 = 0o755;

/// Unpacks an archive into an empty directory. An archive with an unsafe entry is refused.
pub(super) fn unpack(archive: impl Read, dir: &Path) -> io::Result<()> {
    let dir = fs::canonicalize(dir)?;
    let mut archive = Archive::new(zstd::Decoder::new(archive)?);
    let mut links = Vec::new();
    for entry in archive.entries()? {
        let entry = entry?;
        let path = entry.path()?.into_owned();
        let is_normal = normalized(&path).is_some_and(|normal| normal == path);
        if !is_normal {
            return Err(refused(&path, "leads outside of the bundle"));
        }
        match entry.header().entry_type() {
            EntryType::Regular => unpack_file(entry, &dir.join(path))?,
            EntryType::Symlink => {
                let target = entry.link_name()?.unwrap_or_default().into_owned();
                links.push((path, target));
            }
            _ => return Err(refused(&path, "is neither a file nor a symbolic link")),
        }
    }
    // After all files, so that no file is written through a symbolic link.
    for (path, target) in links {
        link(&dir, &path, &target)?;
    }
    set_dirs(&dir, READ_ONLY_DIR)
}

fn refused(path: &Path, reason: &str) -> io::Error {
    io::Error::other(format!("{} {reason}", path.display()))
}

fn unpack_file(mut entry: Entry<'_, impl Read>, path: &Path) -> io::Result<()> {
    create_parent(path)?;
    let mode = entry.header().mode()? & 0o555;
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(path)?;
    io::copy(&mut entry, &mut file)?;
    Ok(())
}

fn create_parent(path: &Path) -> io::Result<PathBuf> {
    let parent = path.parent().unwrap_or(path);
    fs::create_dir_all(parent)?;
    fs::canonicalize(parent)
}

fn link(dir: &Path, path: &Path, target: &Path) -> io::Result<()> {
    let full = dir.join(path);
    let is_real = create_parent(&full)? == full.parent().unwrap_or(dir);
    if !is_real || !is_safe_link(path, target) {
        return Err(refused(
            path,
            "is a symbolic link that leads outside of the bundle",
        ));
    }
    symlink(target, full)
}

/// Removes an unpacked bundle.
pub(super) fn remove(dir: &Path) -> io::Result<()> {
    set_dirs(dir, WRITABLE_DIR)?;
    fs::remove_dir_all(dir)
}

/// Sets the permissions of all directories. Without write permission, files can be neither created nor replaced.
fn set_dirs(dir: &Path, mode: u32) -> io::Result<()> {
    fs::set_permissions(dir, Permissions::from_mode(mode))?;
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            set_dirs(&entry.path(), mode)?;
        }
    }
    Ok(())
}
