//! `--bundle`: workers without a checkout get the files from the controller.

use std::fs;
use std::ops::Deref;

use crate::record::comparable;
use crate::server::Server;
use crate::support::Project;

const SUITE: &str = "
name: bundled
tests:
  - name: reads a file
    command: cat data/greeting
    outputContains: hello
  - name: runs a program
    command: bin/program
    outputContains: from the program
  - name: fails
    command: cat data/missing
  - name: matches a snapshot
    command: cat data/greeting
    snapshot: true
";

fn project() -> Project {
    let project = Project::with("suites/shop.casebook.yaml", SUITE);
    project.write("data/greeting", "hello\n");
    project.write("bin/program", "#!/bin/sh\necho from the program\n");
    project.bash("chmod +x bin/program").run().exits(0);
    project
}

/// The directory of a worker without a checkout.
struct Empty(Project);

impl Empty {
    fn new() -> Empty {
        Empty(Project::new())
    }
}

impl Deref for Empty {
    type Target = Project;

    fn deref(&self) -> &Project {
        &self.0
    }
}

impl Drop for Empty {
    /// Otherwise the read-only directories cannot be removed.
    fn drop(&mut self) {
        self.0.bash("chmod -R u+w .").run();
    }
}

const BUNDLE: &str = "--bundle suites --bundle data --bundle bin";

/// The names of the bundles in the cache of a worker.
fn unpacked(worker: &Project) -> Vec<String> {
    let cache = worker.at(".cache/casebook-bundles");
    let entries = fs::read_dir(cache).unwrap().map(Result::unwrap);
    let mut names: Vec<_> = entries
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_worker_in_an_empty_directory_runs_a_bundle() {
    let (server, project, empty) = (Server::start(), project(), Empty::new());
    // Writes the snapshot.
    project.casebook("run --record first suites").run().exits(1);
    project.casebook("run --record local suites").run().exits(1);
    let _worker = server.worker(&empty, 2);
    let arguments = format!("{BUNDLE} --record cluster suites");
    server.run(&project, &arguments).run().exits(1);
    assert_eq!(
        comparable(&project, "cluster"),
        comparable(&project, "local")
    );
}

#[test]
fn the_same_bundle_is_sent_only_once() {
    let server = Server::with(&["--jetstream", "--trace"]);
    let (project, empty) = (project(), Empty::new());
    let _worker = server.worker(&empty, 1);
    let run = || {
        let call = server.run(&project, &format!("{BUNDLE} --filter program suites"));
        call.run().exits(0);
        server.log_lines("[PUB $O.CASEBOOK_default.C.").len()
    };
    assert_eq!((run(), run()), (1, 1));
    assert_eq!(unpacked(&empty).len(), 1);
    project.write("data/greeting", "good morning\n");
    assert_eq!(run(), 2);
    assert_eq!(unpacked(&empty).len(), 2);
}

#[test]
fn slots_that_unpack_a_bundle_at_the_same_time_run_it() {
    let (server, project, empty) = (Server::start(), Project::new(), Empty::new());
    for number in 0..8 {
        let suite =
            format!("name: s{number}\ntests:\n  - name: t\n    command: cat file; sleep 0.2\n");
        project.write(&format!("s{number}.casebook.yaml"), suite);
    }
    project.write("file", "x".repeat(3_000_000));
    let _worker = server.worker(&empty, 4);
    server.run(&project, "--bundle . .").run().exits(0);
    assert_eq!(unpacked(&empty).len(), 1);
}

#[test]
fn tests_write_to_temporary_files_because_the_bundle_is_read_only() {
    let (server, empty) = (Server::start(), Empty::new());
    let project = Project::with(
        "a.casebook.yaml",
        "
name: a
tests:
  - name: nothing is writable
    command: find . ! -type l -perm -u+w
    outputEquals: ''
  - name: writes a temporary file
    command: cd \"$TEST_TEMP_DIR\"; echo 1 >file; cat file
    outputEquals: '1'
  - name: is in the bundle
    command: '[[ $PWD == */casebook-bundles/* && $(pwd -P) -ef $PWD ]]'
",
    );
    project.write("dir/file", "1");
    let _worker = server.worker(&empty, 1);
    server.run(&project, "--bundle . .").run().exits(0);
}

#[test]
fn suites_that_are_not_in_the_bundle_are_reported() {
    let (server, project) = (Server::start(), project());
    let outcome = server.run(&project, "--bundle data suites").run().exits(2);
    assert!(
        outcome.stderr.contains(
            "suites/shop.casebook.yaml is not in the bundle, so workers do not have it; add it with --bundle"
        ),
        "{outcome:#?}"
    );
    let outcome = server.run(&project, "--bundle ../x suites").run().exits(2);
    assert!(
        outcome
            .stderr
            .contains("--bundle ../x: outside this directory"),
        "{outcome:#?}"
    );
    project
        .casebook("run --bundle suites suites")
        .run()
        .exits(2);
}

#[test]
fn a_worker_that_cannot_unpack_the_bundle_refuses_it() {
    let (server, project, full) = (Server::start(), project(), Empty::new());
    full.write(".cache", "not a directory");
    let _worker = server.worker(&full, 1);
    let outcome = server.run(&project, &format!("{BUNDLE} suites")).run();
    let outcome = outcome.exits(2);
    assert!(
        outcome
            .stderr
            .contains("cannot run suites/shop.casebook.yaml: cannot unpack the bundle: "),
        "{outcome:#?}"
    );
    assert!(!outcome.stderr.contains("checkouts"), "{outcome:#?}");
}

#[test]
fn specs_run_in_a_bundle() {
    let (server, empty) = (Server::start(), Empty::new());
    let project = Project::with(
        "spec/shop_spec.rb",
        "require_relative \"../lib/shop\"\nRSpec.describe(Shop) { it(\"sells\") { expect(Shop.sell).to eq 1 } }\n",
    );
    project.write("lib/shop.rb", "class Shop\n  def self.sell = 1\nend\n");
    let _worker = server.worker(&empty, 1);
    let call = format!(
        "rspec --cluster {} --bundle spec --bundle lib",
        server.url()
    );
    project.casebook(&call).run().exits(0);
}
