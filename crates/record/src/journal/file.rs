//! [`JournalFile`]: the open file of a journal, which is written again if it is deleted.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::ops::Range;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use parking_lot::RwLock;

use crate::journaled_run::ReadAt;
use crate::run_file::sync_dir;

/// How often a new file is locked, and the pause between two attempts.
const LOCK_ATTEMPTS: usize = 20;
const LOCK_PAUSE: Duration = Duration::from_millis(1);

/// The file of a journal. Clones write to the same file.
#[derive(Clone)]
pub(super) struct JournalFile(Arc<Shared>);

struct Shared {
    path: PathBuf,
    /// Replaced when the file is written again, which waits for writes in progress.
    file: RwLock<File>,
    was_restored: AtomicBool,
}

impl JournalFile {
    /// Creates the file, which must not exist.
    pub(super) fn create(path: &Path) -> io::Result<JournalFile> {
        Ok(JournalFile::new(path, create_new(path)?))
    }

    /// Wraps a file that is open for reading and appending.
    pub(super) fn new(path: &Path, file: File) -> JournalFile {
        lock(&file);
        JournalFile(Arc::new(Shared {
            path: path.into(),
            file: RwLock::new(file),
            was_restored: AtomicBool::new(false),
        }))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0.path
    }

    /// The number of bytes in it.
    pub(super) fn length(&self) -> io::Result<u64> {
        Ok(self.0.file.read().metadata()?.len())
    }

    pub(super) fn sync_data(&self) -> io::Result<()> {
        self.0.file.read().sync_data()
    }

    /// If the file was deleted, copies it to a new one with the same name. Its contents are still available, because it
    /// is open.
    pub(super) fn restore(&self) -> io::Result<()> {
        let Shared { path, file, .. } = &*self.0;
        if is_at(&file.read(), path)? {
            return Ok(());
        }
        let mut file = file.write();
        fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
        let new = create_new(path)?;
        lock(&new);
        if let Err(error) = copy(&file, &new) {
            // The next attempt starts again.
            let _ = fs::remove_file(path);
            return Err(error);
        }
        *file = new;
        self.0.was_restored.store(true, Ordering::Release);
        Ok(())
    }

    /// Whether the file was deleted and written again.
    pub(super) fn was_restored(&self) -> bool {
        self.0.was_restored.load(Ordering::Acquire)
    }
}

impl ReadAt for JournalFile {
    fn read_range(&self, range: &Range<u64>) -> io::Result<Vec<u8>> {
        self.0.file.read().read_range(range)
    }
}

impl Write for JournalFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (&*self.0.file.read()).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn create_new(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new()
        .read(true)
        .append(true)
        .create_new(true)
        .open(path)?;
    sync_dir(path.parent().unwrap_or(Path::new(".")));
    Ok(file)
}

/// The lock marks the run as still being written. An error is ignored: some file systems do not support locks.
fn lock(file: &File) {
    // Whoever checks whether the journal is being written holds the lock for a moment.
    for _ in 0..LOCK_ATTEMPTS {
        if !matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            return;
        }
        thread::sleep(LOCK_PAUSE);
    }
}

/// Whether the file still has this name; an error if another file has it.
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let named = match fs::metadata(path) {
        Ok(named) => named,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    let open = file.metadata()?;
    if (named.dev(), named.ino()) == (open.dev(), open.ino()) {
        return Ok(true);
    }
    Err(io::Error::new(
        io::ErrorKind::AlreadyExists,
        "it was replaced by another file while the run was recorded",
    ))
}

fn copy(from: &File, mut to: &File) -> io::Result<()> {
    let mut buffer = vec![0; 1 << 16];
    let mut offset = 0;
    loop {
        let count = from.read_at(&mut buffer, offset)?;
        if count == 0 {
            return to.sync_data();
        }
        to.write_all(&buffer[..count])?;
        offset += count as u64;
    }
}
