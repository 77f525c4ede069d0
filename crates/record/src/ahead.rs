//! A file that goes to the disk while it is still being written.
//!
//! To wait for the disk takes about as long as to write. Begun at the end, that would come on top.

use std::fs::File;
use std::io::{self, Write};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

/// So much is worth a word with the disk.
const PORTION: usize = 2 << 20;

/// Writes the file, and returns when all of it is on the disk.
pub(crate) fn write_synced(
    file: &File,
    write: impl FnOnce(Ahead<'_>) -> io::Result<()>,
) -> io::Result<()> {
    thread::scope(|scope| {
        // What was not heard of yet stands for what comes after it.
        let (there_is_more, portions) = sync_channel(1);
        let sync = move || portions.into_iter().try_for_each(|()| file.sync_data());
        let ahead = thread::Builder::new().spawn_scoped(scope, sync).ok();
        write(Ahead {
            file,
            waiting: 0,
            there_is_more,
        })?;
        // The system tells each error once, to whoever asks first.
        let synced = ahead.map_or(Ok(Ok(())), thread::ScopedJoinHandle::join);
        synced.unwrap_or(Ok(()))
    })?;
    file.sync_all()
}

/// The file while it is being written.
pub(crate) struct Ahead<'f> {
    file: &'f File,
    waiting: usize,
    there_is_more: SyncSender<()>,
}

impl Write for Ahead<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.waiting += written;
        if self.waiting >= PORTION {
            self.waiting = 0;
            // Full, or nobody there: then it is written at the end.
            let _ = self.there_is_more.try_send(());
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_it_is_written_and_what_went_wrong_is_told() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let text = vec![b'x'; 3 * PORTION];
        write_synced(file.as_file(), |mut ahead| {
            text.chunks(1000).try_for_each(|part| ahead.write_all(part))
        })
        .unwrap();
        assert_eq!(std::fs::read(file.path()).unwrap(), text);
        let refused = write_synced(file.as_file_mut(), |_| {
            Err(io::ErrorKind::StorageFull.into())
        });
        assert_eq!(refused.unwrap_err().kind(), io::ErrorKind::StorageFull);
        // Nothing can be written to what is open for reading.
        let read_only = File::open(file.path()).unwrap();
        assert!(write_synced(&read_only, |mut ahead| ahead.write_all(b"x")).is_err());
    }
}
