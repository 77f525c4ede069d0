//! [`Probe`]: waits until a service is ready.

use std::net::{SocketAddr, TcpStream, ToSocketAddrs as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use casebook_suite::ere::Ere;
use casebook_suite::model::{Ready, Script, Service};

use super::group::GroupContext;
use super::process::{self, RunningService};
use super::{ended, log};
use crate::seconds::seconds;
use crate::shell::command::ShellCommand;

/// How long a service without `ready` must run.
const MOMENT: Duration = Duration::from_millis(100);
/// The first and the longest pause between two attempts.
const FIRST_PAUSE: Duration = Duration::from_millis(2);
const LONGEST_PAUSE: Duration = Duration::from_millis(100);
/// How long a connection may take, and a response.
const CONNECT: Duration = Duration::from_millis(500);
const RESPONSE: Duration = Duration::from_secs(2);

/// Waits until a service is ready.
pub(super) struct Probe<'s> {
    service: &'s Service,
    condition: Condition<'s>,
    dir: PathBuf,
}

enum Condition<'s> {
    Runs,
    Port(SocketAddr),
    Http(&'s str, u16),
    Log(&'s str, Box<Ere>),
    File(PathBuf),
    Command(&'s Script),
}

/// How waiting for a service ended.
pub(super) enum ProbeResult {
    Ready,
    /// Why it is not ready: the end of a sentence that begins with its name.
    Failed(String),
    Interrupted,
}

impl<'s> Probe<'s> {
    /// Prepares the condition, before the service is started. Returns why the service must not be started: a port that
    /// another process has would look like that of the service.
    pub(super) fn new(
        service: &'s Service,
        context: &GroupContext<'_, '_>,
    ) -> Result<Probe<'s>, String> {
        let workdir = service.workdir.as_ref();
        let dir = workdir.map_or_else(
            || context.dir.to_owned(),
            |workdir| context.suite_dir.join(workdir),
        );
        let condition = match &service.ready {
            None => Condition::Runs,
            Some(Ready::Port(text)) => {
                let port = text.trim().parse::<u16>();
                let port = port.map_err(|_| format!("`{text}` is not a port"))?;
                Condition::Port(SocketAddr::from(([127, 0, 0, 1], port)))
            }
            Some(Ready::Http { url, status }) => Condition::Http(url, *status),
            Some(Ready::Log(pattern)) => {
                let compiled = Ere::new(pattern).map_err(|error| error.to_string())?;
                Condition::Log(pattern, compiled.into())
            }
            Some(Ready::File(path)) => Condition::File(dir.join(path)),
            Some(Ready::Command(script)) => Condition::Command(script),
        };
        let address = match &condition {
            Condition::Port(address) => Some(*address),
            Condition::Http(url, _) => server(url),
            _ => None,
        };
        if let Some(address) = address.filter(accepts_connections) {
            let port = address.port();
            return Err(format!("port {port} is already in use by another process"));
        }
        Ok(Probe {
            service,
            condition,
            dir,
        })
    }

    /// The working directory of the service.
    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Waits until the service is ready, has ended or takes too long.
    pub(super) fn wait(
        &self,
        running: &RunningService<'_>,
        log: &Path,
        context: &GroupContext<'_, '_>,
    ) -> ProbeResult {
        let now = context.processes.instant;
        let started = now();
        let end = started + self.service.within;
        let end = context.deadline.map_or(end, |deadline| end.min(deadline));
        let stop = context.processes.stop;
        let mut pause = FIRST_PAUSE;
        loop {
            let attempt = self.check(log, started, end, context);
            if stop.is_requested() {
                return ProbeResult::Interrupted;
            }
            if let Some(end) = ended::describe(running.pid()) {
                return ProbeResult::Failed(format!("is not ready: it {end}"));
            }
            let Err(reason) = attempt else {
                return ProbeResult::Ready;
            };
            stop.pause(pause.min(end.saturating_duration_since(now())));
            pause = (pause * 2).min(LONGEST_PAUSE);
            if now() >= end {
                let waited = seconds(end - started);
                return ProbeResult::Failed(format!("is not ready after {waited}: {reason}"));
            }
        }
    }

    /// Returns why the service is not ready yet.
    fn check(
        &self,
        log: &Path,
        started: Instant,
        end: Instant,
        context: &GroupContext<'_, '_>,
    ) -> Result<(), String> {
        let now = context.processes.instant;
        let left = end.saturating_duration_since(now());
        let is_ready = |is_ready: bool, reason: String| is_ready.then_some(()).ok_or(reason);
        match &self.condition {
            Condition::Runs => is_ready(now() - started >= MOMENT, "it was started".to_owned()),
            Condition::Port(address) => is_ready(
                accepts_connections(address),
                format!("port {} accepts no connections", address.port()),
            ),
            Condition::Http(url, status) => {
                match context.http.status(url, left.clamp(CONNECT, RESPONSE)) {
                    Ok(actual) => is_ready(
                        actual == *status,
                        format!("{url} has status {actual}, not {status}"),
                    ),
                    Err(error) => Err(format!("{url} cannot be requested: {error}")),
                }
            }
            Condition::Log(pattern, compiled) => {
                let text = log::read_from(log, 0);
                let mut lines = text.split(|byte| *byte == b'\n');
                is_ready(
                    lines.any(|line| compiled.is_match(line)),
                    format!("no line of its log matches `{pattern}`"),
                )
            }
            Condition::File(path) => is_ready(
                path.exists(),
                format!("the file {} does not exist", path.display()),
            ),
            Condition::Command(script) => self.run(script, left, context),
        }
    }

    fn run(
        &self,
        script: &Script,
        left: Duration,
        context: &GroupContext<'_, '_>,
    ) -> Result<(), String> {
        let processes = context.processes;
        let command = ShellCommand {
            script: &script.text,
            environment: &process::environment(self.service, context),
            dir: &self.dir,
            stdin: None,
            separate: false,
            timeout: Some(left),
        };
        let run = || {
            let mut process = command.start(processes)?;
            let end = command.finish(&mut process, (processes.instant)(), &|_| ())?;
            end.into_result_keep_others(process, processes.instant)
        };
        let ran = run().map_err(|error| format!("`{}` cannot be run: {error}", script.text))?;
        match (ran.termination, ran.exit_code) {
            (None, 0) => Ok(()),
            (None, code) => Err(format!("`{}` exited with code {code}", script.text)),
            (Some(_), _) => Err(format!("`{}` did not end", script.text)),
        }
    }
}

fn accepts_connections(address: &SocketAddr) -> bool {
    TcpStream::connect_timeout(address, CONNECT).is_ok()
}

/// The server of a URL on this machine.
fn server(url: &str) -> Option<SocketAddr> {
    let (scheme, rest) = url.split_once("://")?;
    let host = rest.split(['/', '?', '#']).next()?;
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let with_port = match (host.rsplit_once(':'), scheme) {
        (Some((_, port)), _) if port.parse::<u16>().is_ok() => host.to_owned(),
        (_, "https") => format!("{host}:443"),
        _ => format!("{host}:80"),
    };
    let mut addresses = with_port.to_socket_addrs().ok()?;
    addresses.find(|address| address.ip().is_loopback())
}
