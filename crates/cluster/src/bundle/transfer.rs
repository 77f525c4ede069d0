//! Bundles in the object store.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use async_nats::jetstream::object_store::ObjectMetadata;
use casebook_record::Time;
use tokio::io::{AsyncRead, AsyncReadExt as _, ReadBuf};
use tokio::time::timeout;

use super::pack::Bundle;
use crate::error::ClusterError;
use crate::server::{KEEP, OBJECT_SILENCE, Server};

/// The field of an object with the time at which it was stored, in milliseconds.
const STORED: &str = "stored";
/// How many bytes are read at once.
const PART: usize = 128 * 1024;
/// How often a worker tries to get a bundle: another controller may be replacing it.
const ATTEMPTS: usize = 3;
/// How long to wait before the next attempt.
const RETRY: Duration = Duration::from_millis(500);

fn object_name(digest: &str) -> String {
    format!("bundle/{digest}")
}

impl Server {
    /// Stores a bundle, unless the server has it and keeps it for as long as a run may take.
    pub(crate) async fn store_bundle(
        self,
        digest: String,
        mut archive: File,
        now: Time,
    ) -> Result<(), ClusterError> {
        let failed =
            |error: &dyn std::fmt::Display| ClusterError::request("store the bundle", error);
        let (bucket, name) = (self.bucket().await?, object_name(&digest));
        if let Ok(info) = bucket.info(&name).await
            && !info.deleted
            && is_fresh(info.metadata.get(STORED).map(String::as_str), now)
        {
            return Ok(());
        }
        archive.rewind()?;
        let object = ObjectMetadata {
            name,
            metadata: [(STORED.to_owned(), now.as_millis().to_string())].into(),
            ..ObjectMetadata::default()
        };
        let stored = bucket.put(object, &mut Blocking(archive)).await;
        stored.map(drop).map_err(|error| failed(&error))
    }

    /// Writes the archive of a bundle to a file.
    pub(crate) async fn load_bundle(self, digest: String, mut archive: File) -> io::Result<File> {
        let mut attempt = 1;
        loop {
            match self.read_object(&object_name(&digest), &mut archive).await {
                Ok(()) => return Ok(archive),
                Err(error) if attempt == ATTEMPTS => return Err(error),
                Err(_) => tokio::time::sleep(RETRY).await,
            }
            attempt += 1;
        }
    }

    async fn read_object(&self, name: &str, file: &mut File) -> io::Result<()> {
        file.set_len(0)?;
        file.rewind()?;
        let bucket = self.bucket().await.map_err(io::Error::other)?;
        let mut object = bucket.get(name).await.map_err(io::Error::other)?;
        let mut part = vec![0; PART];
        loop {
            let read = timeout(OBJECT_SILENCE, object.read(&mut part)).await;
            match read.map_err(io::Error::other)?? {
                0 => return Ok(()),
                read => file.write_all(&part[..read])?,
            }
        }
    }
}

impl Bundle {
    /// Another handle of the archive.
    pub(crate) fn archive(&self) -> io::Result<File> {
        self.archive.try_clone()
    }
}

/// Whether an object that was stored at this time will be there during a run that begins now.
fn is_fresh(stored: Option<&str>, now: Time) -> bool {
    let stored = stored.and_then(|millis| millis.parse().ok());
    let age = stored.map(|stored| now.millis_since(Time::from_millis(stored)));
    age.is_some_and(|age| u128::try_from(age).unwrap_or(0) < KEEP.as_millis() / 2)
}

/// Reads a local file. This needs too little time to matter to other tasks.
struct Blocking(File);

impl AsyncRead for Blocking {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = self.0.read(buffer.initialize_unfilled())?;
        buffer.advance(read);
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_stored_again_before_the_server_removes_it() {
        let hours = |hours: i64| Time::from_millis(hours * 60 * 60 * 1000);
        assert!(is_fresh(Some("0"), hours(11)));
        assert!(!is_fresh(Some("0"), hours(13)));
        assert!(!is_fresh(None, hours(0)));
    }
}
