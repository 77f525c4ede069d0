//! `report --html` and `run --html`: which files are written. The page itself is tested in the report crate.

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
fn a_run_writes_a_page_and_shows_its_results() {
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
        "no other files may be left"
    );
}

#[test]
fn a_report_of_a_record_is_the_same_page() {
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
        "only the white space of run.json may differ"
    );
}

#[test]
fn the_page_can_be_set_in_the_configuration() {
    let project = project();
    project.write("casebook.toml", "[run]\nhtml = \"report.html\"\n");
    project.casebook("run").run().exits(1);
    assert!(project.exists("report.html"));
}

#[test]
fn unwritable_files_are_reported_before_the_run() {
    let project = project();
    project.casebook("run --record rec").run().exits(1);
    for arguments in [
        "run --html no/such/directory/x.html",
        "report rec --html no/such/directory/x.html",
    ] {
        let outcome = project.casebook(arguments).run().exits(2);
        assert_eq!(outcome.stdout, "");
        assert_eq!(
            outcome.stderr,
            "error: cannot write no/such/directory/x.html: no such file or directory\n"
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
fn an_existing_page_is_replaced_completely() {
    let project = project();
    project.write("out.html", "x".repeat(1_000_000));
    project.casebook("run --html out.html").run().exits(1);
    assert!(project.read("out.html").trim_end().ends_with("</html>"));
}
