//! The journal, `events.jsonl`: one line per event, appended as events occur.
//!
//! Events that are published together are written with one call before [`Bus::publish`](crate::Bus::publish) returns,
//! so a killed process loses at most the write in progress. A thread syncs the file once a second, so a power failure
//! loses at most one second. The same thread writes the file again if it was deleted.

mod file;
mod reader;
#[cfg(all(test, target_os = "linux"))]
mod tests;

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::iter;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

use parking_lot::Mutex;

use crate::compress::Writer;
use crate::event::Event;
use crate::io_reason::io_reason;
use crate::journaled_run::JournalReader;
use crate::lines::MAX_LINE_BYTES;
use crate::redact::Redactor;
use crate::wire::encode_line;
use file::JournalFile;
pub use reader::{EventLine, EventReader, InvalidLine};

const SYNC_EVERY: Duration = Duration::from_secs(1);

/// The journal could not be opened, written or synced.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {}", path.display(), io_reason(source))]
pub struct JournalError {
    path: PathBuf,
    source: io::Error,
}

impl JournalError {
    pub(crate) fn kind(&self) -> io::ErrorKind {
        self.source.kind()
    }
}

/// Writes events to a journal. Clones share one file: one is subscribed to the bus, another syncs and finishes it.
#[derive(Clone)]
pub struct Journal(Arc<Shared>);

struct Shared {
    file: JournalFile,
    out: Mutex<Out<JournalFile>>,
    dirty: AtomicBool,
    /// Locked during a sync: a caller that finds nothing to sync must still wait for the sync in progress.
    sync: Mutex<()>,
    /// Why events since the last sync may not be on the disk.
    lost: Mutex<Option<io::Error>>,
    /// The first write or sync error. After it the file is incomplete.
    first_loss: OnceLock<(io::ErrorKind, String)>,
    syncing: Mutex<Option<(Sender<()>, JoinHandle<()>)>>,
}

struct Out<W: Write> {
    writer: Option<Writer<W>>,
    /// Whether a failed write may have left a partial line, so that a line end must precede the next event.
    torn: bool,
    /// The number of bytes in the file; `None` for a compressed file, whose lines have no position, and after a failed
    /// write.
    length: Option<u64>,
}

impl Journal {
    /// Creates a journal file, which must not exist. `.gz` and `.zst` are compressed, which requires a flush per
    /// event.
    pub fn create(path: &Path) -> Result<Journal, JournalError> {
        let open = || Journal::in_file(JournalFile::create(path)?);
        open().map_err(|source| JournalError {
            path: path.into(),
            source,
        })
    }

    /// Appends to an existing journal, after its last line, even if that line is incomplete.
    pub fn resume(path: &Path) -> Result<Journal, JournalError> {
        let open = || {
            let file = OpenOptions::new().read(true).append(true).open(path)?;
            let torn = !ends_with_a_line(&file)?;
            let journal = Journal::in_file(JournalFile::new(path, file))?;
            journal.0.out.lock().torn = torn;
            Ok(journal)
        };
        open().map_err(|source| JournalError {
            path: path.into(),
            source,
        })
    }

    fn in_file(file: JournalFile) -> io::Result<Journal> {
        let writer = Writer::new(file.path(), file.clone())?;
        let length = match writer {
            Writer::Plain(_) => Some(file.length()?),
            _ => None,
        };
        let journal = Journal(Arc::new(Shared {
            file,
            out: Mutex::new(Out {
                writer: Some(writer),
                torn: false,
                length,
            }),
            dirty: AtomicBool::new(false),
            sync: Mutex::new(()),
            lost: Mutex::new(None),
            first_loss: OnceLock::new(),
            syncing: Mutex::new(None),
        }));
        journal.start_syncing()?;
        Ok(journal)
    }

    /// Appends one event.
    pub fn append(&self, event: &Event) -> Result<(), JournalError> {
        self.append_all([event])
    }

