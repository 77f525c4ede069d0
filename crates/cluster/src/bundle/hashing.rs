//! [`Hashing`]: a reader or writer that calculates the SHA-256 of what passes through it.

use std::io::{self, Read, Write};

use casebook_record::hex;
use sha2::{Digest as _, Sha256};

pub(super) struct Hashing<T> {
    inner: T,
    sha256: Sha256,
}

impl<T> Hashing<T> {
    pub(super) fn new(inner: T) -> Hashing<T> {
        Hashing {
            inner,
            sha256: Sha256::new(),
        }
    }

    /// The digest in hexadecimal digits, and the inner reader or writer.
    pub(super) fn finish(self) -> (String, T) {
        (hex(&self.sha256.finalize()).collect(), self.inner)
    }
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.sha256.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<R: Read> Read for Hashing<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(bytes)?;
        self.sha256.update(&bytes[..read]);
        Ok(read)
    }
}
