//! The connection to a cluster, from options and environment, and runs on it.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use casebook_cluster::{Bundle, Cluster, ClusterError, ClusterOutcome, Credentials, QueueAddress};
use casebook_record::{Event, EventReader, RunIdentity, Store};
use casebook_run::{RunOutcome, SystemContext};

use super::project::Project;
use crate::arguments::cluster_args::{ClusterArgs, ClusterRunArgs};
use crate::arguments::record_args::RecordArgs;
use crate::context::Context;
use crate::error::CommandError;

/// The options of a run on a cluster.
pub(crate) struct ClusterSettings {
    url: String,
    arguments: ClusterArgs,
    /// The paths of the files for the workers.
    bundle: Vec<PathBuf>,
    lost_retries: u32,
    lease: Duration,
    no_worker_timeout: Duration,
    no_server_timeout: Duration,
}

/// Which run the tests belong to.
pub(crate) struct ClusterRun<'a> {
    pub(crate) identity: RunIdentity,
    /// What an earlier controller recorded.
    pub(crate) recorded: Vec<Event>,
    /// Names of further environment variables whose values are redacted.
    pub(crate) redact: &'a [String],
}

impl ClusterSettings {
    /// `None` without `--cluster`.
    pub(crate) fn new(typed: &ClusterRunArgs) -> Option<ClusterSettings> {
        Some(ClusterSettings {
            url: typed.cluster.clone()?,
            arguments: typed.connection.clone(),
            bundle: typed.bundle.clone(),
            lost_retries: typed.lost_retries,
            lease: typed.cluster_lease,
            no_worker_timeout: typed.no_worker_timeout,
            no_server_timeout: typed.no_server_timeout,
        })
    }

