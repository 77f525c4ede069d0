//! [`ServiceObserver`]: what happened to the services of a test while it ran.

use std::path::{Path, PathBuf};

use super::failure::{ServiceFailure, with_log};
use super::group::ServiceState;
use super::log::{self, ServiceOutput};

/// Watches the services that a test uses, from its start to its end.
pub(crate) struct ServiceObserver<'s> {
    services: Vec<ObservedService<'s>>,
}

struct ObservedService<'s> {
    state: &'s ServiceState,
    log: PathBuf,
    /// The size of the log when the test started.
    position: u64,
}

impl<'s> ServiceObserver<'s> {
    /// Begins to watch those of the services that are named. `logs` is the directory of their logs.
    pub(crate) fn begin(
        states: &'s [ServiceState],
        names: &[String],
        logs: &Path,
    ) -> ServiceObserver<'s> {
        let used = states.iter().filter(|state| names.contains(&state.name));
        let services = used.map(|state| {
            let log = log::path(logs, &state.name);
            ObservedService {
                state,
                position: log::size(&log),
                log,
            }
        });
        ServiceObserver {
            services: services.collect(),
        }
    }

    /// Why the test cannot run.
    pub(crate) fn failure_before(&self) -> Option<ServiceFailure> {
        self.services.iter().find_map(|service| {
            let message = match &service.state.failure {
                Some(failure) => failure.clone(),
                None => service.died("died before this test")?,
            };
            Some(ServiceFailure {
                message,
                is_during_test: false,
            })
        })
    }

    /// Why the test fails although it was run.
    pub(crate) fn failure_after(&self) -> Option<ServiceFailure> {
        self.services.iter().find_map(|service| {
            Some(ServiceFailure {
                message: service.died("died during this test")?,
                is_during_test: true,
            })
        })
    }

    /// What the services wrote since the test started.
    pub(crate) fn outputs(&self) -> Vec<ServiceOutput> {
        let outputs = self.services.iter().map(|service| ServiceOutput {
            name: service.state.name.clone(),
            output: log::read_from(&service.log, service.position),
            is_of_test: false,
        });
        outputs.filter(|one| !one.output.is_empty()).collect()
    }
}

impl ObservedService<'_> {
    fn died(&self, when: &str) -> Option<String> {
        let end = super::ended::describe(self.state.pid?)?;
        let message = format!("the service `{}` {when}: it {end}", self.state.name);
        Some(with_log(&message, &log::end_of(&self.log)))
    }
}
