//! Compression selected by file extension: `.gz` and `.zst`.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Compression {
    None,
    Gzip,
    Zstd,
}

impl Compression {
    fn of(path: &Path) -> Compression {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("gz") => Compression::Gzip,
            Some("zst") => Compression::Zstd,
            _ => Compression::None,
        }
    }
}

/// The extensions appended to a file's name, the uncompressed one first.
pub(crate) const EXTENSIONS: [&str; 3] = ["", ".gz", ".zst"];

/// Opens a file for reading; decompresses `.gz` and `.zst`.
pub fn open(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    let file = File::open(path)?;
    // Opening a directory succeeds and reading it fails, so the error is returned here.
    if file.metadata()?.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    }
    Ok(match Compression::of(path) {
        Compression::None => Box::new(file),
        Compression::Gzip => Box::new(MultiGzDecoder::new(BufReader::new(file))),
        Compression::Zstd => Box::new(zstd::Decoder::new(file)?),
    })
}

/// Whether the extension of the path selects compression.
pub(crate) fn is_compressed(path: &Path) -> bool {
    Compression::of(path) != Compression::None
}

/// A writer that compresses according to the path's extension.
pub(crate) enum Writer<W: Write> {
    Plain(W),
    Gzip(GzEncoder<W>),
    Zstd(zstd::Encoder<'static, W>),
}

impl<W: Write> Writer<W> {
    pub(crate) fn new(path: &Path, out: W) -> io::Result<Writer<W>> {
        Ok(match Compression::of(path) {
            Compression::None => Writer::Plain(out),
            Compression::Gzip => Writer::Gzip(GzEncoder::new(out, flate2::Compression::default())),
            Compression::Zstd => {
                Writer::Zstd(zstd::Encoder::new(out, zstd::DEFAULT_COMPRESSION_LEVEL)?)
            }
        })
    }

    /// Ends the compressed stream and flushes it.
    pub(crate) fn finish(self) -> io::Result<()> {
        match self {
            Writer::Plain(mut out) => out.flush(),
            Writer::Gzip(encoder) => encoder.finish()?.flush(),
            Writer::Zstd(encoder) => encoder.finish()?.flush(),
        }
    }
}

impl<W: Write> Write for Writer<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Writer::Plain(out) => out.write(bytes),
            Writer::Gzip(encoder) => encoder.write(bytes),
            Writer::Zstd(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Writer::Plain(out) => out.flush(),
            Writer::Gzip(encoder) => encoder.flush(),
            Writer::Zstd(encoder) => encoder.flush(),
        }
    }
}
