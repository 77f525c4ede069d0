//! Output for programs: `check --format`, `run --format jsonl`, `run --list --format json`, SARIF.

use serde_json::{Value, json};

use crate::support::{Outcome, Project};

const PROBLEMS: &str = "\
tests:
  - nmae: lists
    command: ls
  - name: names
    command: ls {{dir}}
    timeout: soon
";

fn output(outcome: &Outcome) -> Value {
    serde_json::from_str(&outcome.stdout).unwrap_or_else(|error| panic!("{error}: {outcome:#?}"))
}

#[test]
fn problems_as_json_have_locations_and_fixes() {
    let project = Project::with("a.casebook.yaml", PROBLEMS);
    project.write("b.casebook.yaml", "tests: [{name: ok, command: ls}]\n");
    let checked = project.casebook("check --format json").run().exits(2);
    assert_eq!(checked.stderr, "2 suites: 3 problems\n");
    let report = output(&checked);
    assert_eq!(
        (&report["files"], &report["errors"]),
        (&json!(2), &json!(3))
    );
    let first = &report["problems"][0];
    assert_eq!(
        first,
        &json!({
            "code": "unknown-field",
            "severity": "error",
            "message": "a test has no field `nmae`",
            "file": "a.casebook.yaml",
            "line": 2, "column": 5, "end_line": 2, "end_column": 9,
            "part": "the test at line 2",
            "help": "did you mean `name`?",
            "fix": {
                "file": "a.casebook.yaml",
                "line": 2, "column": 5, "end_line": 2, "end_column": 9,
                "text": "name",
            },
            "related": [],
        })
    );
}

#[test]
fn problems_of_the_project_and_missing_paths_are_in_the_json() {
    let project = Project::with("casebook.toml", "[run]\njob = 4\n");
    let checked = project
        .casebook("check --format json missing.yaml")
        .run()
        .exits(2);
    let report = output(&checked);
    assert_eq!(report["problems"][0]["code"], "project-file");
    assert_eq!(report["problems"][0]["file"], "casebook.toml");
    let reason = "cannot read missing.yaml: no such file or directory";
    assert_eq!(report["unmatched"], json!([reason]));
}

#[test]
fn problems_are_annotations_on_github() {
    let project = Project::with("a.casebook.yaml", PROBLEMS);
    let checked = project.casebook("check --format github").run().exits(2);
    let first = checked.stdout.lines().next().unwrap();
    assert_eq!(
        first,
        "::error file=a.casebook.yaml,line=2,endLine=2,col=5,endColumn=9,title=unknown-field::a test has no field `nmae`%0Ahelp: did you mean `name`?"
    );
    assert_eq!(checked.stdout.lines().count(), 3);
}

#[test]
fn problems_as_sarif() {
    let project = Project::with("a b.casebook.yaml", PROBLEMS);
    let checked = project
        .casebook("check --format sarif")
        .arg("a b.casebook.yaml")
        .run();
    let log = output(&checked.exits(2));
    assert_is_sarif(&log);
    let run = &log["runs"][0];
    let result = &run["results"][0];
    assert_eq!(result["ruleId"], "unknown-field");
    let rule = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
    assert_eq!(run["tool"]["driver"]["rules"][rule]["id"], result["ruleId"]);
    let location = &result["locations"][0]["physicalLocation"];
    assert_eq!(
        location,
        &json!({
            "artifactLocation": { "uri": "a%20b.casebook.yaml" },
            "region": { "startLine": 2, "startColumn": 5, "endLine": 2, "endColumn": 9 },
        })
    );
    let replacement = &result["fixes"][0]["artifactChanges"][0]["replacements"][0];
    assert_eq!(replacement["insertedContent"]["text"], "name");
}

