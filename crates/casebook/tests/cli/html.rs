//! `report --html` and `run --html`: what is written where. How the page looks and works is tested with the reports.

use crate::support::Project;

const SUITE: &str = "\
tests:
  - name: says hello
    command: echo hello
    outputEquals: hello
  - name: says goodbye
    command: echo hello
    outputEquals: goodbye
";

fn project() -> Project {
    Project::with("greet.casebook.yaml", SUITE)
}

#[test]
fn a_run_leaves_a_page_besides_what_it_shows() {
    let project = project();
    let outcome = project.casebook("run --html out.html").run().exits(1);
    assert!(outcome.stdout.contains("2 tests: 1 passed, 1 failed"));
    let page = project.read("out.html");
    assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"));
    assert!(page.contains("<title>2 tests: 1 passed, 1 failed in "));
    assert!(page.contains("<strong>greet › says goodbye</strong>"));
    assert_eq!(
        project.files("."),
        [".casebook", "greet.casebook.yaml", "out.html"],
        "nothing else is left"
    );
}

#[test]
fn a_record_becomes_the_same_page_again() {
    let project = project();
    project
        .casebook("run --record rec --html run.html")
        .run()
        .exits(1);
    let outcome = project
        .casebook("report rec --html report.html")
        .run()
        .exits(0);
    assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), ("", ""));
    let outcome = project.casebook("report rec --html -").run().exits(0);
    assert_eq!(outcome.stdout, project.read("report.html"));
    let length = |name: &str| project.read(name).len();
    assert!(
        length("run.html").abs_diff(length("report.html")) < 4_000,
        "only the spaces of run.json differ"
    );
}

#[test]
fn a_project_can_want_a_page_of_every_run() {
    let project = project();
    project.write("casebook.toml", "[run]\nhtml = \"report.html\"\n");
    project.casebook("run").run().exits(1);
    assert!(project.exists("report.html"));
}

#[test]
fn what_cannot_be_written_is_said_before_anything_runs() {
    let project = project();
    project.casebook("run --record rec").run().exits(1);
    for arguments in [
        "run --html no/such/folder/x.html",
        "report rec --html no/such/folder/x.html",
    ] {
        let outcome = project.casebook(arguments).run().exits(2);
        assert_eq!(outcome.stdout, "");
        assert_eq!(
            outcome.stderr,
            "error: cannot write no/such/folder/x.html: No such file or directory (os error 2)\n"
        );
    }
    let outcome = project.casebook("run --html rec").run().exits(2);
    assert_eq!(outcome.stderr, "error: cannot write rec: is a directory\n");
    let outcome = project
        .casebook("report rec --html x.html --json")
        .run()
        .exits(2);
    assert!(outcome.stderr.contains("cannot be used with"));
}

#[test]
fn a_page_that_was_there_is_replaced_whole() {
    let project = project();
    project.write("out.html", "x".repeat(1_000_000));
    project.casebook("run --html out.html").run().exits(1);
    assert!(project.read("out.html").trim_end().ends_with("</html>"));
}
