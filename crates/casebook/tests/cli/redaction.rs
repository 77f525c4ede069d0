//! Secrets of the environment appear neither in files nor on the screen.

mod encodings;

use serde_json::{Value, json};

use crate::events::{event, failed, lines, passed, started, suite};
use crate::support::{Call, Project};

const TOKEN: &str = "tok-plain-12345";
const PASSWORD: &str = "pa\"ss\\wo\nrd\ttab";
const SECRET: &str = "sécrèt✓värde";
const HIDDEN: [(&str, &str); 3] = [
    ("API_TOKEN", TOKEN),
    ("db_password", PASSWORD),
    ("MY_SECRET_ONE", SECRET),
];

fn with_secrets(call: Call) -> Call {
    HIDDEN
        .into_iter()
        .fold(call, |call, (name, value)| call.env(name, value))
}

/// A run with every secret in every text field.
fn leaky_run() -> Vec<String> {
    let mut run = vec![event(
        "SuiteStarted",
        json!({"example_count": 1, "run_id": "leaky", "metadata": {"config": {"all": everywhere()}}}),
    )];
    for (number, secret) in [TOKEN, PASSWORD, SECRET].into_iter().enumerate() {
        let id = format!("e{number}");
        let in_example = |fields: Value| {
            let mut payload = json!({"example_id": id, "turn_number": 1});
            payload
                .as_object_mut()
                .unwrap()
                .extend(fields.as_object().unwrap().clone());
            payload
        };
        run.extend([
            event("ExampleStarted", json!({"example_id": id, "description": secret, "full_description": secret,
                "location": format!("{secret}:3"), "canonical_path": secret, "metadata": everywhere(),
                "scenario": {"name": secret, "goal": secret, "context": everywhere()}})),
            event("UserMessage", in_example(json!({"text": secret, "source": secret}))),
            event("ToolCallCompleted", in_example(json!({"tool_name": secret, "arguments": everywhere(), "result": everywhere(), "error": secret}))),
            event("TopicChanged", in_example(json!({"to_topic": secret}))),
            event("EvaluationRecorded", in_example(json!({"description": secret, "passed": false, "reasoning": secret,
                "failure_message": secret, "metadata": everywhere()}))),
            event("UserMessage", in_example(json!({"turn_number": 2, "text": format!("x{secret}y{secret}")}))),
            event("AgentResponse", in_example(json!({"turn_number": 2, "text": secret, "metadata": everywhere(),
                "tool_calls": [{"name": secret, "arguments": everywhere(), "result": everywhere(), "metadata": everywhere()}]}))),
            failed(&id, secret),
        ]);
    }
    run
}

fn everywhere() -> Value {
    json!({"list": [TOKEN, [PASSWORD, {"deep": SECRET}]], "quoted": format!("<{PASSWORD}>"),
        "json in text": json!({"inner": PASSWORD}).to_string(), "kept": "harmless"})
}

/// All strings in a value except keys.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(list) => list.iter().flat_map(texts).collect(),
        Value::Object(map) => map.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

#[track_caller]
fn assert_clean(what: &str, text: &str) {
    for secret in [TOKEN, PASSWORD, SECRET] {
        let escaped = secret.escape_debug().to_string();
        assert!(
            !text.contains(secret) && !text.contains(&escaped),
            "{what}: {secret:?} in {text}"
        );
    }
}

#[test]
fn no_secret_is_in_files_or_messages() {
    let project = Project::with("in.jsonl", lines(&leaky_run()));
    let outcome = with_secrets(project.casebook("record --from jsonl --record out in.jsonl"))
        .run()
        .exits(1);
    assert_clean("stderr", &outcome.stderr);
    assert_clean("events.jsonl", &project.read("out/events.jsonl"));
    assert_clean("run.json", &project.read("out/run.json"));
    for value in project
        .journal("out/events.jsonl")
        .iter()
        .chain([&project.json("out/run.json")])
    {
        texts(value)
            .iter()
            .for_each(|text| assert_clean("a text", text));
    }
    for arguments in [
        "report out",
        "report --json out",
        "report --transcripts all out/events.jsonl",
    ] {
        assert_clean(
            arguments,
            &project.casebook(arguments).run().exits(0).stdout,
        );
    }
}

#[test]
fn secrets_written_with_escapes_are_found() {
    let input = lines(&[started("adds"), failed("adds", "MARK")]).replace(
        "MARK",
        r"s\u00e9cr\u00e8t\u2713v\u00e4rde and t\u006fk-plain-12345",
    );
    let project = Project::new();
    with_secrets(project.casebook("record --from jsonl --record out"))
        .stdin(input)
        .run()
        .exits(1);
    let message = project.json("out/run.json")["examples"]["adds"]["exception"]["message"].clone();
    assert_eq!(message, "[redacted] and [redacted]");
}

#[test]
fn other_text_is_kept() {
    let project = Project::with("in.jsonl", lines(&leaky_run()));
    with_secrets(project.casebook("record --from jsonl --record out in.jsonl"))
        .run()
        .exits(1);
    let run = project.json("out/run.json");
    let metadata = &run["examples"]["e0"]["metadata"];
    assert_eq!(metadata["kept"], "harmless");
    assert_eq!(
        metadata["list"],
        json!(["[redacted]", ["[redacted]", {"deep": "[redacted]"}]])
    );
    assert_eq!(metadata["quoted"], "<[redacted]>");
    assert_eq!(
        run["examples"]["e0"]["conversation"]["turns"][1]["user_message"]["content"],
        "x[redacted]y[redacted]"
    );
}

