use super::*;
use crate::event::SuiteStopped;
use crate::time::Time;

#[test]
fn a_background_sync_error_is_returned_by_the_next_sync_and_by_finish() {
    // /dev/null accepts every byte and cannot be synced.
    let path = Path::new("/dev/null");
    let file = OpenOptions::new().append(true).open(path).unwrap();
    let journal = Journal::in_file(JournalFile::new(path, file)).unwrap();
    let time = Time::from_millis(0);
    journal.append(&SuiteStopped { time }.into()).unwrap();
    journal.0.sync();
    assert!(journal.sync().is_err());
    assert!(journal.sync().is_ok(), "the error is reported once");
    assert!(journal.finish().is_err());
}

/// A disk that is full for one write, after it accepted a part of it.
#[derive(Default)]
struct DiskFullOnce {
    written: Vec<u8>,
    writes: usize,
}

impl Write for DiskFullOnce {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writes += 1;
        let taken = match self.writes {
            2 => 10,
            3 => return Err(io::ErrorKind::StorageFull.into()),
            _ => bytes.len(),
        };
        self.written.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn an_event_after_a_torn_line_is_not_glued_to_it() {
    let mut out = Out {
        writer: Some(Writer::Plain(DiskFullOnce::default())),
        torn: false,
        length: None,
    };
    let event = |millis| {
        Event::from(SuiteStopped {
            time: Time::from_millis(millis),
        })
    };
    let outcomes = [1, 2, 3].map(|millis| {
        let mut line = Vec::new();
        encode_line(&event(millis), &mut line);
        out.append(&line).is_ok()
    });
    assert_eq!(outcomes, [true, false, true]);
    let Some(Writer::Plain(disk)) = out.writer else {
        panic!("the writer is plain");
    };
    let mut reader = EventReader::new(disk.written.as_slice());
    let mut read = Vec::new();
    while let Some(line) = reader.next().unwrap() {
        read.extend(line.event.ok());
    }
    assert_eq!(read, [event(1), event(3)]);
}
