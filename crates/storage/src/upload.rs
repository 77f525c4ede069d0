//! Copies a record to the storage.

use std::io::{self, BufWriter, Write as _};
use std::path::Path;

use tempfile::NamedTempFile;

use crate::error::StorageError;
use crate::files::{RUN_FILE, beside_run_file};
use crate::storage::Storage;

impl Storage {
    /// Uploads the record with this `run.json`, and the files beside it, as a directory with this name. Returns its address.
    /// A record with the same name is replaced, so that the record of a run that was resumed can be uploaded again.
    pub fn upload(&self, name: &str, run_file: &Path) -> Result<String, StorageError> {
        let dir = run_file.parent().unwrap_or(Path::new("."));
        let compressed = compressed(run_file).map_err(StorageError::file("read", run_file))?;
        self.block_on(async {
            for (file, path) in beside_run_file(dir) {
                self.put(&format!("{name}/{file}"), &path).await?;
            }
            // Last, because it makes the record complete.
            self.put(&format!("{name}/{RUN_FILE}"), compressed.path())
                .await
        })?;
        Ok(self.location.address_of(name))
    }
}

/// A `run.json`, which may be compressed already, in a temporary file.
fn compressed(run_file: &Path) -> io::Result<NamedTempFile> {
    let mut input = casebook_record::open(run_file)?;
    let file = NamedTempFile::new()?;
    let out = BufWriter::new(file.as_file());
    let mut encoder = zstd::Encoder::new(out, zstd::DEFAULT_COMPRESSION_LEVEL)?;
    io::copy(&mut input, &mut encoder)?;
    encoder.finish()?.flush()?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::sync::Arc;

    use object_store::memory::InMemory;

    use super::*;
    use crate::testing::{keys, storage};

    #[test]
    fn the_run_file_is_compressed_and_the_journal_stays_here() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        fs::create_dir(path("output")).unwrap();
        for name in [
            "run.json",
            "events.jsonl",
            "output/a b.txt",
            "reviews.jsonl",
            "notes",
        ] {
            fs::write(path(name), name).unwrap();
        }
        let objects = Arc::new(InMemory::new());
        let storage = storage("s3://bucket/shop", &objects);
        let address = storage.upload("20261119-1", &path("run.json")).unwrap();
        assert_eq!(address, "s3://bucket/shop/20261119-1");
        assert_eq!(
            keys(&storage, &objects),
            [
                "shop/20261119-1/output/a b.txt",
                "shop/20261119-1/reviews.jsonl",
                "shop/20261119-1/run.json.zst",
            ]
        );
    }

    #[test]
    fn a_missing_record_is_an_error() {
        let objects = Arc::new(InMemory::new());
        let storage = storage("s3://bucket", &objects);
        let error = storage.upload("x", Path::new("/no/run.json")).unwrap_err();
        assert!(error.to_string().starts_with("cannot read /no/run.json: "));
        assert!(keys(&storage, &objects).is_empty());
    }

    #[test]
    fn a_compressed_run_file_is_not_compressed_twice() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run.json.zst");
        fs::write(&path, zstd::encode_all(&b"{}"[..], 0).unwrap()).unwrap();
        let compressed = compressed(&path).unwrap();
        let text = zstd::decode_all(File::open(compressed.path()).unwrap()).unwrap();
        assert_eq!(text, b"{}");
    }
}