#[test]
fn secrets_equal_to_json_syntax_or_keys_keep_the_structure() {
    let project = Project::new();
    let input = lines(&[suite("names"), started("adds"), passed("adds")]);
    let outcome = project
        .casebook("record --from jsonl --record out")
        .env("A_TOKEN", "description")
        .env("B_TOKEN", "payload")
        .env("C_TOKEN", "\":{\"time")
        .env("D_TOKEN", "status")
        .stdin(input)
        .run()
        .exits(0);
    assert!(!outcome.stderr.contains("warning"), "{}", outcome.stderr);
    assert_eq!(project.journal("out/events.jsonl").len(), 3);
    assert_eq!(
        project.json("out/run.json")["examples"]["adds"]["status"],
        "passed"
    );
    project.casebook("report out").run().exits(0);
}

#[test]
fn short_values_and_other_variables_are_not_redacted() {
    let project = Project::new();
    let input = lines(&[started("adds"), failed("adds", "short and harmless-value")]);
    let call = project
        .casebook("record --from jsonl --record out")
        .env("A_TOKEN", "short")
        .env("OTHER", "harmless-value");
    call.stdin(input).run().exits(1);
    assert!(
        project
            .read("out/run.json")
            .contains("short and harmless-value")
    );
}

#[test]
fn additional_names_can_be_set() {
    let project = Project::new();
    let input = lines(&[
        started("adds"),
        failed("adds", "licence-9876 and session-1234"),
    ]);
    let outcome = project
        .casebook("record --from jsonl --record out --redact LIC* --redact *session?")
        .env("LICENCE", "licence-9876")
        .env("MY_SESSION1", "session-1234")
        .stdin(input)
        .run()
        .exits(1);
    let message = project.json("out/run.json")["examples"]["adds"]["exception"]["message"].clone();
    assert_eq!(message, "[redacted] and [redacted]");
    assert!(!outcome.stderr.contains("9876"));
}

#[test]
fn an_invalid_name_pattern_is_a_usage_error() {
    let project = Project::new();
    let outcome = project
        .casebook("record --from jsonl --redact [A")
        .stdin(lines(&[started("adds")]))
        .run()
        .exits(2);
    assert!(
        outcome.stderr.contains("invalid name pattern `[A`"),
        "{}",
        outcome.stderr
    );
    assert!(!project.exists(".casebook"));
}

#[test]
fn messages_about_bad_input_do_not_quote_secrets() {
    let mut input = Vec::new();
    for secret in [TOKEN, PASSWORD, SECRET] {
        input.extend([
            event("SuiteStopped", json!({"time": secret})),
            event("ExamplePassed", json!({"example_id": "a", "description": "", "full_description": "", "duration": secret})),
            event(secret, json!({})),
        ]);
    }
    input.push(started("adds"));
    let project = Project::with("in.jsonl", lines(&input));
    for arguments in [
        "record --from jsonl --record out in.jsonl",
        "report in.jsonl",
        "recover in.jsonl",
    ] {
        let outcome = with_secrets(project.casebook(arguments)).run();
        assert!(
            outcome.stderr.contains("[redacted]"),
            "{arguments}: {outcome:#?}"
        );
        assert_clean(arguments, &outcome.stderr);
    }
}

#[test]
fn errors_about_a_run_file_do_not_quote_secrets() {
    let project = Project::with(
        "run.json",
        json!({"run_id": "a", "started_at": PASSWORD}).to_string(),
    );
    project.write(
        "type.json",
        json!({"run_id": "a", "started_at": "2026-11-15T08:30:00Z", "examples": PASSWORD})
            .to_string(),
    );
    for name in ["run.json", "type.json"] {
        let outcome = with_secrets(project.casebook(&format!("report {name}")))
            .run()
            .exits(2);
        assert!(outcome.stderr.contains("[redacted]"), "{}", outcome.stderr);
        assert_clean(name, &outcome.stderr);
    }
}

#[test]
fn reports_redact_records_of_other_machines() {
    let project = Project::with("in.jsonl", lines(&leaky_run()));
    project
        .casebook("record --from jsonl --record out in.jsonl")
        .run()
        .exits(1);
    assert!(project.read("out/run.json").contains(TOKEN));
    for arguments in [
        "report out",
        "report --json out",
        "report --transcripts all in.jsonl",
    ] {
        let shown = with_secrets(project.casebook(arguments))
            .run()
            .exits(0)
            .stdout;
        assert!(shown.contains("[redacted]"), "{shown}");
        assert_clean(arguments, &shown);
    }
}

#[test]
fn results_of_other_tools_are_redacted_too() {
    let project = Project::with(
        "in.tap",
        format!("1..1\nnot ok 1 - {TOKEN}\n# it was {SECRET}\n"),
    );
    project.write("in.xml", format!("<testsuite name=\"{TOKEN}\"><testcase name=\"a\"><failure message=\"pa&quot;ss\\wo&#10;rd&#9;tab\">{SECRET}</failure></testcase></testsuite>"));
    for format in ["tap in.tap", "junit in.xml"] {
        let arguments = format!("record --from {format} --record {}", &format[..3]);
        let outcome = with_secrets(project.casebook(&arguments)).run().exits(1);
        assert_clean(&arguments, &outcome.stderr);
        assert_clean(
            &arguments,
            &project.read(&format!("{}/events.jsonl", &format[..3])),
        );
        assert_clean(
            &arguments,
            &project.read(&format!("{}/run.json", &format[..3])),
        );
        assert!(
            project
                .read(&format!("{}/run.json", &format[..3]))
                .contains("[redacted]")
        );
    }
}
