//! The connection to a cluster: the command line before the environment, the environment before `casebook.toml`.

use crate::server::Server;
use crate::support::Project;

const ONE: &str = "
name: shop
tests:
  - name: passes
    command: 'true'
";

/// Nothing listens there.
const CLOSED: &str = "nats://127.0.0.1:1";

#[test]
fn command_line_environment_and_file() {
    let server = Server::with(&["--jetstream", "--auth", "right"]);
    let project = Project::with("shop.casebook.yaml", ONE);
    let token = "CASEBOOK_CLUSTER_TOKEN";
    project.write(
        "casebook.toml",
        format!("[cluster]\nurl = '{}'\n", server.url()),
    );
    let from_file = project.casebook("cluster status").env(token, "right");
    from_file.run().exits(0);
    project.write(
        "casebook.toml",
        format!("[cluster]\nurl = '{CLOSED}'\nname = 'a.b'\n"),
    );
    let environment = |command: &str| {
        let call = project.casebook(command).env(token, "right");
        call.env("CASEBOOK_CLUSTER_URL", server.url())
            .env("CASEBOOK_CLUSTER_NAME", "shop")
    };
    let mut worker = environment("worker --jobs 1 --connect").start();
    worker.wait_for_stderr("press Ctrl-C to quit\n");
    environment("run --record run . --cluster").run().exits(0);
    let typed = format!("run . --cluster {CLOSED}");
    let outcome = environment(&typed).run().exits(2);
    let message = format!("error: cannot connect to {CLOSED}");
    assert!(outcome.stderr.starts_with(&message), "{outcome:#?}");
    let typed = "cluster status --cluster-name a.c";
    let outcome = environment(typed).run().exits(2);
    assert!(outcome.stderr.contains("`a.c`"), "{outcome:#?}");
}

#[test]
fn without_a_url() {
    let project = Project::with("shop.casebook.yaml", ONE);
    for command in ["run . --cluster", "worker --connect", "cluster status"] {
        let outcome = project.casebook(command).run().exits(2);
        assert_eq!(
            outcome.stderr,
            "error: no cluster is configured: pass its URL, as in nats://127.0.0.1:4222, or set CASEBOOK_CLUSTER_URL, or write `url` below `[cluster]` in casebook.toml\n"
        );
    }
}

#[test]
fn an_unknown_option() {
    let project = Project::with("casebook.toml", "[cluster]\nuri = 'nats://127.0.0.1'\n");
    let outcome = project.casebook("cluster status").run().exits(2);
    assert!(
        outcome.stderr.contains("`[cluster]` has no option `uri`")
            && outcome.stderr.contains("did you mean `url`?"),
        "{outcome:#?}"
    );
}

#[test]
fn an_invalid_url_says_where_it_is() {
    let project = Project::with("shop.casebook.yaml", ONE);
    project.write("casebook.toml", "[cluster]\nurl = 'localhost'\n");
    let outcome = project.casebook("run . --cluster").run().exits(2);
    let message = "error: `url` in casebook.toml: `localhost` is not the URL of a NATS server";
    assert!(outcome.stderr.starts_with(message), "{outcome:#?}");
    let call = project.casebook("run . --cluster");
    let outcome = call.env("CASEBOOK_CLUSTER_URL", "host").run().exits(2);
    let message = "error: CASEBOOK_CLUSTER_URL: `host` is not the URL of a NATS server";
    assert!(outcome.stderr.starts_with(message), "{outcome:#?}");
}

#[test]
fn a_path_after_the_option_is_not_a_url() {
    let project = Project::with("shop.casebook.yaml", ONE);
    let call = project.casebook("run --cluster shop.casebook.yaml");
    assert_eq!(
        call.run().exits(2).stderr,
        "error: `shop.casebook.yaml` is not the URL of a NATS server, but a path; to run it on the configured server, write it before --cluster: `shop.casebook.yaml --cluster`\n"
    );
}

#[test]
fn credentials_that_cannot_be_read() {
    let project = Project::with("shop.casebook.yaml", ONE);
    let call = project.casebook("run . --cluster nats://127.0.0.1:1 --cluster-creds no.creds");
    let outcome = call.run().exits(2);
    assert!(
        outcome.stderr.contains("cannot read the credentials in ")
            && outcome
                .stderr
                .ends_with("/no.creds: no such file or directory\n"),
        "{outcome:#?}"
    );
}
