//! Services: what is decoded, and each misuse.

use std::time::Duration;

use casebook_suite::model::{Ready, ServiceScope};

use super::{problems, suite};

const TEST: &str = "tests: [{name: t, command: run}]\n";

#[test]
fn a_service_is_not_called_unused_while_its_uses_are_wrong() {
    let text = "services: {api: {command: a}}\ntests: [{name: t, command: x, uses: [apu]}]\n";
    assert_eq!(
        problems(text),
        ["2:38 unknown-service: unknown service `apu` (did you mean `api`?)"]
    );
}

#[test]
fn a_service_with_problems_is_known_to_the_tests_that_use_it() {
    let text = "services: {api: {comand: a}}\ntests: [{name: t, command: x, uses: [api]}]\n";
    let found = problems(text);
    assert_eq!(found.len(), 2, "{found:#?}");
    assert!(found.iter().all(|one| one.starts_with("1:")), "{found:#?}");
}

/// The problems of a suite with these services and one test.
fn problems_of(services: &str) -> Vec<String> {
    problems(&format!("services:\n{services}{TEST}"))
}

#[test]
fn a_service_has_defaults() {
    let suite = suite(&format!("services: {{a-b: {{command: serve}}}}\n{TEST}"));
    let service = &suite.services[0];
    assert_eq!(service.port_name(), "services.a-b.port");
    assert_eq!(service.port_variable(), "A_B_PORT");
    assert_eq!(service.within, Duration::from_secs(10));
    assert_eq!(service.scope, ServiceScope::File);
    assert_eq!(service.stop.signal, "TERM");
    assert_eq!(service.stop.within, Duration::from_secs(5));
    assert_eq!(service.ready, None);
    assert_eq!(suite.tests[0].uses, ["a-b"]);
}

#[test]
fn every_kind_of_ready_is_decoded() {
    let text = format!(
        "\
services:
  port: {{command: a, ready: {{port: '{{{{services.port.port}}}}'}}}}
  number: {{command: a, ready: {{port: 80}}}}
  http: {{command: a, ready: {{http: 'http://127.0.0.1:{{{{services.http.port}}}}/', status: 204}}}}
  log: {{command: a, ready: {{log: ^ready}}}}
  file: {{command: a, ready: {{file: socket}}}}
  command: {{command: a, ready: {{command: test -e x}}, scope: test, stop: {{signal: INT, within: 1s}}, within: 2s}}
{TEST}"
    );
    let suite = suite(&text);
    let value = |name: &str| name.strip_suffix(".port").map(|_| "4711");
    let ready: Vec<_> = suite
        .services
        .iter()
        .map(|service| service.with_known_values(value).ready.unwrap())
        .collect();
    assert_eq!(ready[0], Ready::Port("4711".to_owned()));
    assert_eq!(ready[1], Ready::Port("80".to_owned()));
    let Ready::Http { url, status } = &ready[2] else {
        panic!("{:?}", ready[2]);
    };
    assert_eq!((url.as_str(), *status), ("http://127.0.0.1:4711/", 204));
    assert_eq!(ready[3], Ready::Log("^ready".to_owned()));
    assert_eq!(ready[4], Ready::File("socket".to_owned()));
    assert!(matches!(&ready[5], Ready::Command(script) if script.text == "test -e x"));
    assert_eq!(suite.services[5].stop.signal, "INT");
    assert_eq!(suite.services[5].scope, ServiceScope::Test);
}

#[test]
fn services_start_after_those_they_need() {
    let suite = suite(
        "\
services:
  web: {command: a, needs: [api, mail]}
  api: {command: a, needs: [db]}
  mail: {command: a}
  db: {command: a}
tests:
  - {name: one, command: a, uses: [api]}
  - {name: two, command: a, uses: [web]}
  - {name: three, command: a}
",
    );
    let uses: Vec<_> = suite.tests.iter().map(|test| &test.uses[..]).collect();
    assert_eq!(uses[0], ["db", "api"]);
    assert_eq!(uses[1], ["mail", "db", "api", "web"]);
    assert!(uses[2].is_empty(), "another test has `uses`");
}

