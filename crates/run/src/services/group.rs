//! [`ServiceGroup`]: services that are started and stopped together.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use casebook_suite::model::Service;
use serde::{Deserialize, Serialize};

use super::log::{self, ServiceOutput};
use super::probe::{Probe, ProbeResult};
use super::process::RunningService;
use crate::http::Client;
use crate::scratch;
use crate::shell::ProcessContext;
use crate::shell::environment::Environment;

/// What tests need to know about a service, also in other processes of the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ServiceState {
    pub(crate) name: String,
    /// The name of its port in texts, and the port.
    pub(crate) port: (String, String),
    /// The id of its process; `None` if it was not started.
    pub(crate) pid: Option<i32>,
    /// Why it is not ready.
    pub(crate) failure: Option<String>,
}

/// What the services of a group have in common.
pub(crate) struct GroupContext<'a, 'w> {
    pub(crate) processes: &'a ProcessContext<'w>,
    pub(crate) http: &'a Client,
    pub(crate) environment: &'a Environment,
    /// The directory of the suite, for `workdir`.
    pub(crate) suite_dir: &'a Path,
    /// The working directory of services without `workdir`.
    pub(crate) dir: &'a Path,
    /// Whether they run only for one test.
    pub(crate) is_of_test: bool,
    /// When all must be ready at the latest; `None`: only the limits of the services count.
    pub(crate) deadline: Option<Instant>,
}

/// Services that run.
pub(crate) struct ServiceGroup<'w> {
    running: Vec<RunningService<'w>>,
    states: Vec<ServiceState>,
    /// The directory of the logs.
    logs: PathBuf,
    /// Whether they run only for one test.
    is_of_test: bool,
    /// Whether a stop was requested before all were ready.
    pub(crate) is_interrupted: bool,
}

impl<'w> ServiceGroup<'w> {
    /// Starts the services one after another. A service that is not ready is a failure of the tests that use it; a service
    /// that needs it is not started. `services` have the values of their ports in their texts.
    pub(crate) fn start(
        services: &[Service],
        logs: PathBuf,
        context: &GroupContext<'_, 'w>,
        port: impl Fn(&Service) -> (String, String),
    ) -> io::Result<ServiceGroup<'w>> {
        DirBuilder::new().mode(0o700).create(&logs)?;
        let mut group = ServiceGroup {
            running: Vec::new(),
            states: Vec::new(),
            logs,
            is_of_test: context.is_of_test,
            is_interrupted: false,
        };
        for service in services {
            let mut state = ServiceState {
                name: service.name.clone(),
                port: port(service),
                pid: None,
                failure: group.failure_of_needs(service),
            };
            if state.failure.is_none() && !group.is_interrupted {
                state.failure = group.start_one(service, &mut state.pid, context);
            }
            group.states.push(state);
        }
        Ok(group)
    }

    /// What tests need to know about the services.
    pub(crate) fn states(&self) -> &[ServiceState] {
        &self.states
    }

    /// The directory of the logs.
    pub(crate) fn logs(&self) -> &Path {
        &self.logs
    }

    /// The failure of a needed service.
    fn failure_of_needs(&self, service: &Service) -> Option<String> {
        let mut states = self.states.iter();
        let failed =
            states.find(|state| service.needs.contains(&state.name) && state.failure.is_some())?;
        let name = &service.name;
        let cause = failed.failure.as_deref().unwrap_or_default();
        Some(format!("the service `{name}` was not started: {cause}"))
    }

    /// Returns why the service is not ready.
    fn start_one(
        &mut self,
        service: &Service,
        pid: &mut Option<i32>,
        context: &GroupContext<'_, 'w>,
    ) -> Option<String> {
        let name = &service.name;
        let probe = match Probe::new(service, context) {
            Ok(probe) => probe,
            Err(reason) => return Some(format!("the service `{name}` was not started: {reason}")),
        };
        let log = log::path(&self.logs, name);
        let running = match RunningService::start(service, &log, probe.dir(), context) {
            Ok(running) => running,
            Err(error) => return Some(format!("the service `{name}` cannot be started: {error}")),
        };
        *pid = Some(running.pid());
        let result = probe.wait(&running, &log, context);
        self.running.push(running);
        match result {
            ProbeResult::Ready => None,
            ProbeResult::Interrupted => {
                self.is_interrupted = true;
                None
            }
            ProbeResult::Failed(reason) => {
                let message = format!("the service `{name}` {reason}");
                Some(super::failure::with_log(&message, &log::end_of(&log)))
            }
        }
    }

    /// Stops the services, those that need others first. Returns what they wrote.
    pub(crate) fn stop(&mut self) -> Vec<ServiceOutput> {
        while let Some(running) = self.running.pop() {
            // A process that cannot be signaled is gone or belongs to another user.
            let _ = running.stop();
        }
        let outputs = self.states.iter().map(|state| ServiceOutput {
            name: state.name.clone(),
            output: log::read_from(&log::path(&self.logs, &state.name), 0),
            is_of_test: self.is_of_test,
        });
        let outputs = outputs.filter(|one| !one.output.is_empty()).collect();
        scratch::remove(&self.logs);
        outputs
    }
}

impl Drop for ServiceGroup<'_> {
    /// Stops what still runs, after an error.
    fn drop(&mut self) {
        if !self.running.is_empty() {
            self.stop();
        }
    }
}
