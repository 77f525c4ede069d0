//! The servers of our tests, compared with the official clients of `OpenAI` and Anthropic: they must read from each response what
//! Casebook reads, and every request of Casebook must be one that they could send.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::http::testing::{Server, ServerAction};
use crate::llm::testing::responses::{anthropic_message, chat_chunk, chat_completion};

use super::http::{Talk, talk};

/// The interpreter of the environment that `script/setup` creates in the target directory.
fn python() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let of = |dir: &Path| dir.join("python/bin/python3");
    let mut pythons = test.ancestors().map(of);
    let python = pythons.find(|python| python.exists());
    python.expect("script/setup installs the clients in target/python")
}

/// What the official clients say of these responses and requests.
fn ask_clients(responses: &[Value], requests: &[Value]) -> Value {
    let script = "src/conversation/tests/official_clients.py";
    let mut child = Command::new(python())
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join(script))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let work = json!({"responses": responses, "requests": requests});
    let mut input = child.stdin.take().unwrap();
    input.write_all(work.to_string().as_bytes()).unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// What Casebook has read, in the form in which the script describes what a client has read.
fn read(talk: &Talk) -> Value {
    let (text, _) = talk.of("agent")[0].rsplit_once(" (").unwrap();
    let tokens = &talk.replies[0]["tracing"]["tokens"];
    json!({
        "text": text,
        "calls": talk.calls,
        "reason": talk.replies[0]["finish_reason"],
        "tokens": [tokens["input"], tokens["output"]],
    })
}

/// A response with the API that it is for.
struct Case {
    api: &'static str,
    stream: bool,
    action: ServerAction,
}

fn chat(message: &Value, reason: &str) -> Case {
    let completion = chat_completion(message, reason, (7, 3));
    Case {
        api: "openai",
        stream: false,
        action: ServerAction::ok(completion.to_string()),
    }
}

fn message(content: &Value, reason: &str) -> Case {
    let usage = json!({"input_tokens": 7, "output_tokens": 3, "cache_read_input_tokens": 2});
    Case {
        api: "anthropic",
        stream: false,
        action: ServerAction::ok(anthropic_message(content, reason, &usage).to_string()),
    }
}

fn stream(chunks: &[Value]) -> Case {
    let lines: Vec<String> = chunks
        .iter()
        .map(|one| format!("data: {one}\n\n"))
        .collect();
    let events = lines.concat();
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
    Case {
        api: "openai",
        stream: true,
        action: ServerAction::Raw(format!("{head}{events}data: [DONE]\n\n").into_bytes()),
    }
}