#[test]
fn ports_are_known_in_variables_hooks_commands_and_agents() {
    let suite = suite(
        "\
variables: {url: 'http://localhost:{{services.api.port}}'}
services: {api: {command: 'api {{services.api.port}}'}}
env: {API: '{{url}}'}
setup: 'echo {{url}}'
agent: {http: {url: '{{url}}/chat'}}
tests:
  - {name: one, command: 'get {{url}} {{services.api.port|sh}}', outputEquals: '{{services.api.port}}'}
  - {name: two, conversation: [{user: hi}]}
",
    );
    let value = |name: &str| (name == "services.api.port").then_some("4711");
    let hooks = suite.hooks.with_known_values(value);
    assert_eq!(hooks.setup.unwrap().text, "echo http://localhost:4711");
    let test = suite.tests[0].with_known_values(value);
    let command = &test.steps()[0].command.text;
    assert_eq!(command, "get http://localhost:4711 '4711'");
    let test = suite.tests[1].with_known_values(value);
    let agent = format!("{:?}", test.conversation().unwrap().agent);
    assert!(agent.contains("http://localhost:4711/chat"), "{agent}");
}

#[test]
fn misuse_of_services_is_reported() {
    for (services, expected) in [
        (
            "  1x: {command: a}\n",
            "2:3 bad-name: `1x` cannot be the name of a service (a name is a letter or _, then letters, digits, _ and -)",
        ),
        (
            "  a-b: {command: a}\n  a_b: {command: a}\n",
            "3:3 bad-name: `a_b` and `a-b` would both have the environment variable A_B_PORT (give one of them another name)",
        ),
        (
            "  a: {env: {X: y}}\n",
            "2:3 missing-field: the service `a` has no `command` (write the command that runs it in the foreground)",
        ),
        (
            "  a: {comand: a, command: b}\n",
            "2:7 unknown-field: a service has no field `comand` (did you mean `command`?)",
        ),
        (
            "  a: run\n",
            "2:6 wrong-value: `a` must be a mapping, not a string (its fields are `command`, `env`, `workdir`, `ready`, `within`, `scope`, `stop` and `needs`)",
        ),
        (
            "  a: {command: a, stop: {signal: TREM}}\n",
            "2:34 wrong-value: `signal` must be one of TERM, INT, HUP, QUIT, KILL, USR1, USR2, got 'TREM' (did you mean `TERM`?)",
        ),
        (
            "  a: {command: a, scope: suite}\n",
            "2:26 wrong-value: `scope` must be one of file, test, got 'suite'",
        ),
        (
            "  a: {command: a, needs: [b]}\n",
            "2:27 unknown-service: unknown service `b` (define it under `services:`)",
        ),
        (
            "  api: {command: a}\n  b: {command: a, needs: [ap]}\n",
            "3:27 unknown-service: unknown service `ap` (did you mean `api`?)",
        ),
        (
            "  a: {command: a, needs: [b]}\n  b: {command: a, needs: [c]}\n  c: {command: a, needs: [b]}\n",
            "3:3 cycle: cyclic reference: b -> c -> b (remove one of these services from the `needs` of another)",
        ),
        (
            "  a: {command: a, needs: [a]}\n",
            "2:3 cycle: cyclic reference: a -> a (remove one of these services from the `needs` of another)",
        ),
        (
            "  a: {command: a, needs: [b]}\n  b: {command: a, scope: test}\n",
            "2:3 conflict: `a` runs for all tests of the suite, but needs `b`, which runs for one test (give both the same `scope`)",
        ),
        (
            "  a: {command: a, ready: {port: 1, log: x}}\n",
            "2:36 conflict: `ready` must have only one of `port`, `http`, `log`, `file` and `command` (keep one of them; `command` can check several conditions)",
        ),
        (
            "  a: {command: a, ready: {log: x, status: 200}}\n",
            "2:35 conflict: `status` is for `http`, but this service has `log` (remove `status`)",
        ),
        (
            "  a: {command: a, ready: {}}\n",
            "2:26 missing-field: `ready` must have one of `port`, `http`, `log`, `file` and `command` (without `ready`, a service is ready when it has run for 100 ms)",
        ),
        (
            "  a: {command: a, ready: {port: 70000}}\n",
            "2:33 wrong-value: `port` must be a port from 1 to 65535, such as {{services.NAME.port}}, got '70000'",
        ),
        (
            "  a: {command: a, ready: {http: 'http://x', status: 999}}\n",
            "2:53 wrong-value: `status` must be a status code from 100 to 599, got '999'",
        ),
        (
            "  a: {command: a, ready: {http: localhost}}\n",
            "2:33 wrong-value: `localhost` is not a URL that begins with http:// or https://",
        ),
        (
            "  a: {command: a, ready: {log: '('}}\n",
            "2:32 bad-pattern: `log`: `(` without its `)`: for the character itself write `\\(`",
        ),
    ] {
        assert_problem(services, expected);
    }
}

