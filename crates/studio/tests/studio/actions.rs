//! Starting and stopping commands, and reviewing verdicts.

use std::thread::sleep;
use std::time::{Duration, Instant};

use casebook_report::calibration::read_labels;
use serde_json::{Value, json};

use crate::client::Response;
use crate::studio_project::{StudioProject, run};

const RUN: &str = "20261118-080000-aaaaaaaa";

fn project() -> StudioProject {
    let project = StudioProject::new();
    project.add(RUN, &run("a", 3, 1));
    std::fs::write(project.dir.path().join("shop.casebook.yaml"), "").unwrap();
    project
}

fn until(condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(60));
        sleep(Duration::from_millis(10));
    }
}

fn command_lines(project: &StudioProject, actions: &Value) -> Value {
    project.post("/api/v1/command-lines", actions).json()
}

#[test]
fn every_action_states_its_command_line() {
    let project = project();
    let test = |action: &str| json!({"action": action, "run": RUN, "test": "example:1"});
    let actions = json!([{"action": "run"}, {"action": "rerun-failed", "run": RUN}, test("rerun-test"), test("accept")]);
    assert_eq!(
        command_lines(&project, &actions),
        json!([
            {"command": "casebook run"},
            {"command": format!("casebook run --failed {RUN}")},
            {"command": "casebook run shop.casebook.yaml:4"},
            {"command": "casebook accept shop.casebook.yaml:4"},
        ])
    );
}

#[test]
fn only_output_of_the_newest_run_is_accepted() {
    let project = project();
    project.add("20261118-090000-bbbbbbbb", &run("b", 3, 1));
    std::os::unix::fs::symlink("20261118-090000-bbbbbbbb", project.runs().join("latest")).unwrap();
    let accept = json!([{"action": "accept", "run": RUN, "test": "example:0"}]);
    let problem = command_lines(&project, &accept)[0]["problem"].to_string();
    assert!(problem.contains("newest"), "{problem}");
}

/// After its output was accepted, a test must be run again before the next output can be accepted.
#[test]
fn output_is_accepted_only_into_the_suite_that_was_run() {
    let project = StudioProject::new();
    let file = project.dir.path().join("shop.casebook.yaml");
    std::fs::write(&file, "tests:").unwrap();
    let mut run = run("a", 2, 2);
    for example in run.examples.values_mut() {
        let digest = casebook_record::hex_of_sha256(b"tests:", 16);
        example.metadata.set("suite_digest", digest.as_str());
    }
    std::fs::write(project.dir.path().join("a_spec.rb"), "").unwrap();
    run.examples[1].location = "a_spec.rb:1".into();
    project.add(RUN, &run);
    let accept = json!([
        {"action": "accept", "run": RUN, "test": "example:0"},
        {"action": "accept", "run": RUN, "test": "example:1"},
    ]);
    let lines = command_lines(&project, &accept);
    assert!(lines[0]["command"].is_string(), "{lines}");
    assert_eq!(
        lines[1]["problem"],
        "specs have no output that can be accepted"
    );
    std::fs::write(&file, "tests: []").unwrap();
    let lines = command_lines(&project, &accept);
    let problem = "the suite has changed since this run; run the test again";
    assert_eq!(lines[0]["problem"], problem);
}

/// A record can come from another machine, or from an attacker.
#[test]
fn a_record_cannot_name_what_is_started() {
    let project = project();
    for location in [
        "/etc/passwd:1",
        "../shop.casebook.yaml:1",
        "--config=x:1",
        "shop.casebook.yaml",
        "shop.casebook.yaml:1;id",
        "$(id):1",
    ] {
        let mut run = run("c", 1, 1);
        let example = run.examples.values_mut().next().unwrap();
        example.location = location.into();
        example.metadata.set("rerun", "touch owned");
        project.add("20261118-100000-cccccccc", &run);
        let action =
            json!({"action": "rerun-test", "run": "20261118-100000-cccccccc", "test": "example:0"});
        assert_eq!(
            project.post("/api/v1/commands", &action).status,
            409,
            "{location}"
        );
        assert!(
            command_lines(&project, &json!([action]))[0]["problem"].is_string(),
            "{location}"
        );
    }
    assert!(!project.dir.path().join("owned").exists());
}

