//! [`ClusterError`]: why a cluster cannot be used.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use casebook_record::io_reason;
use casebook_run::RunError;

use crate::full_store::is_full;

/// Why a cluster cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    /// The address or the name of the cluster is invalid.
    #[error("{0}")]
    Address(String),
    /// The server cannot be reached.
    #[error("cannot connect to {server}: {reason}; is nats-server running there?")]
    Unreachable {
        /// The address without credentials.
        server: String,
        /// The client's reason.
        reason: String,
    },
    /// The server rejects the credentials.
    #[error(
        "{0} rejects the credentials; pass --cluster-creds FILE, or set CASEBOOK_CLUSTER_USER and CASEBOOK_CLUSTER_PASSWORD, or CASEBOOK_CLUSTER_TOKEN"
    )]
    Credentials(String),
    /// The connection cannot be encrypted.
    #[error(
        "no secure connection to {server}: {reason}; pass the certificate of its authority with --cluster-ca FILE"
    )]
    Tls {
        /// The address without credentials.
        server: String,
        /// The client's reason.
        reason: String,
    },
    /// The server has no JetStream.
    #[error("{0} runs without JetStream; start it with `nats-server --jetstream`")]
    NoJetStream(String),
    /// The server is too old.
    #[error("{server} has nats-server {version}; version 2.10.23 or newer is required")]
    TooOld {
        /// The address without credentials.
        server: String,
        /// The version of the server.
        version: String,
    },
    /// A request to the server failed.
    #[error("cannot {action}: {reason}")]
    Request {
        /// What was attempted.
        action: &'static str,
        /// The client's reason.
        reason: String,
    },
    /// The server has no room for another message.
    #[error(
        "cannot {action}: the store of the server is full ({reason}); raise `max_file_store` in its configuration, or remove streams that are no longer needed"
    )]
    FullStore {
        /// What was attempted.
        action: String,
        /// The server's reason.
        reason: String,
    },
    /// A suite is not part of the project, so workers do not have it.
    #[error(
        "{0} is outside this directory, so workers do not have it; run `casebook run --cluster` in a directory that contains all suites"
    )]
    OutsideSuite(String),
    /// A bundle without files.
    #[error(
        "--bundle: found no files; those that .gitignore excludes are included only if you name them"
    )]
    EmptyBundle,
    /// A path of a bundle is not part of the project.
    #[error(
        "--bundle {}: outside this directory; run Casebook in a directory that contains all files of the bundle", .0.display()
    )]
    OutsideBundle(PathBuf),
    /// A symbolic link that would not work on a worker.
    #[error(
        "--bundle: the symbolic link {} leads outside this directory, to {}; replace it by a file", path.display(), target.display()
    )]
    BundleLink {
        /// The symbolic link.
        path: PathBuf,
        /// Where it leads.
        target: PathBuf,
    },
    /// A file of a bundle cannot be read.
    #[error("--bundle: cannot read {}: {}", path.display(), io_reason(source))]
    Unreadable {
        /// The file or directory.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A file with tests is not in the bundle.
    #[error("{0} is not in the bundle, so workers do not have it; add it with --bundle")]
    NotBundled(String),
    /// The server was gone for too long.
    #[error("the connection to {server} was lost for {seconds} s; the results so far are recorded")]
    ServerLost {
        /// The address without credentials.
        server: String,
        /// How long it was waited for.
        seconds: u64,
    },
    /// No worker was there for too long.
    #[error("no worker was connected for {0} s; start one with `casebook worker --connect URL`")]
    NoWorkers(u64),
    /// Every worker refused a chunk.
    #[error("no worker can run {suite}: {reasons}{advice}")]
    Refused {
        /// The suite's file.
        suite: String,
        /// Each worker and its reason.
        reasons: String,
        /// What to do.
        advice: &'static str,
    },
    /// A test could not be started.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A pattern of secret names is invalid.
    #[error(transparent)]
    Pattern(#[from] casebook_record::InvalidPattern),
    /// An error of the operating system.
    #[error("{}", io_reason(.0))]
    Io(#[from] io::Error),
}

impl ClusterError {
    /// Workers with the same reason are named together.
    pub(crate) fn refused(
        suite: String,
        refusals: &BTreeMap<String, String>,
        is_bundled: bool,
    ) -> ClusterError {
        let mut workers: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (worker, reason) in refusals {
            workers.entry(reason).or_default().push(worker);
        }
        let reasons = workers
            .iter()
            .map(|(reason, workers)| format!("{reason} ({})", workers.join(", ")));
        ClusterError::Refused {
            suite,
            reasons: reasons.collect::<Vec<_>>().join("; "),
            advice: if is_bundled {
                ""
            } else {
                "; update the checkouts of the workers"
            },
        }
    }

    pub(crate) fn unreadable(path: &Path, source: io::Error) -> ClusterError {
        let path = path.to_owned();
        ClusterError::Unreadable { path, source }
    }

    pub(crate) fn request(action: &'static str, reason: impl std::fmt::Display) -> ClusterError {
        let reason = reason.to_string();
        if is_full(&reason) {
            let action = action.to_owned();
            return ClusterError::FullStore { action, reason };
        }
        ClusterError::Request { action, reason }
    }
}
