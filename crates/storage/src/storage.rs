//! [`Storage`]: objects below a location, and files sent there or read from there in parts.

use std::collections::BTreeMap;
use std::fs::File;
use std::future::Future;
use std::io::{self, Read as _, Write as _};
use std::ops::Range;
use std::path::Path as FilePath;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use object_store::{GetOptions, MultipartUpload, ObjectMeta, ObjectStore, ObjectStoreExt as _};
use tokio::runtime::{Builder, Runtime};

use crate::client::{Connector, Sender};
use crate::configuration;
use crate::error::StorageError;
use crate::location::Location;

/// Larger files are sent and read in parts of this size, so that the size of a file does not matter. The smallest that servers
/// accept is 5 MiB.
pub(crate) const PART_BYTES: usize = 8 << 20;

/// Records below a location.
pub struct Storage {
    pub(crate) location: Location,
    objects: Arc<dyn ObjectStore>,
    /// Runs on the thread of the caller; only requests have their own threads.
    runtime: Runtime,
}

impl Storage {
    /// The storage at this location, with credentials from these environment variables. Nothing is sent.
    pub fn open(
        location: Location,
        environment: &BTreeMap<String, String>,
        sender: Arc<dyn Sender>,
    ) -> Result<Storage, StorageError> {
        let objects = configuration::client(&location, environment, Connector(sender))?;
        Storage::of(location, Arc::new(objects))
    }

    pub(crate) fn of(
        location: Location,
        objects: Arc<dyn ObjectStore>,
    ) -> Result<Storage, StorageError> {
        let runtime = Builder::new_current_thread().enable_time().build();
        let runtime = runtime.map_err(|error| StorageError::Configuration {
            location: location.to_string(),
            reason: error.to_string(),
        })?;
        Ok(Storage {
            location,
            objects,
            runtime,
        })
    }

    /// Where the records are.
    pub fn location(&self) -> &Location {
        &self.location
    }

    pub(crate) fn block_on<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }

    /// All objects below the location.
    pub(crate) async fn list(&self) -> object_store::Result<Vec<ObjectMeta>> {
        let prefix = Some(&self.location.prefix);
        self.objects.list(prefix).try_collect().await
    }

    /// Sends a file.
    pub(crate) async fn put(&self, name: &str, file: &FilePath) -> Result<(), StorageError> {
        self.send(name, file)
            .await
            .map_err(|problem| match problem {
                SendProblem::Unreadable(error) => StorageError::file("read", file)(error),
                SendProblem::Refused(error) => {
                    StorageError::server("upload", self.location.address_of(name), &error)
                }
            })
    }

    async fn send(&self, name: &str, file: &FilePath) -> Result<(), SendProblem> {
        let path = self.location.path_of(name)?;
        let mut input = File::open(file)?;
        let first = read_part(&mut input)?;
        if first.len() < PART_BYTES {
            self.objects.put(&path, first.into()).await?;
            return Ok(());
        }
        let mut upload = self.objects.put_multipart(&path).await?;
        let sent = send_parts(&mut *upload, first, &mut input).await;
        if sent.is_err() {
            // Parts of an incomplete upload would be kept, and paid for.
            let _ = upload.abort().await;
        }
        sent
    }

    /// Reads an object into a new file. An object that is replaced meanwhile is an error.
    pub(crate) async fn get(
        &self,
        object: &ObjectMeta,
        file: &FilePath,
    ) -> Result<(), StorageError> {
        let unwritable = || StorageError::file("write", file);
        let address = || format!("s3://{}/{}", self.location.bucket, object.location);
        let mut out = File::create(file).map_err(unwritable())?;
        let mut position = 0;
        while position < object.size {
            let end = object.size.min(position + PART_BYTES as u64);
            let part = self.read(object, position..end).await;
            let part = part.map_err(|error| StorageError::server("read", address(), &error))?;
            out.write_all(&part).map_err(unwritable())?;
            position = end;
        }
        Ok(())
    }

    async fn read(&self, object: &ObjectMeta, part: Range<u64>) -> object_store::Result<Bytes> {
        let options = GetOptions {
            if_match: object.e_tag.clone(),
            range: Some(part.into()),
            ..GetOptions::default()
        };
        let found = self.objects.get_opts(&object.location, options).await?;
        found.bytes().await
    }
}

/// Why a file was not sent.
enum SendProblem {
    Unreadable(io::Error),
    Refused(object_store::Error),
}

impl From<io::Error> for SendProblem {
    fn from(error: io::Error) -> SendProblem {
        SendProblem::Unreadable(error)
    }
}

impl From<object_store::Error> for SendProblem {
    fn from(error: object_store::Error) -> SendProblem {
        SendProblem::Refused(error)
    }
}

/// Sends the first part and the rest of the file.
async fn send_parts(
    upload: &mut dyn MultipartUpload,
    first: Vec<u8>,
    input: &mut File,
) -> Result<(), SendProblem> {
    let mut part = first;
    while !part.is_empty() {
        upload.put_part(part.into()).await?;
        part = read_part(input)?;
    }
    upload.complete().await?;
    Ok(())
}

/// The next part of a file; shorter than the others at its end.
fn read_part(input: &mut File) -> io::Result<Vec<u8>> {
    let mut part = Vec::new();
    input.take(PART_BYTES as u64).read_to_end(&mut part)?;
    Ok(part)
}
