//! Services in Bats code.

use std::time::Duration;

use super::quote::{quote, quote_script, value_name};
use super::{Case, emit};
use crate::model::{Ready, Service, ServiceScope, Suite, Test};

/// The services that the tests use, in the order in which they start.
pub(super) fn used<'s>(suite: &'s Suite, cases: &[Case<'_>]) -> Vec<&'s Service> {
    let services = suite.services.iter();
    services
        .filter(|service| {
            let mut cases = cases.iter();
            cases.any(|case| case.test.skip.is_none() && case.test.uses.contains(&service.name))
        })
        .collect()
}

/// The services of the suite, or those of each test.
fn with_scope<'s>(
    services: &'s [&Service],
    scope: ServiceScope,
) -> impl Iterator<Item = &'s Service> {
    services
        .iter()
        .copied()
        .filter(move |service| service.scope == scope)
}

/// The code outside of functions: what a test knows about the services of its suite.
pub(super) fn names(services: &[&Service]) -> String {
    if services.is_empty() {
        return String::new();
    }
    let ports = with_scope(services, ServiceScope::File).map(|service| {
        let value = value_name(&service.port_name());
        let variable = service.port_variable();
        format!(
            "# shellcheck disable=SC2034 # not every suite uses it\ncasebook_value_{value}=${{{variable}-}}\n"
        )
    });
    let ports: Vec<String> = ports.collect();
    "# The services that run for the suite: their directory and their ports. Then those that a test uses.\n\
     casebook_services=${CASEBOOK_SERVICES-}\n\
     unset CASEBOOK_SERVICES\n"
        .to_owned()
        + &ports.concat()
        + "casebook_uses='' casebook_own=''\n"
}

/// The functions of each service.
pub(super) fn functions(suite: &Suite, services: &[&Service]) -> Vec<String> {
    let functions = services.iter().map(|service| {
        let id = service.name.replace('-', "_");
        let mut lines = vec![format!(
            "casebook_command={}",
            quote_script(&service.command.text)
        )];
        let workdir = service.workdir.as_deref().map(quote);
        lines.extend(workdir.map(|workdir| format!("casebook_workdir={workdir}")));
        lines.extend(emit::exports(&service.env));
        let (seconds, name) = (seconds(service.within), &service.name);
        let needs = service.needs.join(" ");
        let start = format!("casebook_start_service \"$1\" {name} {seconds} {needs}");
        let start = start.trim_end().to_owned();
        let (signal, within) = (service.stop.signal, self::seconds(service.stop.within));
        let stop = format!("casebook_stop_service \"$1\" {name} {signal} {within}");
        let ready = ready(service);
        [
            emit::from(suite, service.span.start)
                + &emit::function(&format!("casebook_service_{id}"), &lines),
            emit::function(
                &format!("casebook_ready_{id}"),
                std::slice::from_ref(&ready),
            ),
            busy(service).map_or_else(String::new, |busy| {
                emit::function(&format!("casebook_busy_{id}"), &[busy])
            }),
            emit::function(&format!("casebook_start_{id}"), &[start]),
            emit::function(&format!("casebook_stop_{id}"), &[stop]),
        ]
        .concat()
    });
    functions.collect()
}

/// Whether the service is ready, in its working directory.
fn ready(service: &Service) -> String {
    match &service.ready {
        None => "PATH=$casebook_path sleep 0.1".to_owned(),
        Some(Ready::Port(port)) => format!("casebook_connects {}", quote(port)),
        Some(Ready::Http { url, status }) => format!("casebook_has_status {} {status}", quote(url)),
        Some(Ready::Log(pattern)) => format!("casebook_log_matches {}", quote(pattern)),
        Some(Ready::File(path)) => format!("[[ -e {} ]]", quote(path)),
        Some(Ready::Command(script)) => format!(
            "casebook_passes {} {}",
            seconds(service.within),
            quote_script(&script.text)
        ),
    }
}

/// Whether another process has the port that the service must have.
fn busy(service: &Service) -> Option<String> {
    match &service.ready {
        Some(Ready::Port(_) | Ready::Http { .. }) => Some(ready(service)),
        _ => None,
    }
}

fn seconds(duration: Duration) -> u64 {
    duration.as_secs() + u64::from(duration.subsec_nanos() > 0)
}

/// The commands of `setup_file` before the environment is exported.
pub(super) fn choose_suite_ports(services: &[&Service]) -> Vec<String> {
    if services.is_empty() {
        return Vec::new();
    }
    let dir = "casebook_services=${CASEBOOK_BATS_RESULTS:-$BATS_FILE_TMPDIR-casebook}/services";
    let mut lines = vec![dir.to_owned()];
    lines.extend(with_scope(services, ServiceScope::File).map(choose_port));
    lines
}

fn choose_port(service: &Service) -> String {
    let variable = service.port_variable();
    format!("casebook_choose_port {} {variable}", service.name)
}

/// The commands of `setup_file` after the hook.
pub(super) fn start_suite_services(services: &[&Service]) -> Vec<String> {
    if services.is_empty() {
        return Vec::new();
    }
    let start = |service: &Service| {
        let id = service.name.replace('-', "_");
        format!("casebook_start_{id} \"$casebook_services\"")
    };
    let mut lines: Vec<_> = with_scope(services, ServiceScope::File)
        .map(start)
        .collect();
    lines.push("export CASEBOOK_SERVICES=$casebook_services".to_owned());
    lines
}

/// The command of `teardown_file` before the hook.
pub(super) fn stop_suite_services(services: &[&Service]) -> Option<String> {
    let names: Vec<&str> = with_scope(services, ServiceScope::File)
        .map(|service| service.name.as_str())
        .collect();
    let names = names.join(" ");
    (!names.is_empty()).then(|| format!("casebook_stop_services \"$casebook_services\" {names}"))
}

/// The commands that set what a test uses, before its environment is exported.
pub(super) fn declare_uses(test: &Test, services: &[&Service]) -> Vec<String> {
    let of_test: Vec<&Service> = services
        .iter()
        .copied()
        .filter(|service| test.uses.contains(&service.name))
        .collect();
    let names = |scope| {
        let names = with_scope(&of_test, scope).map(|service| service.name.as_str());
        names.collect::<Vec<_>>().join(" ")
    };
    let lists = [
        ("casebook_uses", names(ServiceScope::File)),
        ("casebook_own", names(ServiceScope::Test)),
    ];
    let lists = lists.into_iter().filter(|(_, names)| !names.is_empty());
    let mut lines: Vec<_> = lists
        .map(|(list, names)| format!("{list}='{names}'"))
        .collect();
    lines.extend(with_scope(&of_test, ServiceScope::Test).map(choose_port));
    lines
}
