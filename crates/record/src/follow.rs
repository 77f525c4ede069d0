//! [`JournalFollower`]: reads a journal while another process writes it.

use std::collections::HashMap;
use std::fs::{self, File, TryLockError};
use std::io;
use std::ops::Range;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::event::Event;
use crate::journal::EventReader;
use crate::journaled_run::{ExampleLookup as _, JournalReader, JournaledRun, ReadAt as _};
use crate::lines::MAX_LINE_BYTES;
use crate::model::RunData;
use crate::redact::Redactor;
use crate::store::{fallback_id, read_events};

/// The journal is read in parts of this many bytes.
const PART: u64 = 1 << 20;

/// The run of a journal that another process writes. The examples stay in the journal.
pub struct JournalFollower {
    path: PathBuf,
    file: Arc<File>,
    run: JournaledRun,
    redactor: Redactor,
    offset: u64,
}

impl JournalFollower {
    /// Opens a journal that is not compressed. Nothing is read yet.
    pub fn open(path: &Path, redactor: &Redactor) -> io::Result<JournalFollower> {
        let follower = JournalFollower {
            path: path.into(),
            file: Arc::new(File::open(path)?),
            run: JournaledRun::new(fallback_id(path)),
            redactor: redactor.clone(),
            offset: 0,
        };
        follower.read_examples_from_file();
        Ok(follower)
    }

    /// The number of bytes read so far.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Applies the events that were appended since the last call. Returns the examples that they belong to, each with the
    /// offset after its last event. A line without an end is read again when it is complete.
    pub fn advance(&mut self) -> io::Result<HashMap<String, u64>> {
        self.follow_replaced_file()?;
        let mut changed = HashMap::new();
        let mut wanted = PART;
        loop {
            let length = self.file.metadata()?.len();
            let end = length.min(self.offset + wanted);
            if end <= self.offset {
                return Ok(changed);
            }
            let part = self.file.read_range(&(self.offset..end))?;
            match part.iter().rposition(|byte| *byte == b'\n') {
                Some(last) => {
                    self.apply(&part[..=last], &mut changed)?;
                    wanted = PART;
                }
                // The line is longer than the part; an event has a maximum length.
                None if end < length && wanted <= MAX_LINE_BYTES as u64 => wanted *= 2,
                None => return Ok(changed),
            }
        }
    }

    /// The run without its examples. Its metadata contains the planned examples that have not started.
    pub fn head(&self) -> Option<RunData> {
        self.run.head()
    }

    /// The run reduced to this example; `None` before the example's first event.
    pub fn example(&self, id: &str) -> io::Result<Option<RunData>> {
        self.run.example(id)
    }

    /// Whether a process still writes the journal: it holds a lock on it.
    pub fn is_being_written(&self) -> bool {
        is_being_written(&self.path)
    }

    fn apply(&mut self, lines: &[u8], changed: &mut HashMap<String, u64>) -> io::Result<()> {
        let start = self.offset;
        let apply = |event: Event, line: Range<u64>| {
            let line = start + line.start..start + line.end;
            if let Some(id) = event.example_id() {
                changed.insert(id.to_owned(), line.end);
            }
            self.run.apply_recorded(event, Some(line), &self.redactor);
        };
        // The problems of a journal are reported when the finished run is opened.
        read_events(EventReader::new(lines), apply)?;
        self.offset += lines.len() as u64;
        Ok(())
    }

    /// A deleted journal is written again by its process, with the same content.
    fn follow_replaced_file(&mut self) -> io::Result<()> {
        let Ok(named) = fs::metadata(&self.path) else {
            return Ok(());
        };
        let open = self.file.metadata()?;
        if (named.dev(), named.ino()) != (open.dev(), open.ino()) && named.len() >= self.offset {
            self.file = Arc::new(File::open(&self.path)?);
            self.read_examples_from_file();
        }
        Ok(())
    }

    fn read_examples_from_file(&self) {
        self.run.read_from(JournalReader {
            path: self.path.clone(),
            file: Arc::clone(&self.file) as _,
            redactor: self.redactor.clone(),
        });
    }
}

/// Whether a process holds the lock of a journal, as its writer does. On a file system without locks no process can.
pub(crate) fn is_being_written(journal: &Path) -> bool {
    let probe = File::open(journal).map(|file| file.try_lock_shared());
    matches!(probe, Ok(Err(TryLockError::WouldBlock)))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;
    use crate::journal::Journal;
    use crate::model::Status;

    fn event(kind: &str, id: &str) -> String {
        format!(
            r#"{{"event_type":"{kind}","payload":{{"time":"2026-11-18T08:00:00.000Z","example_id":"{id}","description":"d","full_description":"d","location":"a.rb:1","duration":1,"message":null}}}}"#
        )
    }

    #[test]
    fn events_are_applied_once_their_line_is_complete() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("events.jsonl");
        let mut file = File::create(&path).unwrap();
        let mut follower = JournalFollower::open(&path, &Redactor::default()).unwrap();
        assert!(follower.advance().unwrap().is_empty());
        assert!(follower.head().is_none());

        let started = event("ExampleStarted", "a");
        let (begin, rest) = started.split_at(30);
        file.write_all(begin.as_bytes()).unwrap();
        assert!(follower.advance().unwrap().is_empty());
        writeln!(file, "{rest}").unwrap();
        let changed = follower.advance().unwrap();
        assert_eq!(changed["a"], started.len() as u64 + 1);
        let status = |follower: &JournalFollower| {
            let run = follower.example("a").unwrap().unwrap();
            run.examples["a"].status
        };
        assert_eq!(status(&follower), Status::Running);

        writeln!(file, "not an event\n{}", event("ExamplePassed", "a")).unwrap();
        let changed = follower.advance().unwrap();
        assert_eq!(changed["a"], follower.offset());
        assert_eq!(status(&follower), Status::Passed);
    }

    #[test]
    fn lines_longer_than_a_part_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("events.jsonl");
        let padding = " ".repeat(3 << 20);
        let text = format!("{padding}{}\n", event("ExampleStarted", "a")).repeat(2);
        fs::write(&path, text).unwrap();
        let mut follower = JournalFollower::open(&path, &Redactor::default()).unwrap();
        assert_eq!(follower.advance().unwrap().len(), 1);
        assert_eq!(follower.offset(), fs::metadata(&path).unwrap().len());
    }

    #[test]
    fn a_journal_that_is_restored_is_read_further() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("events.jsonl");
        let first = format!("{}\n", event("ExampleStarted", "a"));
        fs::write(&path, &first).unwrap();
        let mut follower = JournalFollower::open(&path, &Redactor::default()).unwrap();
        follower.advance().unwrap();
        fs::remove_file(&path).unwrap();
        assert!(follower.advance().unwrap().is_empty());
        fs::write(&path, format!("{first}{}\n", event("ExamplePassed", "a"))).unwrap();
        assert_eq!(follower.advance().unwrap().len(), 1);
        assert_eq!(
            follower.example("a").unwrap().unwrap().examples["a"].status,
            Status::Passed
        );
    }

    #[test]
    fn only_the_writer_holds_the_lock() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("events.jsonl");
        assert!(!is_being_written(&path));
        let journal = Journal::create(&path).unwrap();
        assert!(is_being_written(&path) && is_being_written(&path));
        drop(journal);
        assert!(!is_being_written(&path));
    }
}
