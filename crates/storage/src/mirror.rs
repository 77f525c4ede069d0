//! [`Mirror`]: a local copy of all records in the storage.
//!
//! Each record is downloaded into a hidden directory that is then renamed, so that a program that watches the directory of records sees
//! only complete ones. A file in it says which upload it is a copy of.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use object_store::ObjectMeta;

use crate::error::StorageError;
use crate::files::{is_of_record, is_run_file};
use crate::storage::Storage;

/// Records that are downloaded at once.
const CONCURRENT: usize = 8;
/// Identifies the upload that a record is a copy of.
const STAMP: &str = ".upload";
const UNFINISHED: &str = ".download-";
/// A download that was not finished after this time was interrupted.
const MAX_DOWNLOAD: Duration = Duration::from_secs(24 * 60 * 60);

/// A directory with copies of the records.
pub struct Mirror {
    storage: Storage,
    runs: PathBuf,
}

/// What the storage contains.
pub struct Update {
    records: BTreeMap<String, UploadedRecord>,
}

/// The files of a record.
#[derive(Default)]
struct UploadedRecord {
    files: Vec<(String, ObjectMeta)>,
    /// Identifies its `run.json`; `None` before that is uploaded.
    stamp: Option<String>,
}

impl Update {
    /// The number of complete records.
    pub fn record_count(&self) -> usize {
        self.records.len()
    }
}

impl Mirror {
    /// The copies in this directory, which contains nothing else.
    pub fn new(storage: Storage, runs: PathBuf) -> Result<Mirror, StorageError> {
        fs::create_dir_all(&runs).map_err(StorageError::file("create", &runs))?;
        remove_interrupted(&runs);
        Ok(Mirror { storage, runs })
    }

    /// Asks the server which records there are.
    pub fn check(&self) -> Result<Update, StorageError> {
        let storage = &self.storage;
        let address = || storage.location().to_string();
        let objects = storage.block_on(storage.list());
        let objects = objects.map_err(|error| StorageError::server("read", address(), &error))?;
        let mut records = BTreeMap::<String, UploadedRecord>::new();
        for object in objects {
            if let Some((record, file)) = self.place(&object) {
                records.entry(record).or_default().add(file, object);
            }
        }
        records.retain(|_, record| record.stamp.is_some());
        Ok(Update { records })
    }

    /// The record and the file in it that an object is.
    fn place(&self, object: &ObjectMeta) -> Option<(String, String)> {
        let parts = object
            .location
            .prefix_match(&self.storage.location.prefix)?;
        let parts: Vec<_> = parts.map(|part| part.as_ref().to_owned()).collect();
        let (record, file) = parts.split_first()?;
        let file = file.join("/");
        (!record.starts_with('.') && is_of_record(&file)).then(|| (record.clone(), file))
    }

    /// Downloads the records that are new or were uploaded again, newest first, and removes those that are no longer there.
    /// Returns the problems; the other records are there nevertheless.
    pub fn apply(&self, update: &Update) -> Vec<StorageError> {
        self.remove_missing(update);
        let new = update.records.iter().rev();
        let new = new.filter(|(name, record)| self.stamp(name) != record.stamp);
        let downloads = new.map(|(name, record)| self.download(name, record));
        let done = stream::iter(downloads).buffer_unordered(CONCURRENT);
        let problems = done.filter_map(|result| async { result.err() });
        self.storage.block_on(problems.collect())
    }

    fn stamp(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.runs.join(name).join(STAMP)).ok()
    }

    async fn download(&self, name: &str, record: &UploadedRecord) -> Result<(), StorageError> {
        let temporary = tempfile::Builder::new()
            .prefix(UNFINISHED)
            .tempdir_in(&self.runs)
            .map_err(StorageError::file("create files in", &self.runs))?;
        for (file, object) in &record.files {
            let path = temporary.path().join(file);
            let dir = path.parent().unwrap_or(temporary.path());
            fs::create_dir_all(dir).map_err(StorageError::file("create", dir))?;
            self.storage.get(object, &path).await?;
        }
        let stamp = temporary.path().join(STAMP);
        let text = record.stamp.as_deref().unwrap_or_default();
        fs::write(&stamp, text).map_err(StorageError::file("write", &stamp))?;
        let target = self.runs.join(name);
        // The older upload of the same record.
        let _ = fs::remove_dir_all(&target);
        fs::rename(temporary.keep(), &target).map_err(StorageError::file("write", &target))
    }

    /// Removes the copies of records that were deleted on the server. Directories that are not copies stay.
    fn remove_missing(&self, update: &Update) {
        for (name, dir) in entries(&self.runs) {
            if !update.records.contains_key(&name) && dir.join(STAMP).exists() {
                let _ = fs::remove_dir_all(dir);
            }
        }
    }
}

