//! [`StorageError`]: why records cannot be uploaded or read, in the words of the server where it gives a reason.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

use casebook_record::io_reason;
use object_store::client::HttpError;

use crate::location::Location;

/// Why records cannot be uploaded or read.
#[derive(Debug, thiserror::Error)]
pub enum StorageError {
    /// The environment has no credentials.
    #[error(
        "no credentials for {0}: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment"
    )]
    NoCredentials(Location),
    /// A variable of the environment has a value that cannot be used.
    #[error("{name} {problem}")]
    Variable {
        /// The name of the variable.
        name: &'static str,
        /// What is wrong with it.
        problem: String,
    },
    /// The configuration is invalid.
    #[error("cannot use {location}: {reason}")]
    Configuration {
        /// The location.
        location: String,
        /// The reason for the user.
        reason: String,
    },
    /// The server refused a request, or there was no response.
    #[error("cannot {action} {address}: {reason}")]
    Server {
        /// The operation as a verb.
        action: &'static str,
        /// What it is about.
        address: String,
        /// The reason for the user.
        reason: String,
    },
    /// A local file cannot be read or written.
    #[error("cannot {action} {}: {}", path.display(), io_reason(source))]
    File {
        /// The operation as a verb.
        action: &'static str,
        /// The path of the operation.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl StorageError {
    pub(crate) fn invalid_configuration(
        location: &Location,
        error: &object_store::Error,
    ) -> StorageError {
        StorageError::Configuration {
            location: location.to_string(),
            reason: reason(error),
        }
    }

    pub(crate) fn server(
        action: &'static str,
        address: String,
        error: &object_store::Error,
    ) -> StorageError {
        StorageError::Server {
            action,
            address,
            reason: reason(error),
        }
    }

    pub(crate) fn file(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| StorageError::File {
            action,
            path,
            source,
        }
    }
}

/// What went wrong, without the library's own words around it.
fn reason(error: &object_store::Error) -> String {
    let http = causes(error).find_map(|error| error.downcast_ref::<HttpError>());
    if let Some(source) = http.and_then(HttpError::source) {
        return source.to_string();
    }
    let text = error.to_string();
    if let Some(reason) = server_reason(&text) {
        return reason;
    }
    if text.contains("without LOCATION") {
        return "the bucket is in another region; set AWS_REGION".to_owned();
    }
    match error {
        object_store::Error::NotFound { .. } => "not found".to_owned(),
        object_store::Error::PermissionDenied { .. } => "access denied".to_owned(),
        object_store::Error::Unauthenticated { .. } => "the credentials are not valid".to_owned(),
        _ => causes(error).last().unwrap_or(error).to_string(),
    }
}

/// The error and its causes.
fn causes(error: &object_store::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    let first: &(dyn Error + 'static) = error;
    std::iter::successors(Some(first), |&error| error.source())
}

/// `The specified bucket does not exist (NoSuchBucket)`, from the XML of a refusal.
fn server_reason(text: &str) -> Option<String> {
    let element = |name: &str| {
        let (_, rest) = text.split_once(&format!("<{name}>"))?;
        let (content, _) = rest.split_once(&format!("</{name}>"))?;
        Some(content.trim())
    };
    let code = element("Code")?;
    let message = element("Message").unwrap_or_default();
    let message = message.trim_end_matches('.');
    Some(match message {
        "" => code.to_owned(),
        message => format!("{message} ({code})"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> object_store::Error {
        object_store::Error::PermissionDenied {
            path: "x".into(),
            source: text.into(),
        }
    }

    #[test]
    fn the_reason_is_that_of_the_server() {
        let body = "403: <?xml?><Error><Code>AccessDenied</Code><Message>Access Denied.</Message><AWSAccessKeyId>AKIA</AWSAccessKeyId></Error>";
        assert_eq!(reason(&refused(body)), "Access Denied (AccessDenied)");
        assert_eq!(reason(&refused("<Code>SlowDown</Code>")), "SlowDown");
        assert_eq!(reason(&refused("403 Forbidden")), "access denied");
    }

    #[test]
    fn a_reason_may_be_missing() {
        let redirect = object_store::Error::Generic {
            store: "S3",
            source: "Received redirect without LOCATION".into(),
        };
        assert_eq!(
            reason(&redirect),
            "the bucket is in another region; set AWS_REGION"
        );
        let other = object_store::Error::Generic {
            store: "S3",
            source: "disk on fire".into(),
        };
        assert_eq!(reason(&other), "disk on fire");
    }
}
