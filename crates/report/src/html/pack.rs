//! Encodes data as text without HTML syntax: gzip, then base64.

use std::io::{self, BufWriter, Write as _};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;

/// Compresses and encodes the bytes. Uses the fastest level: others save little space and take much longer.
pub(super) fn packed(bytes: &[u8]) -> String {
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 4), Compression::fast());
    encoder
        .write_all(bytes)
        .expect("writing to memory succeeds");
    STANDARD.encode(encoder.finish().expect("writing to memory succeeds"))
}

/// Compresses and encodes the value as JSON, of which no copy is made.
pub(super) fn packed_json(value: &impl Serialize) -> io::Result<String> {
    let encoder = GzEncoder::new(Vec::new(), Compression::fast());
    let mut encoder = BufWriter::new(encoder);
    serde_json::to_writer(&mut encoder, value)?;
    Ok(STANDARD.encode(encoder.into_inner()?.finish()?))
}
