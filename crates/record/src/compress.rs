//! Files that are compressed by their extension: `.gz` and `.zst`.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use serde::Serialize;

use crate::layout;

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

/// The extensions a file may have in addition to its own, the plain one first.
pub(crate) const EXTENSIONS: [&str; 3] = ["", ".gz", ".zst"];

/// Opens a file to read; `.gz` and `.zst` are decompressed.
pub fn open(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    let file = File::open(path)?;
    // Opening a folder succeeds and reading it does not: say so at once.
    if file.metadata()?.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    }
    Ok(match Compression::of(path) {
        Compression::None => Box::new(file),
        Compression::Gzip => Box::new(MultiGzDecoder::new(BufReader::new(file))),
        Compression::Zstd => Box::new(zstd::Decoder::new(file)?),
    })
}

/// Whether the file at that path is (to be) compressed.
pub(crate) fn is_compressed(path: &Path) -> bool {
    Compression::of(path) != Compression::None
}

/// A writer of small pieces that compresses as the path's extension says. Dropping it ends the compressed stream.
pub(crate) fn writer(path: &Path, file: File) -> io::Result<Box<dyn Write + Send>> {
    Ok(match Compression::of(path) {
        Compression::None => Box::new(file),
        Compression::Gzip => Box::new(GzEncoder::new(file, flate2::Compression::default())),
        Compression::Zstd => {
            Box::new(zstd::Encoder::new(file, zstd::DEFAULT_COMPRESSION_LEVEL)?.auto_finish())
        }
    })
}

/// Writes a value as pretty-printed JSON, compressed as the path's extension says.
pub(crate) fn write_json(path: &Path, file: &mut File, value: &impl Serialize) -> io::Result<()> {
    match Compression::of(path) {
        Compression::None => write_pretty(file, value),
        Compression::Gzip => {
            let mut encoder = GzEncoder::new(file, flate2::Compression::default());
            write_pretty(&mut encoder, value)?;
            encoder.finish().map(drop)
        }
        Compression::Zstd => {
            let mut encoder = zstd::Encoder::new(file, zstd::DEFAULT_COMPRESSION_LEVEL)?;
            write_pretty(&mut encoder, value)?;
            encoder.finish().map(drop)
        }
    }
}

fn write_pretty(out: impl Write, value: &impl Serialize) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 18, out);
    layout::write_pretty(&mut out, value)?;
    out.flush()
}
