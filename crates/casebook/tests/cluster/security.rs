//! Encrypted connections, all ways to log in, and what a worker must not do.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;

use crate::keys;
use crate::server::Server;
use crate::support::{Call, Live, Project};

const ONE: &str = "
name: shop
tests:
  - name: passes
    command: |
      env
      for process in /proc/[0-9]*; do tr '\\0' ' ' < $process/cmdline || true; done 2> /dev/null | grep -e '[-]-slot'
";

pub(crate) type Variables<'v> = &'v [(&'v str, &'v str)];

fn with(call: Call, variables: Variables<'_>) -> Call {
    let variables = variables.iter();
    variables.fold(call, |call, (name, value)| call.env(name, value))
}

fn project() -> Project {
    let project = Project::with("shop.casebook.yaml", ONE);
    keys::write_certificates(&project);
    project
}

/// A server with this configuration.
pub(crate) fn configured(project: &Project, config: &str) -> Server {
    project.write("server.conf", config);
    Server::with(&["--config", project.at("server.conf").to_str().unwrap()])
}

/// The configuration that the documentation recommends.
fn documented(project: &Project) -> String {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/cluster/nats-server.conf"
    );
    let here = project.at(".").to_str().unwrap().to_owned();
    fs::read_to_string(file)
        .unwrap()
        .replace("/etc/nats", &here)
        .replace("store_dir: \"/var/lib/nats\"\n", "")
        .replace("$CONTROLLER_PASSWORD", "\"controller-secret\"")
        .replace("$WORKER_PASSWORD", "\"worker-secret\"")
}

/// The part of a configuration that encrypts connections.
fn tls(project: &Project) -> String {
    let file = |name: &str| project.at(name).to_str().unwrap().to_owned();
    format!(
        "jetstream {{}}\ntls {{ cert_file: \"{}\", key_file: \"{}\" }}\n",
        file("server.crt"),
        file("server.key")
    )
}

pub(crate) fn worker(project: &Project, url: &str, variables: Variables<'_>) -> Live {
    let command = format!("worker --jobs 2 --connect {url}");
    let mut worker = with(project.casebook(&command), variables).start();
    worker.wait_for_stderr("press Ctrl-C to quit\n");
    worker
}

/// A run over TLS succeeds with these variables, and is rejected without them.
#[track_caller]
fn logs_in(project: &Project, server: &Server, variables: Variables<'_>) {
    both_log_in(project, server, variables, variables);
}

#[track_caller]
fn both_log_in(
    project: &Project,
    server: &Server,
    variables: Variables<'_>,
    of_worker: Variables<'_>,
) {
    let url = server.url().replace("nats:", "tls:");
    let ca = ("CASEBOOK_CLUSTER_CA", "ca.crt");
    let run = || project.casebook(&format!("run --record none --cluster {url} ."));
    let all = [variables, &[ca]].concat();
    let of_worker = [of_worker, &[ca]].concat();
    let _worker = worker(project, &url, &of_worker);
    with(run(), &all).run().exits(0);
    let rejected = with(run(), &[ca]).run().exits(2);
    assert!(
        rejected.stderr.contains("rejects the credentials"),
        "{rejected:#?}"
    );
    let untrusted = with(run(), variables).run().exits(2);
    let start = format!("error: no secure connection to {url}: ");
    assert!(untrusted.stderr.starts_with(&start), "{untrusted:#?}");
    assert!(
        untrusted.stderr.ends_with("--cluster-ca FILE\n"),
        "{untrusted:#?}"
    );
}

#[test]
fn user_and_password() {
    let project = project();
    let server = configured(&project, &documented(&project));
    both_log_in(
        &project,
        &server,
        &[
            ("CASEBOOK_CLUSTER_USER", "controller"),
            ("CASEBOOK_CLUSTER_PASSWORD", "controller-secret"),
        ],
        &[
            ("CASEBOOK_CLUSTER_USER", "worker"),
            ("CASEBOOK_CLUSTER_PASSWORD", "worker-secret"),
        ],
    );
}

#[test]
fn token() {
    let project = project();
    let config = format!("{}authorization {{ token: abc-secret }}", tls(&project));
    let server = configured(&project, &config);
    logs_in(
        &project,
        &server,
        &[("CASEBOOK_CLUSTER_TOKEN", "abc-secret")],
    );
}

#[test]
fn nkey() {
    let project = project();
    let user = nkeys::KeyPair::new_user();
    let config = format!(
        "{}authorization {{ users: [ {{ nkey: {} }} ] }}",
        tls(&project),
        user.public_key()
    );
    let server = configured(&project, &config);
    logs_in(
        &project,
        &server,
        &[("CASEBOOK_CLUSTER_NKEY", &user.seed().unwrap())],
    );
}

#[test]
fn creds_file() {
    let project = project();
    let (operator, creds) = keys::operator();
    project.write("worker.creds", creds);
    let server = configured(&project, &format!("{}{operator}", tls(&project)));
    logs_in(
        &project,
        &server,
        &[("CASEBOOK_CLUSTER_CREDS", "worker.creds")],
    );
}

#[test]
fn credentials_are_not_visible() {
    let project = project();
    let server = Server::with(&["--jetstream", "--user", "ann", "--pass", "hidden-word"]);
    let url = server.url().replace("//", "//ann:hidden-word@");
    let mut live = project
        .casebook(&format!("worker --jobs 1 --connect {url}"))
        .start();
    live.wait_for_stderr("press Ctrl-C to quit\n");
    let run = server
        .run(&project, "--record run --verbose .")
        .env("CASEBOOK_CLUSTER_USER", "ann")
        .env("CASEBOOK_CLUSTER_PASSWORD", "hidden-word")
        .run()
        .exits(0);
    assert!(!run.stdout.contains("hidden-word"), "{run:#?}");
    let record = project.read("run/run.json") + &project.read("run/events.jsonl");
    assert!(
        record.contains("--slot 1"),
        "the test shows its worker: {record}"
    );
    assert!(!record.contains("hidden-word"), "{record}");
    assert!(!record.contains("CASEBOOK_CLUSTER"), "{record}");
    drop(server);
    live.signal(rustix::process::Signal::TERM);
    let outcome = live.wait();
    assert!(!outcome.stderr.contains("hidden-word"), "{outcome:#?}");
}

