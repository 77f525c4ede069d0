//! Encodes data as text without HTML syntax: gzip, then base64.

use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;

/// Compresses and encodes the bytes. Uses the fastest level: others save little space and take much longer.
pub(super) fn packed(bytes: &[u8]) -> String {
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 4), Compression::fast());
    encoder
        .write_all(bytes)
        .expect("writing to memory succeeds");
    STANDARD.encode(encoder.finish().expect("writing to memory succeeds"))
}
