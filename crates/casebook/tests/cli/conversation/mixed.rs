//! Conversations with a history, and with values that turns capture for later turns.

use serde_json::{Value, json};

use super::server::{Server, ServerAction};
use crate::run::Suite;

const HISTORY: &str = "
    history:
      - {role: assistant, content: Welcome}
      - {role: user, content: Book the Blue Room}
      - {role: assistant, toolCalls: [{tool: book, arguments: {room: Blue}}]}
      - {role: tool, tool: book, content: {id: 17}}
      - {role: assistant, content: It is booked}
";

/// An agent that replies with the messages it got.
const ECHO: &str = r#"
import json, sys
for line in sys.stdin:
    chat = json.loads(line)
    print(json.dumps({"id": chat["id"], "type": "response", "text": json.dumps(chat["messages"])}), flush=True)
"#;

#[test]
fn an_agent_gets_the_history_and_checks_do_not_apply_to_it() {
    let suite = Suite::new(&format!(
        "
agent: {{command: python3 echo.py}}
llm: {{provider: scripted, verdicts: {{the booking: true}}}}
tests:
  - name: remembers{HISTORY}
    conversation:
      - user: Cancel it
        expect: [{{notCalled: book}}, {{turns: 1}}, {{json: {{/0/content: Welcome, /2/tool_calls/0/result/id: 17}}}}, {{run: \"python3 -c 'import json, sys; sys.exit(json.load(sys.stdin)[\\\"history\\\"][0][\\\"agent\\\"] != \\\"Welcome\\\")'\"}}]
        evaluate: {{grounded: the booking}}
      - user: Thanks
        expect: {{equals: nothing}}
"
    ));
    suite.project.write("echo.py", ECHO);
    let ran = suite.run("").exits(1);
    let test = ran.test("remembers");
    let reply = test["conversation"]["turns"][0]["agent_response"]["content"].as_str();
    let messages: Value = serde_json::from_str(reply.unwrap()).unwrap();
    let messages = messages.as_array().unwrap();
    let roles: Vec<_> = messages.iter().map(|one| &one["role"]).collect();
    assert_eq!(roles, ["assistant", "user", "assistant", "user"]);
    let history = &test["metadata"]["conversation"]["history"];
    assert_eq!(history[1]["tool_calls"][0]["result"], json!({"id": 17}));
    let evaluations = test["evaluations"].as_array().unwrap();
    let judged = evaluations.iter().find(|one| one["type"] == "grounded");
    let prompt = &judged.unwrap()["metadata"]["judge"]["prompt"]["user"];
    assert!(prompt.as_str().unwrap().contains("Blue"), "{prompt}");
    let stdout = &ran.outcome.stdout;
    assert!(
        stdout.contains("Book the Blue Room") && stdout.contains("It is booked"),
        "{stdout}"
    );
}

#[test]
fn a_model_gets_the_history_in_the_format_of_its_api() {
    let reply = json!({"choices": [{"message": {"role": "assistant", "content": "Canceled"}, "finish_reason": "stop"}]});
    let server = Server::with_actions(vec![ServerAction::ok(reply.to_string())]);
    let suite = Suite::new(&format!(
        "
agent: {{openai: {{url: '{}/v1', model: m}}}}
tests:
  - name: remembers{HISTORY}
    conversation: [{{user: Cancel it, expect: {{equals: Canceled}}}}]
",
        server.url
    ));
    suite.run("").exits(0);
    let body: Value = serde_json::from_str(&server.received()[0].body).unwrap();
    let id = &body["messages"][2]["tool_calls"][0]["id"];
    assert_eq!(
        body["messages"],
        json!([
            {"role": "assistant", "content": "Welcome"},
            {"role": "user", "content": "Book the Blue Room"},
            {"role": "assistant", "content": null, "tool_calls": [{"id": id, "type": "function", "function": {"name": "book", "arguments": "{\"room\":\"Blue\"}"}}]},
            {"role": "tool", "tool_call_id": id, "content": "{\"id\":17}"},
            {"role": "assistant", "content": "It is booked"},
            {"role": "user", "content": "Cancel it"},
        ])
    );
}

/// An agent that books, repeats, and says what it is told.
const BOOKS: &str = r#"
import json, sys
for line in sys.stdin:
    chat = json.loads(line)
    text = chat["messages"][-1]["content"]
    calls = []
    if text.startswith("book"):
        calls = [{"name": "book", "arguments": {"room": "Blue"}, "result": "{\"id\": 17, \"pin\": \"hush-4711\"}"}]
        text = "Your code is XYZ, the pin hush-4711"
    if text.startswith("cancel"):
        calls = [{"name": "cancel", "arguments": {"id": 17, "note": text}}]
    for call in calls:
        print(json.dumps({"type": "tool_call", **call}), flush=True)
    print(json.dumps({"id": chat["id"], "type": "response", "text": text, "tool_calls": calls}), flush=True)
"#;

#[test]
fn turns_capture_values_for_later_turns() {
    let suite = Suite::new(
        "
agent: {command: python3 books.py}
tests:
  - name: cancels
    conversation:
      - user: book
        capture:
          id: {tool: book, pointer: /id}
          room: {tool: /^bo/, argument: /room}
          code: 'code is ([A-Z]+)'
          pin: {tool: book, pointer: /pin, secret: true}
        expect: {contains: '{{code}}'}
      - user: 'cancel {{id}} {{room}} {{code}} {{pin}}'
        expect: [{called: {tool: cancel, with: {id: '{{id}}', note: {contains: '{{room}} {{code}}'}}}}, {equals: 'cancel 17 Blue XYZ {{pin}}'}]
    expect: [{not: {contains: 'no {{id}}'}}, {run: \"test {{room|sh}} = Blue\"}, {matches: '^cancel {{id}}'}]
  - name: finds nothing
    conversation:
      - user: hello
        capture: {id: {tool: book, pointer: /id}, code: 'code ([0-9]+)'}
      - user: 'cancel {{id}} {{code}}'
",
    );
    suite.project.write("books.py", BOOKS);
    let ran = suite.run("").exits(1);
    let test = ran.test("cancels");
    assert_eq!(test["status"], "passed", "{test:#}");
    let message = &test["conversation"]["turns"][1]["user_message"]["content"];
    assert_eq!(message, "cancel 17 Blue XYZ [redacted]");
    let evaluations = test["evaluations"].as_array().unwrap();
    let descriptions: Vec<_> = evaluations.iter().map(|one| &one["description"]).collect();
    assert_eq!(
        descriptions[..4],
        [
            "capture id: 17",
            "capture room: Blue",
            "capture code: XYZ",
            "capture pin"
        ]
    );
    let record = suite.project.read(&format!("{}/events.jsonl", ran.dir));
    assert!(
        !record.contains("hush-4711") && !ran.outcome.stdout.contains("hush-4711"),
        "{record}"
    );
    let failed = ran.test("finds nothing");
    assert_eq!(
        failed["exception"]["message"],
        "turn 1: cannot capture `id`: book was not called"
    );
    assert_eq!(failed["conversation"]["turns"].as_array().unwrap().len(), 1);
}

#[test]
fn a_short_secret_is_redacted_and_a_shorter_one_fails_the_turn() {
    let suite = Suite::new(
        "
agent: {command: python3 books.py}
tests:
  - name: books
    conversation:
      - {user: book, capture: {pin: {matches: 'pin ([a-z]+)', secret: true}}}
      - {user: 'my pin is {{pin}}', expect: {equals: 'my pin is {{pin}}'}}
  - name: too short
    conversation:
      - {user: book, capture: {code: {matches: 'code is ([A-Z]+)', secret: true}}}
      - user: my code is {{code}}
",
    );
    suite.project.write("books.py", BOOKS);
    let ran = suite.run("").exits(1);
    let books = ran.test("books");
    let reply = &books["conversation"]["turns"][1]["agent_response"]["content"];
    assert_eq!(reply, "my pin is [redacted]");
    assert!(!books.to_string().contains("hush"), "{books:#}");
    assert_eq!(
        ran.test("too short")["exception"]["message"],
        "turn 1: cannot capture `code`: a secret must have at least 4 characters to be redacted"
    );
}

#[test]
fn a_scripted_verdict_has_the_name_of_a_captured_value() {
    let suite = Suite::new(
        "
agent: {command: python3 books.py}
llm:
  provider: scripted
  verdicts: {'It says {{code}}': true, 'claims the pin {{pin}}': [true, false]}
tests:
  - name: books
    conversation:
      - user: book
        capture: {code: 'code is ([A-Z]+)', pin: 'pin ([a-z]+)'}
        expect: [{satisfies: 'It says {{code}}'}, {claims: 'the pin {{pin}}'}]
      - user: bye
        evaluate: {claims: 'the pin {{pin}}'}
",
    );
    suite.project.write("books.py", BOOKS);
    let ran = suite.run("").exits(0);
    let evaluations = &ran.test("books")["evaluations"];
    let results = evaluations.as_array().unwrap().iter();
    let results = results.filter(|one| one["type"] != "capture");
    let results: Vec<_> = results
        .map(|one| (one["description"].as_str().unwrap(), one["passed"] == true))
        .collect();
    assert_eq!(
        results,
        [
            ("satisfies It says XYZ", true),
            ("claims the pin hush", true),
            ("claims the pin hush", false)
        ]
    );
    let other = suite.project.read("a.casebook.yaml");
    let other = other.replace("'It says {{code}}': true", "'It says {{cod}}': true");
    suite.project.write("a.casebook.yaml", other);
    let checked = suite.project.casebook("check").run().exits(2);
    let output = format!("{}{}", checked.stdout, checked.stderr);
    for words in [
        "`llm.verdicts` has no verdict on `It says {{code}}`",
        "add `It says {{code}}: true`",
        "did you mean `It says {{code}}`?",
    ] {
        assert!(output.contains(words), "{words} in {output}");
    }
}

#[test]
fn a_check_without_its_captured_value_is_not_evaluated() {
    let suite = Suite::new(
        "
agent: {command: python3 books.py}
llm: {provider: scripted, verdicts: {'It says {{code}}': true}}
tests:
  - name: hello
    conversation:
      - user: hello
        capture: {code: 'code is ([A-Z]+)', any: '.+'}
        expect: [{contains: '{{code}}'}, {contains: '{{any}}'}]
        evaluate: [{satisfies: 'It says {{code}}'}]
",
    );
    suite.project.write("books.py", BOOKS);
    let ran = suite.run("").exits(1);
    let test = ran.test("hello");
    let evaluations = test["evaluations"].as_array().unwrap().iter();
    let results: Vec<_> = evaluations
        .skip(2)
        .map(|one| (one["description"].as_str(), one["failure_message"].as_str()))
        .collect();
    let missing = Some("cannot be checked: `code` was not captured");
    assert_eq!(
        results,
        [
            (Some("contains \"{{code}}\""), missing),
            (Some("contains \"hello\""), None),
            (Some("satisfies It says {{code}}"), missing),
        ]
    );
    let record = suite.project.read(&format!("{}/events.jsonl", ran.dir));
    assert!(!record.contains(['\u{fdd0}', '\u{fdd1}']), "{record}");
}

#[test]
fn files_are_sent_as_parts_of_a_message() {
    let openai = json!({"choices": [{"message": {"content": "A room"}, "finish_reason": "stop"}]});
    let anthropic = json!({"content": [{"type": "text", "text": "A room"}], "stop_reason": "end_turn", "usage": {}});
    let image = json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,UE5H"}});
    let pdf = json!({"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,UERG"}});
    let text = json!({"type": "text", "text": "Look"});
    let source =
        |kind: &str, data: &str| json!({"type": "base64", "media_type": kind, "data": data});
    for (kind, reply, parts) in [
        ("openai", openai, json!([text, image, pdf])),
        (
            "anthropic",
            anthropic,
            json!([
                {"type": "image", "source": source("image/png", "UE5H")},
                {"type": "document", "source": source("application/pdf", "UERG")},
                text,
            ]),
        ),
    ] {
        let server = Server::new(move |_, _| ServerAction::ok(reply.to_string()));
        let suite = Suite::new(&format!(
            "
agent: {{{kind}: {{url: '{}/v1', model: m}}}}
tests:
  - name: looks
    conversation: [{{user: {{text: Look, files: [a.png, a.pdf]}}, expect: {{equals: A room}}}}]
  - name: misses
    conversation: [{{user: {{text: Look, files: missing.png}}}}]
",
            server.url
        ));
        suite.project.write("a.png", "PNG");
        suite.project.write("a.pdf", "PDF");
        let ran = suite.run("").exits(1);
        let received = server.received();
        assert_eq!(received.len(), 1);
        let body: Value = serde_json::from_str(&received[0].body).unwrap();
        assert_eq!(body["messages"][0]["content"], parts);
        let turn = &ran.test("looks")["conversation"]["turns"][0];
        assert_eq!(
            turn["user_message"]["metadata"]["files"],
            json!(["a.png", "a.pdf"])
        );
        let (_, message) = super::failure(&ran, "misses");
        assert!(message.contains("cannot read `missing.png`"), "{message}");
        let outcome = &ran.outcome;
        let output = format!("{}{}", outcome.stdout, outcome.stderr);
        assert!(
            output.contains("the file `missing.png` does not exist"),
            "{output}"
        );
    }
}
