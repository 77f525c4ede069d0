//! Decodes the services of a suite.

use std::time::Duration;

use casebook_source::yaml::{Entry, Node};
use casebook_source::{Diagnostic, closest_match};

use crate::codes::{BAD_NAME, CONFLICT, MISSING_FIELD, UNKNOWN_SERVICE};
use crate::expand::{cycle, is_name};
use crate::fields::service::{SCOPES, SERVICE, SIGNALS, STOP};
use crate::model::{Service, ServiceScope, Stop, port_variable};
use crate::reader::{Reader, Text};

mod ready;
mod references;

pub(super) use references::{check_test, check_texts, unused};

/// The time in which a service must be ready if the suite sets none.
const WITHIN: Duration = Duration::from_secs(10);

/// How a service is stopped if the suite does not say it.
const DEFAULT_STOP: Stop = Stop {
    signal: "TERM",
    within: Duration::from_secs(5),
};

/// The names of all services.
pub(super) fn names(root: &Node) -> Vec<String> {
    let services = root.get("services").and_then(Node::as_map);
    let services = services.unwrap_or_default().iter();
    services.map(|entry| entry.key.to_string()).collect()
}

/// The services, each after those that it needs. Those with problems are left out.
pub(super) fn services(root: &Node, reader: &mut Reader<'_, '_>) -> Vec<Service> {
    let Some(node) = root.get("services") else {
        return Vec::new();
    };
    let entries = reader.map("services", node);
    let services: Vec<Service> = entries
        .iter()
        .enumerate()
        .filter_map(|(index, entry)| {
            check_name(entry, &entries[..index], reader);
            service(entry, entries, reader)
        })
        .collect();
    check_scopes(&services, reader);
    in_start_order(services, reader)
}

/// Two names must not have the same environment variable.
fn check_name(entry: &Entry, before: &[Entry], reader: &mut Reader<'_, '_>) {
    let name = &*entry.key;
    if !is_name(&name.replace('-', "_")) || name.starts_with('-') {
        let message = format!("`{name}` cannot be the name of a service");
        reader
            .note(BAD_NAME, entry.key_span, message)
            .help_last("a name is a letter or _, then letters, digits, _ and -");
    }
    let variable = port_variable(name);
    let mut before = before.iter();
    if let Some(other) = before.find(|other| port_variable(&other.key) == variable) {
        let message = format!(
            "`{name}` and `{}` would both have the environment variable {variable}",
            other.key
        );
        let problem = Diagnostic::error(BAD_NAME, entry.key_span, message)
            .label(other.key_span, "the other service");
        reader
            .problems
            .push(problem.help("give one of them another name"));
    }
}

fn service(entry: &Entry, all: &[Entry], reader: &mut Reader<'_, '_>) -> Option<Service> {
    let node = &entry.value;
    let name = entry.key.to_string();
    reader.object("a service", &name, node, SERVICE);
    node.as_map()?;
    let field = |name: &str| node.get(name);
    let command = field("command");
    if command.is_none() {
        let message = format!("the service `{name}` has no `command`");
        reader
            .note(MISSING_FIELD, entry.key_span, message)
            .help_last("write the command that runs it in the foreground");
    }
    let command = command.and_then(|node| reader.non_empty_script("command", node));
    let env = field("env").map(|node| reader.env(node));
    let workdir = field("workdir").and_then(|node| reader.path("workdir", node));
    let ready = field("ready").map(|node| ready::ready(node, reader));
    let within = field("within").and_then(|node| reader.duration("within", node));
    let scope = field("scope").and_then(|node| reader.choice("scope", node, &SCOPES));
    let stop = field("stop").map(|node| stop(node, reader));
    let needs = field("needs").map(|node| needs(node, all, reader));
    Some(Service {
        name,
        span: entry.key_span,
        command: command?,
        env: env.unwrap_or_default(),
        workdir,
        ready: ready.unwrap_or_default(),
        within: within.unwrap_or(WITHIN),
        scope: if scope == Some("test") {
            ServiceScope::Test
        } else {
            ServiceScope::File
        },
        stop: stop.unwrap_or(DEFAULT_STOP),
        needs: needs.unwrap_or_default(),
    })
}

