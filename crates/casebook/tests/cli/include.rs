//! `include`: through links, in workers, and in messages.

use std::os::unix::fs::symlink;

use crate::support::Project;

const SUITE: &str = "\
include: [shared/a.yaml]
tests:
  - {name: t, command: 'echo {{x}}', $ref: one}
";

fn project(shared: &str) -> Project {
    let project = Project::with("a.casebook.yaml", SUITE);
    project.write("shared/a.yaml", shared);
    project
}

#[test]
fn a_failed_assertion_shows_the_line_of_the_included_file() {
    let project = project("variables: {x: 2}\nfragments:\n  one:\n    outputEquals: \"1\"\n");
    for arguments in ["run --record out", "run --record none -w 2"] {
        let outcome = project.casebook(arguments).run().exits(1);
        assert!(
            outcome.stdout.contains("--> shared/a.yaml:4"),
            "{outcome:#?}"
        );
        assert!(
            outcome.stdout.contains("4 │ outputEquals: \"1\""),
            "{outcome:#?}"
        );
    }
    let journal = project.read("out/events.jsonl");
    assert!(journal.contains(r#""file":"shared/a.yaml","line":4"#));
}

#[test]
fn a_file_is_the_same_through_symbolic_links() {
    let project = project("include: [link/a.yaml]\n");
    symlink(".", project.at("shared/link")).unwrap();
    let outcome = project.casebook("check").run().exits(2);
    assert!(
        outcome.stdout.contains(
            "shared/a.yaml:1:11: error: cyclic include: shared/a.yaml -> shared/a.yaml [cycle]"
        ),
        "{outcome:#?}"
    );
    project.write(
        "shared/a.yaml",
        "variables: {x: 1}\nfragments: {one: {outputEquals: '1'}}\n",
    );
    project.write(
        "b.casebook.yaml",
        SUITE.replace(
            "[shared/a.yaml]",
            "[shared/a.yaml, shared/link/link/a.yaml]",
        ),
    );
    project.casebook("run --record none").run().exits(0);
}

#[test]
fn a_file_outside_of_the_project_can_be_included() {
    let outside = Project::with("b.yaml", "variables: {x: 1}\n");
    let project = project(&format!(
        "include: [\"{}\"]\nfragments: {{one: {{outputEquals: '1'}}}}\n",
        outside.at("b.yaml").display()
    ));
    project.casebook("run --record none").run().exits(0);
    project.casebook("run --record none -w 1").run().exits(0);
    std::fs::remove_file(outside.at("b.yaml")).unwrap();
    let outcome = project.casebook("check").run().exits(2);
    assert!(
        outcome
            .stdout
            .contains("shared/a.yaml:1:11: error: cannot read the included file")
    );
    assert!(outcome.stdout.contains("1 problem") || outcome.stderr.contains("1 problem"));
}