fn cases() -> Vec<Case> {
    let function = json!({"name": "look", "arguments": "{\"at\": 1}"});
    let call = json!({"id": "c1", "type": "function", "function": function});
    let text = |text: &str| json!({"type": "text", "text": text});
    let tool_use = json!({"type": "tool_use", "id": "t1", "name": "look", "input": {"at": 1}});
    let thinking = json!({"type": "thinking", "thinking": "hm", "signature": "s"});
    let part = |function: Value| json!({"tool_calls": [{"index": 0, "function": function}]});
    let mut last = chat_chunk(&json!({}), None);
    last["choices"] = json!([]);
    last["usage"] = json!({"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10});
    vec![
        chat(&json!({"content": "Hello"}), "stop"),
        chat(&json!({"tool_calls": [call]}), "tool_calls"),
        chat(&json!({"content": "Once upon"}), "length"),
        chat(&json!({"content": ""}), "content_filter"),
        chat(&json!({"refusal": "I cannot"}), "stop"),
        message(&json!([text("Hello")]), "end_turn"),
        message(&json!([thinking, text("I look."), tool_use]), "tool_use"),
        message(&json!([text("Once upon")]), "max_tokens"),
        message(&json!([text("No")]), "refusal"),
        stream(&[
            chat_chunk(&json!({"role": "assistant", "content": "Hel"}), None),
            chat_chunk(&json!({"content": "lo"}), Some("stop")),
            last.clone(),
        ]),
        stream(&[
            chat_chunk(&part(json!({"name": "look", "arguments": "{\"at\""})), None),
            chat_chunk(&part(json!({"arguments": ": 1}"})), Some("tool_calls")),
            last,
        ]),
    ]
}

/// The JSON of the arguments without spaces, because the clients keep the text of the server.
fn without_spaces(mut read: Value) -> Value {
    let calls = read["calls"].as_array_mut().unwrap();
    for call in calls {
        let text = call.as_str().unwrap().replacen(' ', "\u{1}", 1);
        *call = text.replace(' ', "").replacen('\u{1}', " ", 1).into();
    }
    read
}

#[test]
fn the_official_clients_read_from_each_response_what_casebook_reads() {
    let mut responses = Vec::new();
    let mut expected = Vec::new();
    for Case {
        api,
        stream,
        action,
    } in cases()
    {
        let server = Server::with_actions(vec![action]);
        let (path, streams) = match (api, stream) {
            ("openai", true) => ("/v1", ", stream: true"),
            ("openai", false) => ("/v1", ""),
            _ => ("", ""),
        };
        let agent = format!(
            "{{{api}: {{url: '{}{path}', model: mine{streams}}}}}",
            server.url
        );
        let test = "conversation: [{user: hello, allow: [refusal, filter, cut]}]";
        let talk = talk(&agent, test);
        assert_eq!(talk.result(), "passed", "{agent}");
        expected.push(without_spaces(read(&talk)));
        responses.push(json!({"api": api, "stream": stream, "url": server.url}));
    }
    let read = ask_clients(&responses, &[]);
    let read = read["responses"].as_array().unwrap().iter().cloned();
    let read: Vec<_> = read.map(without_spaces).collect();
    assert_eq!(read, expected);
}

const TOOLS: &str = "tools: [{name: look, description: Looks, parameters: {properties: {at: {type: integer}}}, result: [{free: true}, {error: too late}]}]";
const HISTORY: &str = "history: [{role: user, content: Hi}, {role: assistant, content: Ok, toolCalls: [{tool: look, arguments: {at: 2}, result: [1]}]}]";

/// The requests of a conversation with two turns, in which the model calls a tool and a judge decides.
fn requests(
    api: &str,
    replies: Vec<ServerAction>,
    verdict: ServerAction,
    more: &str,
) -> Vec<Value> {
    let (agent, judge) = (
        Server::with_actions(replies),
        Server::with_actions(vec![verdict]),
    );
    let path = if api == "openai" { "/v1" } else { "" };
    let talk = talk(
        &format!(
            "{{{api}: {{url: '{}{path}', model: mine, system: Be brief, maxTokens: 9, {TOOLS}{more}}}}}",
            agent.url
        ),
        &format!(
            "llm: {{provider: {api}, model: j, url: '{}{path}'}}, {HISTORY}, conversation: [{{user: go}}, {{user: bye, expect: [{{satisfies: It is kind}}]}}]",
            judge.url
        ),
    );
    assert_eq!(talk.result(), "passed");
    let received = agent.received().into_iter().chain(judge.received());
    let bodies = received.map(|one| serde_json::from_str::<Value>(&one.body).unwrap());
    bodies
        .map(|body| json!({"api": api, "body": body}))
        .collect()
}

#[test]
fn the_official_clients_could_send_every_request_of_casebook() {
    let verdict = json!({"criterion": "satisfies", "reasons": "It is.", "verdict": "passed"});
    let function = json!({"name": "look", "arguments": "{\"at\": 1}"});
    let calls = json!({"tool_calls": [{"id": "c1", "type": "function", "function": function}]});
    let chat = |message: &Value, reason: &str| {
        ServerAction::ok(chat_completion(message, reason, (7, 3)).to_string())
    };
    let chats = vec![
        chat(&calls, "tool_calls"),
        chat(&json!({"content": "Hello"}), "stop"),
    ];
    let vote = chat(&json!({"content": verdict.to_string()}), "stop");
    let mut all = requests("openai", chats, vote.clone(), "");
    let streamed = stream(&[chat_chunk(&json!({"content": "Hello"}), Some("stop"))]).action;
    all.extend(requests("openai", vec![streamed], vote, ", stream: true"));
    let usage = json!({"input_tokens": 7, "output_tokens": 3});
    let message = |content: &Value, reason: &str| {
        ServerAction::ok(anthropic_message(content, reason, &usage).to_string())
    };
    let tool_use = |name: &str, input: &Value| json!([{"type": "tool_use", "id": "t1", "name": name, "input": input}]);
    let messages = vec![
        message(&tool_use("look", &json!({"at": 1})), "tool_use"),
        message(&json!([{"type": "text", "text": "Hello"}]), "end_turn"),
    ];
    let vote = message(&tool_use("answer", &verdict), "tool_use");
    all.extend(requests("anthropic", messages, vote, ""));
    assert_eq!(all.len(), 4 + 3 + 4);
    let read = ask_clients(&[], &all);
    let problems = read["requests"].as_array().unwrap();
    for (request, problems) in all.iter().zip(problems) {
        // Version 2 of Anthropic's client has no temperature any more. A server that rejects it gets the request without it.
        let has_temperature = request["body"].get("temperature").is_some();
        let expected = match request["api"].as_str() {
            Some("anthropic") if has_temperature => json!(["unknown: temperature"]),
            _ => json!([]),
        };
        assert_eq!(problems, &expected, "{request:#}");
    }
}
