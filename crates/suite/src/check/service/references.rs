//! Where the ports of services can be used, and which services no test uses.

use std::collections::HashSet;

use casebook_source::yaml::Node;
use casebook_source::{Diagnostic, Span};

use crate::codes::{CONFLICT, SERVICE_PORT, UNUSED_SERVICE};
use crate::model::{Check, Hooks, Service, ServiceScope, Test};
use crate::reader::Reader;
use crate::run_time::references;

/// Checks the texts outside of tests: those that are used once for the suite cannot have the port of one test.
pub(in crate::check) fn check_texts(
    hooks: &Hooks,
    env: &[(String, String)],
    root: &Node,
    services: &[Service],
    reader: &mut Reader<'_, '_>,
) {
    let mut texts: Vec<(&str, &str, Span)> = Vec::new();
    for (name, hook) in [
        ("setupFile", &hooks.setup_file),
        ("teardownFile", &hooks.teardown_file),
    ] {
        let hook = hook.iter();
        texts.extend(hook.map(|hook| (name, hook.text.as_str(), hook.span)));
    }
    let env_span = root.get("env").map(|node| node.span).unwrap_or_default();
    texts.extend(
        env.iter()
            .map(|(_, value)| ("env", value.as_str(), env_span)),
    );
    let of_suite = services
        .iter()
        .filter(|service| service.scope == ServiceScope::File);
    for service in of_suite {
        let own = service.texts().into_iter();
        texts.extend(own.map(|text| (service.name.as_str(), text, service.span)));
    }
    for (place, text, span) in texts {
        for service in ports_in(text, services).filter(|one| one.scope == ServiceScope::Test) {
            let message = format!(
                "`{place}` is used once for the suite, but `{}` has a port for each test",
                service.name
            );
            reader
                .note(SERVICE_PORT, span, message)
                .help_last("use `setup`, `teardown` or a test, or remove `scope: test`");
        }
    }
    check_variables(env, env_span, services, reader);
}

/// The services whose ports a text uses.
fn ports_in<'s>(text: &str, services: &'s [Service]) -> impl Iterator<Item = &'s Service> {
    let names: Vec<String> = references(text)
        .map(|reference| reference.name.to_owned())
        .collect();
    services
        .iter()
        .filter(move |service| names.contains(&service.port_name()))
}

/// Reports variables that would hide the ports of services.
fn check_variables(
    env: &[(String, String)],
    span: Span,
    services: &[Service],
    reader: &mut Reader<'_, '_>,
) {
    for (name, _) in env {
        let mut services = services.iter();
        if let Some(service) = services.find(|service| service.port_variable() == *name) {
            let message = format!(
                "`env` sets {name}, which has the port of the service `{}`",
                service.name
            );
            reader
                .note(CONFLICT, span, message)
                .help_last("give the variable or the service another name");
        }
    }
}

/// Checks the ports that a test uses. `used` has the values that its texts refer to.
pub(in crate::check) fn check_test(
    test: &Test,
    declared: Option<&[String]>,
    used: &HashSet<String>,
    services: &[Service],
    reader: &mut Reader<'_, '_>,
) {
    let start = Span::new(test.span.start, test.span.start + 1);
    check_variables(&test.env, start, services, reader);
    check_static_texts(test, start, reader);
    let Some(declared) = declared else {
        return;
    };
    let missing = services
        .iter()
        .filter(|service| used.contains(&service.port_name()) && !declared.contains(&service.name));
    for service in missing {
        let name = &service.name;
        let message = format!(
            "the test uses the port of `{name}`, but `uses` does not start this service for it"
        );
        let problem = Diagnostic::warning(SERVICE_PORT, start, message);
        reader
            .problems
            .push(problem.help(format!("add `{name}` to `uses`")));
    }
}

/// Reports ports in texts that identify a test, which must be the same in every run.
fn check_static_texts(test: &Test, span: Span, reader: &mut Reader<'_, '_>) {
    let snapshots = test
        .assertions()
        .filter_map(|assertion| match &assertion.check {
            Check::Snapshot(Some(name)) => Some(("snapshot", name.as_str())),
            _ => None,
        });
    let pairs = test.covers.iter().chain(&test.matrix);
    let pairs = pairs.flat_map(|(name, value)| [name.as_str(), value.as_str()]);
    let texts = [("name", test.name.as_str())]
        .into_iter()
        .chain(test.skip.iter().map(|reason| ("skip", reason.as_str())))
        .chain(test.tags.iter().map(|tag| ("tags", tag.as_str())))
        .chain(pairs.map(|text| ("covers", text)))
        .chain(snapshots);
    for (place, text) in texts {
        if let Some(reference) = references(text).find(|one| one.name.starts_with("services.")) {
            let message = format!(
                "`{place}` cannot contain {{{{{}}}}}: a port is known only while the test runs",
                reference.name
            );
            reader
                .note(SERVICE_PORT, span, message)
                .help_last("use it in the command, its input, its environment or its assertions");
        }
    }
}

/// The warnings for services that no test uses.
pub(in crate::check) fn unused<'s>(
    services: &'s [Service],
    tests: &'s [Test],
) -> impl Iterator<Item = Diagnostic> + 's {
    let is_used = |service: &&Service| {
        let mut tests = tests.iter();
        tests.any(|test| test.uses.contains(&service.name))
    };
    services
        .iter()
        .filter(move |service| !is_used(service))
        .map(|service| {
            let message = format!("no test uses the service `{}`", service.name);
            Diagnostic::warning(UNUSED_SERVICE, service.span, message)
                .help("add it to `uses` of a test or to `needs` of a service, or remove it")
        })
}