    /// Appends several events with one write.
    pub fn append_all<'e>(
        &self,
        events: impl IntoIterator<Item = &'e Event>,
    ) -> Result<(), JournalError> {
        self.append_lines(events).map(drop)
    }

    /// Appends several events with one write. Returns for each event the bytes of its line, if it can be read there.
    pub(crate) fn append_lines<'e>(
        &self,
        events: impl IntoIterator<Item = &'e Event>,
    ) -> Result<Vec<Option<Range<u64>>>, JournalError> {
        // Encoded before the lock is taken, so that threads encode in parallel.
        let (mut text, mut ends) = (Vec::new(), Vec::new());
        for event in events {
            encode_line(event, &mut text);
            ends.push(text.len());
        }
        let appended = self.0.out.lock().append(&text);
        self.0.dirty.store(true, Ordering::Release);
        let position = appended.map_err(|source| {
            self.0.note_loss(&source);
            self.error(source)
        })?;
        let starts = iter::once(0).chain(ends.iter().copied());
        let lines = starts.zip(&ends).map(|(start, end)| {
            let position = position.filter(|_| end - start <= MAX_LINE_BYTES)?;
            Some(position + start as u64..position + *end as u64)
        });
        Ok(lines.collect())
    }

    /// Reads the lines that were appended, even if the file was deleted.
    pub(crate) fn reader(&self, redactor: Redactor) -> JournalReader {
        JournalReader {
            path: self.0.file.path().into(),
            file: Arc::new(self.0.file.clone()),
            redactor,
        }
    }

    /// Waits until everything appended since the last sync is on the disk; returns why it is not.
    pub fn sync(&self) -> Result<(), JournalError> {
        self.0.sync();
        let lost = self.0.lost.lock().take();
        lost.map_or(Ok(()), |source| Err(self.error(source)))
    }

    /// Writes the file again if it was deleted. Called once a second and by [`Journal::finish`].
    pub fn restore(&self) -> Result<(), JournalError> {
        self.0.restore().map_err(|source| self.error(source))
    }

    /// Whether the file was deleted and written again.
    pub fn was_restored(&self) -> bool {
        self.0.file.was_restored()
    }

    /// Ends the file and starts a sync in the background. Events appended afterwards are lost.
    pub fn close(&self) -> Result<(), JournalError> {
        let writer = self.0.out.lock().writer.take();
        let ended = writer.map_or(Ok(()), Writer::finish);
        self.0.dirty.store(true, Ordering::Release);
        if let Some((stop, _)) = &*self.0.syncing.lock() {
            let _ = stop.send(());
        }
        ended.map_err(|source| {
            self.0.note_loss(&source);
            self.error(source)
        })
    }

    /// Ends the file, waits for the sync, and returns an error if any event is missing from the file.
    pub fn finish(&self) -> Result<(), JournalError> {
        self.close()?;
        let syncing = self.0.syncing.lock().take();
        if let Some((_, thread)) = syncing {
            let _ = thread.join();
        }
        self.sync()?;
        match self.0.first_loss.get() {
            None => Ok(()),
            Some((kind, reason)) => Err(self.error(io::Error::new(*kind, reason.clone()))),
        }
    }

    fn error(&self, source: io::Error) -> JournalError {
        JournalError {
            path: self.0.file.path().into(),
            source,
        }
    }

    fn start_syncing(&self) -> io::Result<()> {
        let (stop, stopped) = channel::<()>();
        // Weak, so that the thread ends when the last clone of the journal is dropped.
        let shared = Arc::downgrade(&self.0);
        let thread = std::thread::Builder::new()
            .name("journal sync".into())
            .spawn(move || {
                while stopped.recv_timeout(SYNC_EVERY) == Err(RecvTimeoutError::Timeout) {
                    let Some(shared) = shared.upgrade() else {
                        return;
                    };
                    shared.sync();
                }
                if let Some(shared) = shared.upgrade() {
                    shared.sync();
                }
            })?;
        *self.0.syncing.lock() = Some((stop, thread));
        Ok(())
    }
}

fn ends_with_a_line(file: &File) -> io::Result<bool> {
    let Some(last) = file.metadata()?.len().checked_sub(1) else {
        return Ok(true);
    };
    let mut byte = [0];
    file.read_exact_at(&mut byte, last)?;
    Ok(byte == *b"\n")
}

impl Shared {
    /// Stores an error for the next caller of `Journal::sync`, because the system reports it only once: a second
    /// attempt may succeed without having written the data.
    fn sync(&self) {
        let _alone = self.sync.lock();
        // The error is noted.
        let _ = self.restore();
        if self.dirty.swap(false, Ordering::AcqRel)
            && let Err(error) = self.file.sync_data()
        {
            self.note_loss(&error);
        }
    }

    fn restore(&self) -> io::Result<()> {
        self.file
            .restore()
            .inspect_err(|error| self.note_loss(error))
    }

    fn note_loss(&self, error: &io::Error) {
        self.first_loss
            .get_or_init(|| (error.kind(), io_reason(error)));
        *self.lost.lock() = Some(io::Error::new(error.kind(), io_reason(error)));
    }
}

impl<W: Write> Out<W> {
    /// Returns the position of the lines in the file, if they have one.
    fn append(&mut self, lines: &[u8]) -> io::Result<Option<u64>> {
        let writer = self
            .writer
            .as_mut()
            .ok_or_else(|| io::Error::other("the journal is already finished"))?;
        if self.torn {
            writer.write_all(b"\n")?;
            self.torn = false;
            self.length = self.length.map(|length| length + 1);
        }
        let written = writer.write_all(lines).and_then(|()| writer.flush());
        self.torn = written.is_err();
        let position = self.length.filter(|_| written.is_ok());
        self.length = position.map(|position| position + lines.len() as u64);
        written.map(|()| position)
    }
}
