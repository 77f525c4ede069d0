//! [`BundleStore`]: the bundles that the workers of this user have unpacked on this machine.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use casebook_record::Clock;
use casebook_run::SystemContext;
use rustix::process::geteuid;

use super::hashing::Hashing;
use super::unpack;

/// How long an unused bundle is kept.
const KEEP: Duration = Duration::from_secs(24 * 60 * 60);

/// Unpacked bundles, each in a directory with its digest as name.
pub(crate) struct BundleStore {
    dir: PathBuf,
    clock: Clock,
}

impl BundleStore {
    /// In the user's cache directory, which survives workers; without one, with other temporary files.
    pub(crate) fn new(system: &SystemContext) -> BundleStore {
        let variable = |name| {
            let path = system.variable(name).map(PathBuf::from);
            path.filter(|path| path.is_absolute())
        };
        let cache = variable("XDG_CACHE_HOME")
            .or_else(|| variable("HOME").map(|home| home.join(".cache")))
            .unwrap_or_else(|| system.temporary.clone());
        BundleStore {
            dir: cache.join("casebook-bundles"),
            clock: system.clock.clone(),
        }
    }

    /// Removes the bundles that were not used for a day, and what killed workers left.
    pub(crate) fn remove_unused(&self) {
        let Ok(entries) = fs::read_dir(&self.dir) else {
            return;
        };
        for entry in entries.flatten() {
            let modified = entry.metadata().and_then(|metadata| metadata.modified());
            let age = modified.map(|modified| self.now().duration_since(modified));
            if age.is_ok_and(|age| age.is_ok_and(|age| age > KEEP)) {
                // If this fails, the next worker tries again.
                let _ = self.remove(&entry.path());
            }
        }
    }

    /// No worker may find a bundle of which only a part is left.
    fn remove(&self, dir: &Path) -> io::Result<()> {
        let removed = tempfile::tempdir_in(&self.dir)?;
        fs::rename(dir, removed.path())?;
        unpack::remove(removed.path())
    }

    fn now(&self) -> SystemTime {
        let millis = u64::try_from(self.clock.now().as_millis()).unwrap_or(0);
        UNIX_EPOCH + Duration::from_millis(millis)
    }

    /// The directory of a bundle, if it is unpacked. It counts as used now.
    pub(crate) fn find(&self, digest: &str) -> Option<PathBuf> {
        let dir = self.dir.join(digest);
        self.check_owner().ok()?;
        let opened = File::open(&dir).ok()?;
        opened.set_modified(self.now()).ok()?;
        Some(dir)
    }

    /// An empty file for the archive of a bundle.
    pub(crate) fn archive(&self) -> io::Result<File> {
        self.create()?;
        tempfile::tempfile_in(&self.dir)
    }

    /// Unpacks an archive, unless another process has done so in the meantime.
    pub(crate) fn unpack(&self, mut archive: File, digest: &str) -> io::Result<PathBuf> {
        check_digest(&mut archive, digest)?;
        let temporary = tempfile::tempdir_in(&self.dir)?.keep();
        let target = self.dir.join(digest);
        let unpacked = unpack::unpack(archive, &temporary);
        let renamed = unpacked.and_then(|()| match fs::rename(&temporary, &target) {
            Err(error) if !target.exists() => Err(error),
            _ => Ok(target),
        });
        if temporary.exists() {
            let _ = unpack::remove(&temporary);
        }
        renamed
    }

    fn create(&self) -> io::Result<()> {
        let mut builder = DirBuilder::new();
        builder.recursive(true).mode(0o700).create(&self.dir)?;
        self.check_owner()
    }

    /// Only this user may write here: the bundles contain programs that run.
    fn check_owner(&self) -> io::Result<()> {
        if fs::metadata(&self.dir)?.uid() != geteuid().as_raw() {
            let dir = self.dir.display();
            return Err(io::Error::other(format!("{dir} belongs to another user")));
        }
        Ok(())
    }
}

fn check_digest(archive: &mut File, digest: &str) -> io::Result<()> {
    rewind(archive)?;
    let mut reader = Hashing::new(&mut *archive);
    io::copy(&mut reader, &mut io::sink())?;
    if reader.finish().0 != digest {
        return Err(io::Error::other("its SHA-256 is wrong"));
    }
    rewind(archive)
}

fn rewind(archive: &mut File) -> io::Result<()> {
    io::Seek::rewind(archive)
}
