//! [`Upload`]: sends records to S3-compatible storage.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use casebook_record::{Run, Store};
use casebook_run::{HttpSender, SendError};
use casebook_storage::{HttpProblem, Location, Sender, Storage, StorageError};

use crate::arguments::record_args::RecordArgs;
use crate::context::Context;
use crate::error::CommandError;

/// How long one request may take: a part of a file has at most 8 MB.
const TIMEOUT: Duration = Duration::from_secs(120);
/// The largest response: a part of a file, or a list of files.
const MAX_RESPONSE: u64 = 64 << 20;

/// Where records are uploaded.
pub(crate) struct Upload(Storage);

impl Upload {
    /// What `--upload` requests. Fails before a long run if there are no credentials.
    pub(crate) fn requested(
        record_args: &RecordArgs,
        context: &Context,
    ) -> Result<Option<Upload>, CommandError> {
        match &record_args.upload {
            Some(_) if record_args.is_disabled() => Err(CommandError::NothingToUpload),
            Some(location) => Upload::to(location, context).map(Some),
            None => Ok(None),
        }
    }

    pub(crate) fn to(location: &Location, context: &Context) -> Result<Upload, CommandError> {
        open(location, context).map(Upload)
    }

    /// Uploads the record of a run, which has this `run.json`. Returns its address.
    pub(crate) fn send(&self, run: &Run, run_file: &Path) -> Result<String, StorageError> {
        let name = Store::dir_name(&run.run_id, run.started_at);
        self.0.upload(&name, run_file)
    }

    pub(crate) fn location(&self) -> &Location {
        self.0.location()
    }
}

/// The storage at a location, with the credentials, proxies and certificates of the environment.
pub(crate) fn open(location: &Location, context: &Context) -> Result<Storage, CommandError> {
    let sender = HttpSender::new(&context.system(), TIMEOUT, MAX_RESPONSE);
    let sender = Arc::new(StorageSender(sender));
    Ok(Storage::open(
        location.clone(),
        &context.environment,
        sender,
    )?)
}

struct StorageSender(HttpSender);

impl Sender for StorageSender {
    fn send(&self, request: http::Request<&[u8]>) -> Result<http::Response<Vec<u8>>, HttpProblem> {
        self.0.send(request).map_err(|error| {
            let reason = error.to_string();
            match error {
                SendError::NotSent(_) => HttpProblem::NotSent(reason),
                SendError::TimedOut(_) => HttpProblem::TimedOut(reason),
                SendError::Broken(_) => HttpProblem::Broken(reason),
                SendError::Failed(_) => HttpProblem::Other(reason),
            }
        })
    }
}