#[test]
fn findings_of_a_review_as_sarif() {
    let spec =
        "RSpec.describe Cart do\n  it 'should work' do\n    cart.total.should eq 1\n  end\nend\n";
    let project = Project::with("spec/cart_spec.rb", spec);
    project.write("Gemfile", "");
    let review = "design review spec/cart_spec.rb --format sarif";
    let log = output(&project.casebook(review).run().exits(0));
    assert_is_sarif(&log);
    let results = log["runs"][0]["results"].as_array().unwrap();
    let location = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(location["artifactLocation"]["uri"], "spec/cart_spec.rb");
    let json = output(
        &project
            .casebook("design review spec/cart_spec.rb --format json")
            .run(),
    );
    assert_eq!(json["findings"].as_array().unwrap().len(), results.len());
}

/// The rules of the schema of SARIF 2.1.0 for the objects that are written: the properties that must be there, and those that may.
#[track_caller]
fn assert_is_sarif(log: &Value) {
    has(log, &["version", "runs"], &["$schema"]);
    assert_eq!(log["version"], "2.1.0");
    for run in each(&log["runs"]) {
        has(run, &["tool"], &["results", "invocations", "columnKind"]);
        assert_eq!(run["columnKind"], "unicodeCodePoints");
        let driver = &run["tool"]["driver"];
        has(driver, &["name"], &["version", "rules"]);
        for rule in each(&driver["rules"]) {
            has(rule, &["id"], &["shortDescription", "help"]);
            has(&rule["shortDescription"], &["text"], &[]);
            has(&rule["help"], &["text"], &["markdown"]);
        }
        for invocation in each(&run["invocations"]) {
            let optional = ["toolExecutionNotifications"];
            has(invocation, &["executionSuccessful"], &optional);
        }
        assert!(!each(&run["results"]).is_empty());
        each(&run["results"]).into_iter().for_each(assert_is_result);
    }
}

fn assert_is_result(result: &Value) {
    let optional = [
        "ruleId",
        "ruleIndex",
        "level",
        "locations",
        "relatedLocations",
        "fixes",
    ];
    has(result, &["message"], &optional);
    assert!(["error", "warning", "note"].contains(&result["level"].as_str().unwrap()));
    has(&result["message"], &["text"], &[]);
    for location in each(&result["locations"]) {
        has(location, &["physicalLocation"], &[]);
        let physical = &location["physicalLocation"];
        has(physical, &["artifactLocation", "region"], &[]);
        has(&physical["artifactLocation"], &["uri"], &[]);
        assert_is_region(&physical["region"]);
    }
    for fix in each(&result["fixes"]) {
        has(fix, &["artifactChanges"], &["description"]);
        for change in each(&fix["artifactChanges"]) {
            has(change, &["artifactLocation", "replacements"], &[]);
            for replacement in each(&change["replacements"]) {
                has(replacement, &["deletedRegion"], &["insertedContent"]);
                assert_is_region(&replacement["deletedRegion"]);
            }
        }
    }
}

fn assert_is_region(region: &Value) {
    let numbers = ["startColumn", "endLine", "endColumn"];
    has(region, &["startLine"], &numbers);
    let numbers = region.as_object().unwrap().values();
    assert!(numbers.clone().all(|number| number.as_u64() > Some(0)));
}

/// An object with all of the required properties, and no others than the optional ones.
#[track_caller]
fn has(object: &Value, required: &[&str], optional: &[&str]) {
    let names: Vec<_> = object.as_object().unwrap().keys().collect();
    for name in required {
        assert!(names.iter().any(|other| other == name), "{name}: {object}");
    }
    for name in names {
        let known = required.iter().chain(optional);
        assert!(known.clone().any(|known| known == name), "{name}: {object}");
    }
}

fn each(list: &Value) -> Vec<&Value> {
    list.as_array().into_iter().flatten().collect()
}

const SUITE: &str = "\
tests:
  - {name: passes, command: 'true', tags: [fast]}
  - {name: fails, command: 'false'}
  - {name: later, command: 'true', skip: true}
";