impl UploadedRecord {
    fn add(&mut self, file: String, object: ObjectMeta) {
        if is_run_file(&file) {
            let changed = || format!("{} {}", object.size, object.last_modified);
            self.stamp = Some(object.e_tag.clone().unwrap_or_else(changed));
        }
        self.files.push((file, object));
    }
}

/// Removes what is left of downloads that were interrupted.
fn remove_interrupted(runs: &Path) {
    for (name, dir) in entries(runs) {
        let modified = fs::metadata(&dir).and_then(|dir| dir.modified());
        let age = modified.ok().and_then(|modified| modified.elapsed().ok());
        if name.starts_with(UNFINISHED) && age.is_some_and(|age| age > MAX_DOWNLOAD) {
            let _ = fs::remove_dir_all(dir);
        }
    }
}

fn entries(dir: &Path) -> impl Iterator<Item = (String, PathBuf)> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    entries.filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.path())))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use object_store::memory::InMemory;
    use object_store::{ObjectStoreExt as _, PutPayload};
    use tempfile::TempDir;

    use super::*;
    use crate::storage::PART_BYTES;
    use crate::testing::storage;

    struct Bucket {
        location: String,
        objects: Arc<InMemory>,
        runs: TempDir,
    }

    impl Bucket {
        fn new(location: &str) -> Bucket {
            Bucket {
                location: location.to_owned(),
                objects: Arc::new(InMemory::new()),
                runs: tempfile::tempdir().unwrap(),
            }
        }

        fn storage(&self) -> Storage {
            storage(&self.location, &self.objects)
        }

        fn put(&self, key: &str, content: impl Into<PutPayload>) {
            let path = key.into();
            let put = self.objects.put(&path, content.into());
            self.storage().block_on(put).unwrap();
        }

        fn delete(&self, key: &str) {
            let path = key.into();
            let delete = self.objects.delete(&path);
            self.storage().block_on(delete).unwrap();
        }

        /// Updates the copies; returns their names.
        fn update(&self) -> Vec<String> {
            let runs = self.runs.path();
            let mirror = Mirror::new(self.storage(), runs.to_owned()).unwrap();
            let problems = mirror.apply(&mirror.check().unwrap());
            assert!(problems.is_empty(), "{problems:?}");
            let mut names: Vec<_> = entries(runs).map(|(name, _)| name).collect();
            names.sort();
            names
        }

        fn read(&self, name: &str) -> String {
            fs::read_to_string(self.runs.path().join(name)).unwrap()
        }
    }

    #[test]
    fn complete_records_are_copied_and_deleted_ones_removed() {
        let bucket = Bucket::new("s3://bucket/shop");
        bucket.put("shop/1/run.json.zst", "one");
        bucket.put("shop/1/output/a.txt", "text");
        bucket.put("shop/2/run.json", "two");
        bucket.put("shop/3/output/b.txt", "its run.json is not uploaded yet");
        bucket.put("other/4/run.json", "of another project");
        assert_eq!(bucket.update(), ["1", "2"]);
        assert_eq!(bucket.read("1/output/a.txt"), "text");
        bucket.delete("shop/1/run.json.zst");
        fs::create_dir(bucket.runs.path().join("not a copy")).unwrap();
        assert_eq!(bucket.update(), ["2", "not a copy"]);
    }

    #[test]
    fn only_records_that_changed_are_downloaded_again() {
        let bucket = Bucket::new("s3://bucket");
        bucket.put("1/run.json", "one");
        bucket.put("2/run.json", "two");
        bucket.update();
        fs::write(bucket.runs.path().join("1/run.json"), "edited here").unwrap();
        bucket.put("2/run.json", "two, resumed");
        bucket.update();
        assert_eq!(bucket.read("1/run.json"), "edited here");
        assert_eq!(bucket.read("2/run.json"), "two, resumed");
    }

    #[test]
    fn a_large_record_is_read_in_parts() {
        let bucket = Bucket::new("s3://bucket");
        let content: String = (0..)
            .map(|n: u64| format!("{n:015}\n"))
            .take((2 * PART_BYTES + 1000) / 16)
            .collect();
        bucket.put("1/run.json", content.clone());
        bucket.update();
        assert!(bucket.read("1/run.json") == content);
    }

    #[test]
    fn nothing_but_records_is_written() {
        let bucket = Bucket::new("s3://bucket");
        bucket.put("1/run.json", "one");
        bucket.put("1/.bashrc", "x");
        bucket.put("1/output/.hidden", "x");
        bucket.put(".ssh/run.json", "x");
        bucket.put("run.json", "x");
        assert_eq!(bucket.update(), ["1"]);
        let files: Vec<_> = entries(&bucket.runs.path().join("1")).collect();
        assert_eq!(files.len(), 2, "{files:?}");
    }
}
