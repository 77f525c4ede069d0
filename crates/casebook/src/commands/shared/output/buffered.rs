//! Buffers output while the full-screen view has the terminal.

use std::io::{self, Write};
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};

/// Two streams, in the order in which they were written. Clones share the buffer.
#[derive(Clone, Default)]
pub(crate) struct BufferedOutput {
    written: Arc<Mutex<Vec<BufferedChunk>>>,
}

type BufferedChunk = (Stream, Vec<u8>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stream {
    Out,
    Err,
}

impl BufferedOutput {
    pub(crate) fn out(&self) -> Box<dyn Write + Send> {
        self.writer(Stream::Out)
    }

    pub(crate) fn err(&self) -> Box<dyn Write + Send> {
        self.writer(Stream::Err)
    }

    fn writer(&self, stream: Stream) -> Box<dyn Write + Send> {
        Box::new(Writer {
            buffered: self.clone(),
            stream,
        })
    }

    /// Writes an empty line, unless the output begins with one.
    pub(crate) fn write_separator(&self, out: &mut dyn Write) -> io::Result<()> {
        let written = self.written();
        let first = written.iter().find(|(stream, _)| *stream == Stream::Out);
        match first {
            Some((_, bytes)) if !bytes.starts_with(b"\n") => out.write_all(b"\n"),
            _ => Ok(()),
        }
    }

    /// Writes the buffered output.
    pub(crate) fn release(&self, out: &mut dyn Write, err: &mut dyn Write) -> io::Result<()> {
        for (stream, bytes) in self.written().drain(..) {
            match stream {
                Stream::Out => {
                    out.write_all(&bytes)?;
                    out.flush()?;
                }
                // A failed write to standard error cannot be reported.
                Stream::Err => drop(err.write_all(&bytes)),
            }
        }
        Ok(())
    }

    fn written(&self) -> MutexGuard<'_, Vec<BufferedChunk>> {
        self.written.lock()
    }
}

struct Writer {
    buffered: BufferedOutput,
    stream: Stream,
}

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut written = self.buffered.written();
        match written.last_mut() {
            Some((stream, last)) if *stream == self.stream => last.extend_from_slice(bytes),
            _ => written.push((self.stream, bytes.to_vec())),
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_is_released_in_order() {
        let buffered = BufferedOutput::default();
        buffered.out().write_all(b"a\n").unwrap();
        buffered.err().write_all(b"b\n").unwrap();
        buffered.out().write_all(b"c\n").unwrap();
        let (mut out, mut err) = (Vec::new(), Vec::new());
        buffered.release(&mut out, &mut err).unwrap();
        assert_eq!(
            (out.as_slice(), err.as_slice()),
            (&b"a\nc\n"[..], &b"b\n"[..])
        );
        buffered.release(&mut out, &mut err).unwrap();
        assert_eq!(out, b"a\nc\n");
    }
}
