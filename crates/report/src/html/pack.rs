//! Data as text that HTML cannot take for anything else: gzip, then base64.

use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;

/// The bytes, compressed for speed: a better level would make the page a little smaller and its writing much slower.
pub(super) fn packed(bytes: &[u8]) -> String {
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 4), Compression::fast());
    encoder
        .write_all(bytes)
        .expect("writing to memory succeeds");
    STANDARD.encode(encoder.finish().expect("writing to memory succeeds"))
}
