//! The JSON of recorded runs.

use serde_json::json;

use crate::studio_project::{StudioProject, run};

const FIRST: &str = "20261118-080000-aaaaaaaa";
const SECOND: &str = "20261118-090000-bbbbbbbb";

fn project() -> StudioProject {
    let project = StudioProject::new();
    project.add(FIRST, &run("a", 150, 3));
    project.add(SECOND, &run("b", 150, 1));
    project
}

#[test]
fn runs_are_listed_and_known_to_the_browser_until_one_is_added() {
    let project = project();
    let list = project.get("/api/v1/runs");
    let runs = list.json();
    let folders: Vec<_> = runs["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| &run["folder"])
        .collect();
    assert_eq!(folders, [FIRST, SECOND]);
    assert_eq!(runs["runs"][0]["failed"], 3);
    let tag = list.header("etag").to_owned();
    let known = format!("If-None-Match: {tag}\r\n");
    assert_eq!(project.get_with("/api/v1/runs", &known).status, 304);
    project.add("20261118-100000-cccccccc", &run("c", 2, 0));
    let changed = project.get_with("/api/v1/runs", &known);
    assert_eq!(changed.json()["runs"].as_array().unwrap().len(), 3);
}

#[test]
fn a_run_has_an_index_and_details() {
    let project = project();
    let index = project.get(&format!("/api/v1/runs/{FIRST}"));
    let rows = index.json()["rows"].as_array().unwrap().len();
    assert_eq!(rows, 150);
    let tag = format!("If-None-Match: {}\r\n", index.header("etag"));
    assert_eq!(
        project
            .get_with(&format!("/api/v1/runs/{FIRST}"), &tag)
            .status,
        304
    );

    let test = project
        .get(&format!("/api/v1/runs/{FIRST}/tests/example%3A7"))
        .json();
    assert_eq!(test["metadata"]["command"]["output"], "output a of 7\n");
    let part = project
        .get(&format!("/api/v1/runs/{FIRST}/tests?from=100&to=200"))
        .json();
    assert_eq!(part.as_array().unwrap().len(), 50);
    assert_eq!(part[0]["id"], "example:100");
    let too_many = project.get(&format!("/api/v1/runs/{FIRST}/tests?from=0&to=100000"));
    assert_eq!(too_many.status, 400);
    assert_eq!(
        project
            .get(&format!("/api/v1/runs/{FIRST}/tests/none"))
            .status,
        404
    );
}

#[test]
fn a_run_that_was_replaced_is_read_again() {
    let project = project();
    let path = format!("/api/v1/runs/{FIRST}");
    assert_eq!(
        project.get(&path).json()["rows"].as_array().unwrap().len(),
        150
    );
    project.add(FIRST, &run("a", 2, 0));
    assert_eq!(
        project.get(&path).json()["rows"].as_array().unwrap().len(),
        2
    );
}

#[test]
fn a_damaged_run_is_reported() {
    let project = project();
    std::fs::write(
        project.runs().join(FIRST).join("run.json"),
        "{\"run_id\": 3",
    )
    .unwrap();
    let response = project.get(&format!("/api/v1/runs/{FIRST}"));
    assert_eq!(response.status, 422);
    let problem = response.json()["problem"].as_str().unwrap().to_owned();
    assert!(problem.contains("run.json"), "{problem}");
    let list = project.get("/api/v1/runs").json();
    assert_eq!(list["damaged"][0]["folder"], FIRST);
}

#[test]
fn tests_have_a_history_and_a_row_of_the_grid() {
    let project = project();
    let history = project.get("/api/v1/tests/example%3A1").json();
    let outcomes: Vec<_> = history["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| run["outcome"].clone())
        .collect();
    assert_eq!(outcomes, [json!("failed"), json!("passed")]);
    let grid = project.get("/api/v1/grid").json();
    assert_eq!(grid["runs"], json!([FIRST, SECOND]));
    assert_eq!(
        (&grid["tests"][0]["id"], &grid["tests"][0]["results"]),
        (&json!("example:0"), &json!("FF"))
    );
    assert_eq!(grid["tests"][1]["results"], "F.");
}

#[test]
fn runs_are_compared() {
    let project = project();
    let diff = project
        .get(&format!("/api/v1/compare?base={FIRST}&new={SECOND}"))
        .json();
    assert_eq!(diff["counts"]["newly_passing"], 2);
    assert_eq!(diff["counts"]["still_failing"], 1);
    let unknown = project.get(&format!("/api/v1/compare?base={FIRST}&new=..%2F.."));
    assert_eq!(unknown.status, 422);
}

#[test]
fn the_browser_keeps_every_answer_until_it_changes() {
    let project = project();
    for path in [
        "/project".to_owned(),
        "/runs".to_owned(),
        "/grid".to_owned(),
        "/design".to_owned(),
        "/tests/example%3A1".to_owned(),
        format!("/compare?base={FIRST}&new={SECOND}"),
        format!("/runs/{FIRST}"),
        format!("/runs/{FIRST}/tests?from=0&to=3"),
        format!("/runs/{FIRST}/tests/example%3A1"),
        format!("/runs/{FIRST}/reviews"),
    ] {
        let path = format!("/api/v1{path}");
        let first = project.get(&path);
        let known = format!("If-None-Match: {}\r\n", first.header("etag"));
        let again = project.get_with(&path, &known);
        assert_eq!((first.status, again.status), (200, 304), "{path}");
        assert_eq!(again.body, "", "{path}");
        assert_eq!(again.header("etag"), first.header("etag"), "{path}");
    }
    let review = json!({"example": "example:1", "criterion": "is polite", "verdict": "passed"});
    let path = format!("/api/v1/runs/{FIRST}/reviews");
    let known = format!("If-None-Match: {}\r\n", project.get(&path).header("etag"));
    assert_eq!(project.post(&path, &review).status, 201);
    assert_eq!(project.get_with(&path, &known).json(), json!([review]));
}

/// Specs and suites are run by different commands, and a test that is run again has a record of its own.
#[test]
fn the_coverage_has_the_newest_results_of_all_tests() {
    let project = project();
    for minute in 10..40 {
        let name = format!("20261118-10{minute}00-cccccccc");
        project.add(&name, &run("c", 1, 0));
    }
    let coverage = &project.get("/api/v1/design").json()["coverage"];
    let newest = [
        ".casebook/runs/20261118-103900-cccccccc".to_owned(),
        format!(".casebook/runs/{SECOND}"),
    ];
    assert_eq!(coverage["runs"], json!(newest));
}

#[test]
fn a_test_has_its_lines_in_the_suite() {
    let project = project();
    let path = format!("/api/v1/runs/{FIRST}/tests/example%3A1/source");
    let problem = project.get(&path).json()["problem"].to_string();
    assert!(problem.contains("not a file of this project"), "{problem}");
    project.write_sources();
    let source = project.get(&path).json();
    assert_eq!(
        (&source["line"], &source["lines"]),
        (&json!(4), &json!(["- name: test 1"]))
    );
    assert_eq!(source["problems"][0]["message"], "the <name> is long");
    assert_eq!(source["other_problems"], 1);
    assert_eq!(source["changed"], json!(null));
}
