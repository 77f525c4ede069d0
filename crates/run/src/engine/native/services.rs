//! The services of a suite and of a test.

use std::io;
use std::path::Path;

use casebook_suite::model::{Service, ServiceScope, Test};
use parking_lot::Mutex;

use super::known_values::KnownValues;
use super::prepared_test::PreparedTest;
use super::{NativeEngine, NativeSuite};
use crate::attempt::AttemptResult;
use crate::captured_values::CapturedValue;
use crate::conversation::HookScope;
use crate::engine::variables;
use crate::plan::{PlannedSuite, PlannedTest};
use crate::services::{
    GroupContext, ReservedPort, ServiceGroup, ServiceObserver, ServiceOutput, ServiceState,
    logs_dir,
};
use crate::shell::environment::Environment;

/// The services of an open suite.
#[derive(Default)]
pub(super) struct SuiteServices<'w> {
    /// Those that run in this process; `None` in a worker and in suites without services.
    group: Option<Mutex<ServiceGroup<'w>>>,
    states: Vec<ServiceState>,
    /// Kept until the services have stopped.
    ports: Vec<ReservedPort>,
    /// The ports, for texts.
    pub(super) values: KnownValues,
}

/// The services that run for one test.
#[derive(Default)]
pub(super) struct TestServices {
    /// With the values of their ports.
    services: Vec<Service>,
    ports: Vec<ReservedPort>,
}

impl TestServices {
    pub(super) fn is_empty(&self) -> bool {
        self.services.is_empty()
    }
}

impl<'w> SuiteServices<'w> {
    /// The ports for the services of a suite.
    pub(super) fn new(suite: &PlannedSuite) -> io::Result<SuiteServices<'w>> {
        let of_suite = with_scope(&suite.suite.services, ServiceScope::File);
        let ports = of_suite.map(ReservedPort::new).collect::<io::Result<_>>()?;
        let mut services = SuiteServices {
            ports,
            ..SuiteServices::default()
        };
        for port in &services.ports {
            services.values.add(port.name.clone(), port.number.clone());
        }
        Ok(services)
    }

    /// The services that the controller has started.
    pub(super) fn from_controller(states: Vec<ServiceState>) -> SuiteServices<'w> {
        let mut values = KnownValues::default();
        for state in &states {
            let (name, number) = state.port.clone();
            values.add(name, number);
        }
        SuiteServices {
            states,
            values,
            ..SuiteServices::default()
        }
    }

    /// What workers need to know.
    pub(super) fn states(&self) -> &[ServiceState] {
        &self.states
    }

    /// Exports the ports.
    pub(super) fn export(&self, environment: &mut Environment) {
        export(&self.ports, environment);
    }
}

fn export(ports: &[ReservedPort], environment: &mut Environment) {
    for port in ports {
        environment.set(&port.variable, &port.number);
    }
}

fn with_scope(services: &[Service], scope: ServiceScope) -> impl Iterator<Item = &Service> {
    services
        .iter()
        .filter(move |service| service.scope == scope)
}

/// Whether services are started only for this test.
pub(super) fn uses_own_services(planned: PlannedTest<'_>) -> bool {
    let test = planned.test();
    with_scope(&planned.suite.suite.services, ServiceScope::Test)
        .any(|service| test.uses.contains(&service.name))
}

impl<'w> NativeEngine<'w> {
    /// Starts those services of the suite that its planned tests use.
    pub(super) fn start_suite_services(
        &self,
        suite: &PlannedSuite,
        open_suite: &mut NativeSuite<'w>,
    ) -> io::Result<()> {
        let is_used = |service: &&Service| {
            let mut tests = suite.planned_tests().map(PlannedTest::test);
            tests.any(|test| test.skip.is_none() && test.uses.contains(&service.name))
        };
        let values = &open_suite.services.values;
        let services: Vec<Service> = with_scope(&suite.suite.services, ServiceScope::File)
            .filter(is_used)
            .map(|service| values.service(service))
            .collect();
        if services.is_empty() {
            return Ok(());
        }
        let suite_dir = self.suite_dir(suite);
        let context = GroupContext {
            processes: &self.processes,
            http: &self.http,
            environment: &open_suite.environment,
            suite_dir: &suite_dir,
            dir: &self.system.dir,
            is_of_test: false,
            deadline: None,
        };
        let port = |service: &Service| port(service, values);
        let group = ServiceGroup::start(&services, logs_dir(&open_suite.dir), &context, port)?;
        open_suite.services.states = group.states().to_vec();
        open_suite.services.group = Some(Mutex::new(group));
        Ok(())
    }

