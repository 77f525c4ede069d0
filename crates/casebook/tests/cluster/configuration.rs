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