#[test]
fn events_are_lines_while_the_tests_run() {
    let slow = "tests:\n  - {name: first, command: 'true'}\n  - {name: second, command: read -r x < gate}\n";
    let project = Project::with("a.casebook.yaml", slow);
    project.bash("mkfifo gate").run().exits(0);
    let running = project
        .casebook("run -j 1 --format jsonl --record none")
        .start();
    let mut seen = Vec::new();
    // The second test waits for the gate, which is opened only when its start was seen.
    while seen.iter().filter(|kind| *kind == "ExampleStarted").count() < 2 {
        seen.push(kind(running.answer()));
    }
    assert!(seen.contains(&"ExamplePassed".to_owned()), "{seen:?}");
    project.bash("echo > gate").run().exits(0);
    let rest = running.wait().exits(0);
    assert_eq!(
        rest.stdout.lines().last().map(kind).as_deref(),
        Some("SuiteSummary")
    );
}

fn kind(line: impl AsRef<str>) -> String {
    let event: Value = serde_json::from_str(line.as_ref()).unwrap();
    event["event_type"].as_str().unwrap().to_owned()
}

#[test]
fn the_events_of_a_run_can_be_recorded_again() {
    let project = Project::with("a.casebook.yaml", SUITE);
    let ran = project
        .casebook("run --record first --format jsonl")
        .run()
        .exits(1);
    let kinds: Vec<_> = ran.stdout.lines().map(kind).collect();
    assert_eq!(kinds.first().map(String::as_str), Some("SuiteStarted"));
    let again = project
        .casebook("record --from jsonl --record second")
        .stdin(&ran.stdout)
        .run()
        .exits(1);
    assert_eq!(
        again.stderr.matches("warning").count(),
        0,
        "{}",
        again.stderr
    );
    let counts = |run: &str| {
        let report = output(&project.casebook(&format!("report {run} --json")).run());
        [
            report["example_count"].clone(),
            report["failed_count"].clone(),
            report["pending_count"].clone(),
        ]
    };
    assert_eq!(counts("first"), counts("second"));
    assert_eq!(counts("first"), [json!(3), json!(1), json!(1)]);
    let from_record = project
        .casebook("report first --format jsonl")
        .run()
        .exits(0);
    let again: Vec<_> = from_record.stdout.lines().map(kind).collect();
    let examples = |kinds: &[String]| {
        kinds
            .iter()
            .filter(|kind| kind.starts_with("Example"))
            .count()
    };
    assert_eq!(examples(&again), examples(&kinds));
    let third = project
        .casebook("record --from jsonl --record third")
        .stdin(&from_record.stdout)
        .run();
    third.exits(1);
    assert_eq!(counts("third"), counts("first"));
}

#[test]
fn tests_are_listed_as_json() {
    let project = Project::with("a.casebook.yaml", SUITE);
    let listed = project.casebook("run --list --format json").run().exits(0);
    let list = output(&listed);
    assert_eq!(list["count"], 3);
    let same = project.casebook("run --list --json").run().exits(0);
    assert_eq!(same.stdout, listed.stdout);
    for line in ["run --json", "rspec --json"] {
        let alone = project.casebook(line).run().exits(2);
        assert!(alone.stderr.contains("--json requires --list"), "{alone:?}");
    }
    let first = &list["tests"][0];
    assert_eq!(first["file"], "a.casebook.yaml");
    assert_eq!(
        (
            &first["line"],
            &first["title"],
            &first["tags"],
            &first["skipped"]
        ),
        (&json!(2), &json!("passes"), &json!(["fast"]), &json!(false))
    );
    assert_eq!(list["tests"][2]["skipped"], true);
    project
        .casebook("run --record run --format jsonl")
        .run()
        .exits(1);
    let report = output(&project.casebook("report run --json").run());
    assert_eq!(report["tests"][0]["id"], first["id"]);
    let lines = project
        .casebook("run --list --format pretty")
        .run()
        .exits(0);
    assert!(
        lines
            .stdout
            .starts_with("a.casebook.yaml:2  passes  [fast]\n")
    );
    for format in ["tap", "json=list.json"] {
        let outcome = project
            .casebook(&format!("run --list --format {format}"))
            .run()
            .exits(2);
        assert!(
            outcome.stderr.contains("--list can be combined with"),
            "{outcome:?}"
        );
    }
}
