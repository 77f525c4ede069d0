//! [`Bundle`]: the archive of a controller.

use std::collections::BTreeSet;
use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, Read as _, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use casebook_run::SystemContext;
use casebook_suite::project_files;
use tar::{Builder, EntryType, Header};

use super::entry::{is_safe_link, normalized};
use super::hashing::Hashing;
use crate::error::ClusterError;

/// The files that workers get from the controller. The same files have the same digest: their times and owners are not
/// part of the archive.
#[derive(Debug)]
pub struct Bundle {
    pub(super) digest: String,
    pub(super) archive: File,
    pub(super) files: BTreeSet<PathBuf>,
}

impl Bundle {
    /// The files below these paths that `.gitignore` does not exclude. A path itself may be excluded.
    pub fn pack(paths: &[PathBuf], system: &SystemContext) -> Result<Bundle, ClusterError> {
        let files = find(paths, &system.dir)?;
        if files.is_empty() {
            return Err(ClusterError::EmptyBundle);
        }
        let archive = BufWriter::new(tempfile::tempfile_in(&system.temporary)?);
        let compressed = zstd::Encoder::new(Hashing::new(archive), 0)?;
        let mut builder = Builder::new(compressed);
        for file in &files {
            append(&mut builder, &system.dir, file)?;
        }
        let (digest, archive) = builder.into_inner()?.finish()?.finish();
        Ok(Bundle {
            digest,
            archive: archive
                .into_inner()
                .map_err(io::IntoInnerError::into_error)?,
            files,
        })
    }

    pub(crate) fn digest(&self) -> &str {
        &self.digest
    }

    /// Whether it contains a file of the project.
    pub(crate) fn contains(&self, file: &str) -> bool {
        normalized(file.as_ref()).is_some_and(|file| self.files.contains(&file))
    }
}

/// The files below these paths, relative to the project.
fn find(paths: &[PathBuf], dir: &Path) -> Result<BTreeSet<PathBuf>, ClusterError> {
    let mut files = BTreeSet::new();
    for path in paths {
        let unreadable = |error| ClusterError::unreadable(path, error);
        let inside = path.strip_prefix(dir).unwrap_or(path);
        let Some(inside) = normalized(inside) else {
            return Err(ClusterError::OutsideBundle(path.clone()));
        };
        let start = dir.join(&inside);
        if !fs::symlink_metadata(&start).map_err(unreadable)?.is_dir() {
            files.insert(inside);
            continue;
        }
        for file in project_files(&start) {
            let file = file.map_err(unreadable)?;
            let file = file.strip_prefix(dir).unwrap_or(&file);
            files.insert(file.to_owned());
        }
    }
    Ok(files)
}

fn append(builder: &mut Builder<impl Write>, dir: &Path, file: &Path) -> Result<(), ClusterError> {
    let path = dir.join(file);
    let unreadable = |error| ClusterError::unreadable(file, error);
    let metadata = fs::symlink_metadata(&path).map_err(unreadable)?;
    if metadata.is_symlink() {
        let target = fs::read_link(&path).map_err(unreadable)?;
        return append_link(builder, file, target, &metadata);
    }
    if !metadata.is_file() {
        let error = io::Error::other("not a file, a directory or a symbolic link");
        return Err(unreadable(error));
    }
    // A log may grow in the meantime.
    let contents = File::open(&path).map_err(unreadable)?.take(metadata.len());
    let mut header = header(EntryType::Regular, &metadata);
    builder
        .append_data(&mut header, file, contents)
        .map_err(unreadable)
}

fn append_link(
    builder: &mut Builder<impl Write>,
    file: &Path,
    target: PathBuf,
    metadata: &Metadata,
) -> Result<(), ClusterError> {
    if !is_safe_link(file, &target) {
        return Err(ClusterError::BundleLink {
            path: file.to_owned(),
            target,
        });
    }
    let mut header = header(EntryType::Symlink, metadata);
    header.set_size(0);
    Ok(builder.append_link(&mut header, file, target)?)
}

fn header(kind: EntryType, metadata: &Metadata) -> Header {
    let is_executable = metadata.permissions().mode() & 0o100 != 0;
    let mut header = Header::new_gnu();
    header.set_entry_type(kind);
    header.set_size(metadata.len());
    header.set_mode(if is_executable { 0o755 } else { 0o644 });
    header.set_mtime(0);
    header.set_uid(0);
    header.set_gid(0);
    header
}