#[test]
fn a_command_is_started_shown_and_stopped() {
    let project = project();
    let mut events = project.events("/api/v1/events");
    assert_eq!(events.next().data["commands"], json!([]));
    let started = project.post("/api/v1/commands", &json!({"action": "run"}));
    assert_eq!(started.status, 201);
    assert_eq!(started.json()["command"], "casebook run");
    assert_eq!(events.next().data["commands"][0]["is_running"], true);
    let address = format!("/api/v1/commands/{}", started.json()["id"]);
    let command = || project.get(&address).json();
    until(|| command()["output"] == "casebook run\n");
    let stop = format!("{address}/stop");
    assert_eq!(project.post(&stop, &json!({})).status, 200);
    until(|| command()["is_running"] == false);
    let end = command()["end"].to_string();
    assert!(end.contains("signal: 2"), "{end}");
    assert_eq!(
        project.post("/api/v1/commands/1/stop", &json!({})).status,
        404
    );
}

#[test]
fn only_a_few_commands_run_at_once() {
    let project = project();
    let start = || project.post("/api/v1/commands", &json!({"action": "run"}));
    let stop = |started: Response| {
        let address = format!("/api/v1/commands/{}/stop", started.json()["id"]);
        project.post(&address, &json!({}));
    };
    let started = [(); 4].map(|()| start());
    assert_eq!(started.each_ref().map(|one| one.status), [201; 4]);
    assert_eq!(start().status, 409);
    started.into_iter().for_each(stop);
    let mut next = start();
    while next.status == 409 {
        sleep(Duration::from_millis(10));
        next = start();
    }
    assert_eq!(next.status, 201);
    stop(next);
}

#[test]
fn a_test_is_opened_in_the_editor() {
    let project = project();
    let test = json!({"run": RUN, "test": "example:1"});
    assert_eq!(project.post("/api/v1/editor", &test).status, 200);
    let edited = project.dir.path().join("edited");
    until(|| {
        std::fs::read_to_string(&edited).is_ok_and(|text| text.ends_with("shop.casebook.yaml:4\n"))
    });
}

#[test]
fn unknown_actions_and_fields_are_refused() {
    let project = project();
    for body in [
        json!({"action": "shell", "command": "id"}),
        json!({"action": "run", "paths": ["--help"]}),
        json!({"action": "rerun-failed", "run": "../.."}),
        json!({"action": "rerun-test", "run": RUN, "test": "none"}),
        json!([]),
    ] {
        let status = project.post("/api/v1/commands", &body).status;
        assert!(matches!(status, 400 | 409 | 422), "{body}: {status}");
    }
    assert_eq!(
        project.events("/api/v1/events").next().data["commands"],
        json!([])
    );
}

#[test]
fn reviews_are_labels_for_the_calibration() {
    let project = project();
    let before = std::fs::read(project.runs().join(RUN).join("run.json")).unwrap();
    let path = format!("/api/v1/runs/{RUN}/reviews");
    let review = |verdict: &str| json!({"example": "example:1", "turn": 2, "criterion": "is polite", "verdict": verdict, "comment": "says \"please\"\n"});
    assert_eq!(project.post(&path, &review("passed")).status, 201);
    assert_eq!(project.post(&path, &review("failed")).status, 201);
    assert_eq!(project.get(&path).json(), json!([review("failed")]));
    let text = std::fs::read_to_string(project.runs().join(RUN).join("reviews.jsonl")).unwrap();
    let labels = read_labels(&text).unwrap();
    assert_eq!(labels.len(), 1);
    assert_eq!(labels[0].criterion, "is polite");
    assert_eq!(
        std::fs::read(project.runs().join(RUN).join("run.json")).unwrap(),
        before
    );
    for wrong in [
        review("maybe"),
        json!({"example": "example:1"}),
        json!({"example": "", "criterion": "", "verdict": "passed"}),
    ] {
        let status = project.post(&path, &wrong).status;
        assert!(matches!(status, 400 | 422), "{wrong}: {status}");
    }
    assert_eq!(
        project
            .post("/api/v1/runs/none/reviews", &review("passed"))
            .status,
        404
    );
}
