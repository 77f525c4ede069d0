//! Text that is needed once more at the end of a run, kept in a file instead of in memory.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

use crate::lock::lock;

/// So much is written at once: the system takes long for each write, however short.
const ENOUGH: usize = 1 << 16;

/// So much is read before a text, and three times as much after it.
const AROUND: u64 = 1 << 15;

/// A file without a name, so that nobody has to remove it.
pub(crate) struct Spool {
    file: File,
    end: Mutex<End>,
    /// What was read last: texts are mostly read in the order in which they came.
    read: Mutex<Read>,
    /// Why something could not be read again.
    trouble: OnceLock<String>,
}

/// What comes after all that is in the file.
#[derive(Default)]
struct End {
    start: u64,
    waiting: Vec<u8>,
    /// Whether the file has refused what is waiting, which then stays in memory.
    is_full: bool,
}

#[derive(Default)]
struct Read {
    start: u64,
    bytes: Vec<u8>,
}

/// One text in a spool.
#[derive(Clone)]
pub(crate) struct Kept {
    spool: Arc<Spool>,
    start: u64,
    length: usize,
}

impl Spool {
    /// A spool on the disk of that folder.
    pub(crate) fn within(folder: &Path) -> io::Result<Spool> {
        Ok(Spool {
            file: tempfile::tempfile_in(folder)?,
            end: Mutex::default(),
            read: Mutex::default(),
            trouble: OnceLock::new(),
        })
    }

    /// Keeps a text, unless the disk is full.
    pub(crate) fn keep(self: &Arc<Spool>, text: &str) -> Option<Kept> {
        let mut end = lock(&self.end);
        if end.is_full {
            return None;
        }
        let kept = Kept {
            spool: Arc::clone(self),
            start: end.start + end.waiting.len() as u64,
            length: text.len(),
        };
        end.waiting.extend_from_slice(text.as_bytes());
        if end.waiting.len() >= ENOUGH {
            end.is_full = self.file.write_all_at(&end.waiting, end.start).is_err();
            if !end.is_full {
                end.start += end.waiting.len() as u64;
                end.waiting.clear();
            }
        }
        Some(kept)
    }
}

impl Kept {
    /// The text, from wherever it is. If the disk does not give it back, that is remembered.
    pub(crate) fn read(&self) -> Option<String> {
        let text = self.bytes().and_then(|bytes| {
            let text = String::from_utf8(bytes);
            text.map_err(io::Error::other)
        });
        text.map_err(|error| self.spool.trouble.set(error.to_string()))
            .ok()
    }

    /// Why some text of this spool could not be read.
    pub(crate) fn trouble(&self) -> Option<io::Error> {
        let trouble = self.spool.trouble.get()?;
        Some(io::Error::other(format!(
            "what was kept for it cannot be read: {trouble}"
        )))
    }

    fn bytes(&self) -> io::Result<Vec<u8>> {
        let end = lock(&self.spool.end);
        if let Some(text) = self.within(end.start, &end.waiting) {
            return Ok(text.to_vec());
        }
        let written = end.start;
        drop(end);
        let mut read = lock(&self.spool.read);
        if self.within(read.start, &read.bytes).is_none() {
            // What comes next may have been put down a little earlier.
            let start = self.start.saturating_sub(AROUND);
            let end = written.min(self.start + self.length as u64 + 3 * AROUND);
            read.start = start;
            let length = usize::try_from(end - start).map_err(io::Error::other)?;
            read.bytes.resize(length, 0);
            let done = self.spool.file.read_exact_at(&mut read.bytes, start);
            done.inspect_err(|_| read.bytes.clear())?;
        }
        let text = self.within(read.start, &read.bytes).unwrap_or_default();
        Ok(text.to_vec())
    }

    /// Its bytes among those that begin there.
    fn within<'b>(&self, start: u64, bytes: &'b [u8]) -> Option<&'b [u8]> {
        let place = usize::try_from(self.start.checked_sub(start)?).ok()?;
        bytes.get(place..place.checked_add(self.length)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_from_memory_and_from_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let spool = Arc::new(Spool::within(folder.path()).unwrap());
        let text = |number: usize| format!("{number} ").repeat(number);
        let kept: Vec<_> = (0..500).map(|number| spool.keep(&text(number))).collect();
        let written = spool.file.metadata().unwrap().len();
        assert!(0 < written && !lock(&spool.end).waiting.is_empty());
        for (number, kept) in kept.into_iter().enumerate().rev() {
            assert_eq!(kept.unwrap().read().unwrap(), text(number));
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_a_full_disk_refuses_is_not_lost_and_no_more_is_taken() {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let spool = Arc::new(Spool {
            file: full,
            end: Mutex::default(),
            read: Mutex::default(),
            trouble: OnceLock::new(),
        });
        let long = "x".repeat(ENOUGH - 1);
        let kept = [&*long, "the last"].map(|text| (text, spool.keep(text).unwrap()));
        assert!(spool.keep("too much").is_none());
        for (text, kept) in kept {
            assert_eq!(kept.read().unwrap(), text);
        }
    }

    #[test]
    fn what_cannot_be_read_is_remembered() {
        let folder = tempfile::tempdir().unwrap();
        let spool = Arc::new(Spool::within(folder.path()).unwrap());
        let kept = ["x", &"y".repeat(ENOUGH)].map(|text| spool.keep(text).unwrap());
        spool.file.set_len(7).unwrap();
        for kept in kept.iter().chain(&kept) {
            assert!(kept.read().is_none() && kept.trouble().is_some());
        }
    }
}