    /// Calls `act` while the services of the test run.
    pub(super) fn with_test_services(
        &self,
        prepared: &PreparedTest<'_>,
        scope: &HookScope<'_>,
        act: impl FnOnce(&HookScope<'_>) -> io::Result<AttemptResult>,
    ) -> io::Result<AttemptResult> {
        let TestServices { services, ports } = prepared.services;
        if services.is_empty() {
            return act(scope);
        }
        let suite_dir = self.suite_dir(prepared.planned.suite);
        let context = GroupContext {
            processes: &self.processes,
            http: &self.http,
            environment: &scope.environment,
            suite_dir: &suite_dir,
            dir: &scope.dir,
            is_of_test: true,
            deadline: scope.deadline,
        };
        let port = |service: &Service| {
            let name = service.port_name();
            let mut ports = ports.iter();
            let number = ports.find(|port| port.name == name);
            (
                name,
                number.map_or_else(String::new, |port| port.number.clone()),
            )
        };
        let mut group = ServiceGroup::start(services, logs_dir(prepared.dir), &context, port)?;
        let names: Vec<String> = services.iter().map(|one| one.name.clone()).collect();
        let states = group.states().to_vec();
        let observer = ServiceObserver::begin(&states, &names, group.logs());
        let attempt = if group.is_interrupted {
            Ok(AttemptResult {
                interrupted: true,
                ..AttemptResult::default()
            })
        } else if let Some(failure) = observer.failure_before() {
            Ok(AttemptResult {
                service_failure: Some(failure),
                ..AttemptResult::default()
            })
        } else {
            act(scope)
        };
        let failure = observer.failure_after();
        let outputs = group.stop();
        let mut attempt = attempt?;
        attempt.service_failure = attempt.service_failure.or(failure);
        attempt.service_outputs.extend(outputs);
        Ok(attempt)
    }

    fn suite_dir(&self, suite: &PlannedSuite) -> std::path::PathBuf {
        let file = suite.file(&self.system.dir);
        variables::absolute(file.parent().unwrap_or(Path::new("/")))
    }
}

/// Stops the services of the suite. Returns what they wrote.
pub(super) fn stop_suite_services(open_suite: &NativeSuite<'_>) -> Vec<ServiceOutput> {
    let group = open_suite.services.group.as_ref();
    group.map_or_else(Vec::new, |group| group.lock().stop())
}

/// The services that run only for this test, with their own ports.
pub(super) fn test_services(
    planned: PlannedTest<'_>,
    values: &mut KnownValues,
    environment: &mut Environment,
) -> io::Result<TestServices> {
    let test = planned.test();
    let used: Vec<&Service> = with_scope(&planned.suite.suite.services, ServiceScope::Test)
        .filter(|service| test.uses.contains(&service.name))
        .collect();
    let ports = used
        .iter()
        .map(|service| ReservedPort::new(service))
        .collect::<io::Result<Vec<_>>>()?;
    for port in &ports {
        values.add(port.name.clone(), port.number.clone());
    }
    export(&ports, environment);
    let services = used.iter().map(|service| values.service(service));
    Ok(TestServices {
        services: services.collect(),
        ports,
    })
}

/// Calls `act` if the services of the suite that the test uses run, and checks that they still run after it.
pub(super) fn with_suite_services(
    test: &Test,
    open_suite: &NativeSuite<'_>,
    act: impl FnOnce() -> io::Result<AttemptResult>,
) -> io::Result<AttemptResult> {
    let states = &open_suite.services.states;
    if states.is_empty() {
        return act();
    }
    let observer = ServiceObserver::begin(states, &test.uses, &logs_dir(&open_suite.dir));
    if let Some(failure) = observer.failure_before() {
        return Ok(AttemptResult {
            service_failure: Some(failure),
            ..AttemptResult::default()
        });
    }
    let mut attempt = act()?;
    attempt.service_failure = attempt.service_failure.or_else(|| observer.failure_after());
    attempt.service_outputs.extend(observer.outputs());
    Ok(attempt)
}

/// The name of a service's port in texts, and the port.
fn port(service: &Service, values: &KnownValues) -> (String, String) {
    let name = service.port_name();
    let number = values.get(&name).unwrap_or_default().to_owned();
    (name, number)
}

/// Adds the values to those that the record shows.
pub(super) fn add_values(attempt: &mut AttemptResult, values: &KnownValues) {
    for (name, value) in values.iter() {
        attempt.captured.set(CapturedValue {
            name: name.clone(),
            value: value.clone(),
            is_secret: false,
        });
    }
}