fn stop(node: &Node, reader: &mut Reader<'_, '_>) -> Stop {
    reader.object("`stop`", "stop", node, STOP);
    let signal = node
        .get("signal")
        .and_then(|node| reader.choice("signal", node, &SIGNALS));
    let within = node
        .get("within")
        .and_then(|node| reader.duration("within", node));
    Stop {
        signal: signal.unwrap_or(DEFAULT_STOP.signal),
        within: within.unwrap_or(DEFAULT_STOP.within),
    }
}

fn needs(node: &Node, all: &[Entry], reader: &mut Reader<'_, '_>) -> Vec<String> {
    let names: Vec<&str> = all.iter().map(|entry| &*entry.key).collect();
    let needs = reader.list("needs", node);
    known(needs, &names, reader)
}

/// Those of the names that services have; others are reported.
fn known(given: Vec<Text>, names: &[&str], reader: &mut Reader<'_, '_>) -> Vec<String> {
    let mut known = Vec::new();
    for Text { text, span } in given {
        if names.contains(&text.as_str()) {
            known.push(text);
            continue;
        }
        let help = match closest_match(&text, names.iter().copied()) {
            Some(name) => format!("did you mean `{name}`?"),
            None => "define it under `services:`".to_owned(),
        };
        let message = format!("unknown service `{text}`");
        reader.note(UNKNOWN_SERVICE, span, message).help_last(&help);
    }
    known
}

/// The services that a test names in `uses`, also those with problems; `None` if it does not have the field.
pub(super) fn uses(node: Option<&Node>, reader: &mut Reader<'_, '_>) -> Option<Vec<String>> {
    let given = reader.list("uses", node?);
    let names = reader.variables.services();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Some(known(given, &names, reader))
}

/// The named services and all that they need, in the order in which they start.
pub(super) fn with_needs(named: &[String], services: &[Service]) -> Vec<String> {
    let mut wanted: Vec<&str> = named.iter().map(String::as_str).collect();
    // Each service comes after those that it needs, so one pass from the end finds all of them.
    for service in services.iter().rev() {
        if wanted.contains(&service.name.as_str()) {
            wanted.extend(service.needs.iter().map(String::as_str));
        }
    }
    let in_order = services.iter().map(|service| &service.name);
    in_order
        .filter(|name| wanted.contains(&name.as_str()))
        .cloned()
        .collect()
}

/// A service of the suite cannot need one that runs only during a test.
fn check_scopes(services: &[Service], reader: &mut Reader<'_, '_>) {
    let is_for_test = |name: &String| {
        let mut all = services.iter();
        all.any(|other| other.name == *name && other.scope == ServiceScope::Test)
    };
    let of_suite = services
        .iter()
        .filter(|service| service.scope == ServiceScope::File);
    for service in of_suite {
        let Some(needed) = service.needs.iter().find(|name| is_for_test(name)) else {
            continue;
        };
        let message = format!(
            "`{}` runs for all tests of the suite, but needs `{needed}`, which runs for one test",
            service.name
        );
        reader
            .note(CONFLICT, service.span, message)
            .help_last("give both the same `scope`");
    }
}

/// Sorts the services by what they need. A cycle is reported.
fn in_start_order(mut rest: Vec<Service>, reader: &mut Reader<'_, '_>) -> Vec<Service> {
    let mut sorted: Vec<Service> = Vec::new();
    while !rest.is_empty() {
        let is_waiting = |service: &Service| {
            let mut needs = service.needs.iter();
            needs.any(|name| rest.iter().any(|other| other.name == *name))
        };
        let Some(next) = rest.iter().position(|service| !is_waiting(service)) else {
            report_cycle(&rest, reader);
            sorted.append(&mut rest);
            break;
        };
        sorted.push(rest.remove(next));
    }
    sorted
}

/// Each of these services needs another one of them, so following `needs` ends in a cycle.
fn report_cycle(services: &[Service], reader: &mut Reader<'_, '_>) {
    let mut path = vec![&services[0]];
    loop {
        let last = path[path.len() - 1];
        let next = last
            .needs
            .iter()
            .find_map(|name| services.iter().find(|other| other.name == *name));
        let Some(next) = next else {
            return;
        };
        if let Some(start) = path.iter().position(|visited| visited.name == next.name) {
            let names: Vec<&str> = path[start..]
                .iter()
                .map(|service| service.name.as_str())
                .collect();
            let problem = cycle(&names, &next.name, path[start].span);
            reader
                .problems
                .push(problem.help("remove one of these services from the `needs` of another"));
            return;
        }
        path.push(next);
    }
}