fn assert_problem(services: &str, expected: &str) {
    let found = problems_of(services);
    assert!(
        found.iter().any(|one| one == expected),
        "{expected}\n{found:#?}"
    );
}

#[test]
fn misuse_of_ports_is_reported() {
    for (services, expected) in [
        (
            "  api: {command: 'a {{services.aip.port}}'}\n",
            "2:21 unknown-service: unknown service `aip` (did you mean `{{services.api.port}}`?)",
        ),
        (
            "  api: {command: 'a {{services.api.host}}'}\n",
            "2:21 unknown-service: `{{services.api.host}}`: a service has only a `port` (did you mean `{{services.api.port}}`?)",
        ),
        (
            "  my-api: {command: 'a {{my-api.port}}'}\n",
            "2:24 undefined-variable: `{{my-api.port}}` is not a variable (write `{{services.my-api.port}}`, or for literal braces write `\\{{`)",
        ),
        (
            "  api: {command: 'a {{apu.port}}'}\n",
            "2:21 undefined-variable: `{{apu.port}}` is not a variable (write `{{services.api.port}}`, or for literal braces write `\\{{`)",
        ),
        (
            "  api: {command: 'a {{service.api.port}}'}\n",
            "2:21 undefined-variable: `{{service.api.port}}` is not a variable (write `{{services.api.port}}`, or for literal braces write `\\{{`)",
        ),
        (
            "  api: {command: 'a {{services.api.port|shh}}'}\n",
            "2:21 undefined-variable: `{{services.api.port|shh}}` is not a variable (write `{{services.api.port|sh}}` to quote it for the shell, or for literal braces write `\\{{`)",
        ),
    ] {
        assert_problem(services, expected);
    }
}

#[test]
fn misuse_of_services_in_tests_is_reported() {
    let services = "services: {api: {command: a}, mine: {command: a, scope: test}}\n";
    for (rest, expected) in [
        (
            "tests: [{name: t, command: a, uses: [apii, mine]}]\n",
            "2:38 unknown-service: unknown service `apii` (did you mean `api`?)",
        ),
        (
            "tests: [{name: t, command: a, uses: [mine]}]\n",
            "1:12 unused-service: no test uses the service `api` (add it to `uses` of a test or to `needs` of a service, or remove it)",
        ),
        (
            "tests: [{name: t, command: 'a {{services.api.port}}', uses: [mine]}]\n",
            "2:9 service-port: the test uses the port of `api`, but `uses` does not start this service for it (add `api` to `uses`)",
        ),
        (
            "tests: [{name: 't {{services.api.port}}', command: a}]\n",
            "2:9 service-port: `name` cannot contain {{services.api.port}}: a port is known only while the test runs (use it in the command, its input, its environment or its assertions)",
        ),
        (
            "env: {API_PORT: 1}\ntests: [{name: t, command: a}]\n",
            "2:6 conflict: `env` sets API_PORT, which has the port of the service `api` (give the variable or the service another name)",
        ),
        (
            "setupFile: a {{services.mine.port}}\ntests: [{name: t, command: a}]\n",
            "2:12 service-port: `setupFile` is used once for the suite, but `mine` has a port for each test (use `setup`, `teardown` or a test, or remove `scope: test`)",
        ),
        (
            "agent: {command: a}\ntests: [{name: t, conversation: [{user: '{{services.api.port}}'}]}]\n",
            "3:9 service-port: in a conversation, only `agent` can contain {{services.api.port}}",
        ),
    ] {
        let found = problems(&format!("{services}{rest}"));
        assert!(
            found.iter().any(|one| one == expected),
            "{expected}\n{found:#?}"
        );
    }
}