    /// Runs tests on the cluster, and reports how often workers were silent.
    pub(crate) fn run(
        &self,
        run: ClusterRun<'_>,
        context: &Context,
        start: impl FnOnce(&Cluster<'_>) -> Result<ClusterOutcome, ClusterError>,
    ) -> Result<RunOutcome, CommandError> {
        let say = |message: &str| context.messages.info(message);
        if is_path(&self.url, context) {
            return Err(CommandError::PathAsUrl(self.url.clone()));
        }
        let bundle = match self.bundle.as_slice() {
            [] => None,
            paths => Some(Bundle::pack(paths, &context.system())?),
        };
        let outcome = start(&Cluster {
            address: address(&self.url, &self.arguments, context)?,
            run_id: run.identity.run_id,
            commit: run.identity.git_commit,
            bundle,
            redact: run.redact.to_vec(),
            lost_retries: self.lost_retries,
            lease: self.lease,
            no_worker_timeout: self.no_worker_timeout,
            no_server_timeout: self.no_server_timeout,
            recorded: run.recorded,
            say: &say,
            print: &|bytes| context.messages.write_raw(bytes),
        })?;
        if outcome.redelivered > 0 {
            say(&given_again(outcome.redelivered));
        }
        match outcome.error {
            Some(error) => Err(error.into()),
            None => Ok(outcome.run),
        }
    }
}

/// The directory of the recorded run with this id.
pub(crate) fn recorded_run(
    run_id: &str,
    record: &RecordArgs,
    context: &Context,
) -> Option<PathBuf> {
    let requested = record.record.iter().map(|dir| context.dir.join(dir));
    let mut dirs = requested.chain(Store::in_project(&context.dir).dirs());
    dirs.find(|dir| {
        let journal = EventReader::open(&dir.join("events.jsonl"));
        let first = journal.and_then(|mut journal| journal.next());
        let first = first.ok().flatten().and_then(|line| line.event.ok());
        matches!(first, Some(Event::SuiteStarted(suite)) if suite.run_id.as_deref() == Some(run_id))
    })
}

/// What an earlier controller recorded: the valid events of its journal.
pub(crate) fn recorded_events(journal: &Path) -> io::Result<Vec<Event>> {
    let mut reader = EventReader::open(journal)?;
    let mut events = Vec::new();
    while let Some(line) = reader.next()? {
        events.extend(line.event);
    }
    Ok(events)
}

/// The environment variables of the connection. Tests do not get them.
const PREFIX: &str = "CASEBOOK_CLUSTER_";

fn given_again(chunks: usize) -> String {
    let were = if chunks == 1 {
        "chunk was"
    } else {
        "chunks were"
    };
    format!("{chunks} {were} given to another worker, because the first one was silent")
}

/// An environment variable with the prefix of the cluster's options.
fn variable(name: &str, context: &Context) -> Option<String> {
    let value = context.environment.get(&format!("{PREFIX}{name}"));
    value.filter(|value| !value.is_empty()).cloned()
}

/// The path of an argument, otherwise of an environment variable.
fn file(typed: Option<&PathBuf>, name: &str, context: &Context) -> Option<PathBuf> {
    let path = typed.cloned();
    let path = path.or_else(|| variable(name, context).map(PathBuf::from));
    path.map(|path| context.dir.join(path))
}

/// The credentials in the arguments or the environment.
fn credentials(arguments: &ClusterArgs, context: &Context) -> Option<Credentials> {
    let variable = |name: &str| variable(name, context);
    file(arguments.cluster_creds.as_ref(), "CREDS", context)
        .map(Credentials::File)
        .or_else(|| variable("NKEY").map(Credentials::Nkey))
        .or_else(|| variable("TOKEN").map(Credentials::Token))
        .or_else(|| {
            let password = variable("PASSWORD").unwrap_or_default();
            variable("USER").map(|user| Credentials::User(user, password))
        })
}

/// The address of a cluster: the command line before the environment, the environment before `casebook.toml`. An empty
/// `url` is one that the command line does not contain. Passwords come from the environment, because other users can see
/// the arguments of a process.
pub(crate) fn address(
    url: &str,
    arguments: &ClusterArgs,
    context: &Context,
) -> Result<QueueAddress, CommandError> {
    let variable = |name: &str| variable(name, context);
    let project = Project::read(context)?.into_defaults(context)?;
    let named = |origin: &'static str| move |url: String| (url, origin);
    let (url, origin) = Some((url.to_owned(), ""))
        .filter(|(url, _)| !url.is_empty())
        .or_else(|| variable("URL").map(named("CASEBOOK_CLUSTER_URL: ")))
        .or_else(|| project.cluster.url.map(named("`url` in casebook.toml: ")))
        .ok_or(CommandError::NoClusterUrl)?;
    let name = arguments
        .cluster_name
        .clone()
        .or_else(|| variable("NAME"))
        .or(project.cluster.name);
    let credentials = credentials(arguments, context);
    let credentials = credentials.or(project.cluster.creds.map(Credentials::File));
    let certificates = file(arguments.cluster_ca.as_ref(), "CA", context);
    let certificates = certificates.or(project.cluster.ca);
    let name = name.as_deref().unwrap_or("default");
    QueueAddress::new(&url, name, credentials.unwrap_or_default(), certificates).map_err(|error| {
        match error {
            ClusterError::Address(message) => {
                ClusterError::Address(format!("{origin}{message}")).into()
            }
            error => error.into(),
        }
    })
}

/// Whether this is a file or directory that follows `--cluster`, which takes it for a URL.
fn is_path(url: &str, context: &Context) -> bool {
    !url.is_empty() && !url.contains("://") && context.dir.join(url).exists()
}

/// Passes the connection to another process, out of sight of other users.
pub(crate) fn pass(url: &str, arguments: &ClusterArgs, command: &mut Command) {
    let variables = [
        (
            "URL",
            Some(url).filter(|url| !url.is_empty()).map(OsStr::new),
        ),
        ("NAME", arguments.cluster_name.as_ref().map(OsStr::new)),
        (
            "CREDS",
            arguments
                .cluster_creds
                .as_ref()
                .map(|path| path.as_os_str()),
        ),
        (
            "CA",
            arguments.cluster_ca.as_ref().map(|path| path.as_os_str()),
        ),
    ];
    for (name, value) in variables {
        if let Some(value) = value {
            command.env(format!("{PREFIX}{name}"), value);
        }
    }
}

/// The environment of tests, without what allows to log in.
pub(crate) fn system(context: &Context) -> SystemContext {
    let mut system = context.system();
    let is_ours = |name: &OsStr| name.as_encoded_bytes().starts_with(PREFIX.as_bytes());
    system.environment.retain(|(name, _)| !is_ours(name));
    system
}

/// The name of this machine, as part of a worker's name.
pub(crate) fn host() -> String {
    let name = rustix::system::uname()
        .nodename()
        .to_string_lossy()
        .into_owned();
    let is_safe = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    name.chars()
        .map(|c| if is_safe(c) { c } else { '_' })
        .collect()
}