/// The configuration without encryption, for a client that speaks the protocol by hand.
pub(crate) fn documented_without_tls(project: &Project) -> String {
    let config = documented(project);
    let (before, rest) = config.split_once("tls {").unwrap();
    let (_, after) = rest.split_once('}').unwrap();
    format!("{before}{after}")
}

const KILLS_ITS_WORKER: &str = "
name: shop
tests:
  - name: passes
    command: echo one
  - name: kills its worker once
    command: |
      if mkdir killed; then
        pid=$$
        until grep -q -e '[-]-slot' /proc/$pid/cmdline; do pid=$(sed -n 's/^PPid:[^0-9]*//p' /proc/$pid/status); done
        kill -KILL $pid; sleep 60
      fi
  - name: writes much
    command: seq 300000; exit 1
";

#[test]
fn the_documented_permissions_suffice() {
    let project = Project::with("shop.casebook.yaml", KILLS_ITS_WORKER);
    project.write(
        "order.casebook.yaml",
        KILLS_ITS_WORKER.replace("name: shop", "name: order\nparallel: false"),
    );
    project.write(
        "order.casebook.yaml",
        project
            .read("order.casebook.yaml")
            .replace("killed", "killed-too"),
    );
    let server = configured(&project, &documented_without_tls(&project));
    let controller = [
        ("CASEBOOK_CLUSTER_USER", "controller"),
        ("CASEBOOK_CLUSTER_PASSWORD", "controller-secret"),
    ];
    let _worker = worker(
        &project,
        &server.url(),
        &[
            ("CASEBOOK_CLUSTER_USER", "worker"),
            ("CASEBOOK_CLUSTER_PASSWORD", "worker-secret"),
        ],
    );
    let call = server.run(&project, "--record run --cluster-lease 1 .");
    let outcome = with(call, &controller).run().exits(1);
    let record = project.json("run/run.json");
    let examples = record["examples"].as_object().unwrap();
    let count = |status: &str| {
        let examples = examples.values();
        examples
            .filter(|example| example["status"] == status)
            .count()
    };
    assert_eq!((count("passed"), count("failed")), (4, 2), "{outcome:#?}");
    assert!(
        outcome.stderr.contains("given to another worker"),
        "{outcome:#?}"
    );
    assert_eq!(project.files("run/output").len(), 2);
    let command = format!("cluster status {}", server.url());
    with(project.casebook(&command), &controller).run().exits(0);
    project.write(
        "new.casebook.yaml",
        "tests:\n  - name: new\n    command: pwd\n    outputContains: bundles\n",
    );
    let call = server.run(&project, "--bundle new.casebook.yaml new.casebook.yaml");
    with(call, &controller).run().exits(0);
    project.bash("chmod -R u+w .cache").run().exits(0);
    assert_eq!(server.log_lines("Violation"), Vec::<String>::new());
}

#[test]
fn a_worker_can_neither_publish_work_nor_change_streams() {
    let project = project();
    let server = configured(&project, &documented_without_tls(&project));
    let answer = |user: &str, request: &str| {
        let mut stream = TcpStream::connect(server.url().trim_start_matches("nats://")).unwrap();
        let password = format!("{user}-secret");
        let login = format!(r#"{{"verbose":false,"user":"{user}","pass":"{password}"}}"#);
        write!(stream, "CONNECT {login}\r\n{request}\r\nPING\r\n").unwrap();
        let lines = BufReader::new(stream).lines().map_while(Result::ok);
        let mut answers = lines.skip(1).take_while(|line| line != "PONG");
        answers.next().unwrap_or_default()
    };
    let work = "cb.default.run.work.c0";
    assert_eq!(answer("controller", &format!("PUB {work} 2\r\n{{}}")), "");
    for subject in [
        work,
        "cb.default.run.stop",
        "$JS.API.STREAM.CREATE.CASEBOOK_default_WORK",
        "$JS.API.STREAM.UPDATE.CASEBOOK_default_WORK",
        "$JS.API.STREAM.DELETE.CASEBOOK_default_WORK",
        "$JS.API.STREAM.DELETE.CASEBOOK_default_EVENTS",
        "$JS.API.STREAM.DELETE.OBJ_CASEBOOK_default",
        "$JS.API.STREAM.DELETE.KV_CASEBOOK_default",
        "$JS.API.STREAM.PURGE.CASEBOOK_default_WORK",
        "$JS.API.STREAM.PURGE.CASEBOOK_default_EVENTS",
        "$JS.API.STREAM.MSG.DELETE.CASEBOOK_default_WORK",
        "$JS.API.CONSUMER.DELETE.CASEBOOK_default_WORK.workers",
        "$JS.API.CONSUMER.CREATE.CASEBOOK_default_WORK.other",
    ] {
        let answer = answer("worker", &format!("PUB {subject} 2\r\n{{}}"));
        assert_eq!(
            answer,
            format!("-ERR 'Permissions Violation for Publish to \"{subject}\"'")
        );
    }
    let answer = answer("worker", "SUB cb.default.*.work.* 1");
    assert!(
        answer.contains("Permissions Violation for Subscription"),
        "{answer}"
    );
}
