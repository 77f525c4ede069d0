//! Conversations with HTTP agents: requests, faults and retries.

use casebook_record::Event;
use casebook_record::event::ToolCall;
use serde_json::{Value, json};

use crate::http::testing::{Server, ServerAction};

use super::{end_metadata, lines, run_suite, suite};

/// The result of a conversation.
pub(super) struct Talk {
    pub(super) lines: Vec<String>,
    pub(super) end: Value,
    /// The metadata of each reply.
    pub(super) replies: Vec<Value>,
    /// The tool calls of all replies, with their results.
    pub(super) calls: Vec<String>,
}

impl Talk {
    /// `passed`, or the class and the message of the failure.
    pub(super) fn result(&self) -> &str {
        self.lines.last().unwrap()
    }

    /// The lines of this speaker or kind.
    pub(super) fn of(&self, what: &str) -> Vec<&str> {
        let mark = format!(" {what}: ");
        let lines = self.lines.iter();
        lines
            .filter_map(|line| line.split_once(&mark))
            .map(|(_, text)| text)
            .collect()
    }
}

/// Runs a suite with this agent and these fields of its test.
#[track_caller]
pub(super) fn talk(agent: &str, test: &str) -> Talk {
    let yaml = format!("agent: {agent}\ntests: [{{name: it talks, timeout: 20, {test}}}]\n");
    let (_, events) = run_suite(suite(&yaml));
    let replies = events.iter().filter_map(|event| match event {
        Event::AgentResponse(response) => Some(json!(response.metadata)),
        _ => None,
    });
    let calls = events.iter().filter_map(|event| match event {
        Event::AgentResponse(response) => Some(&response.tool_calls),
        _ => None,
    });
    Talk {
        replies: replies.collect(),
        calls: calls.flatten().map(call).collect(),
        end: end_metadata(&events),
        lines: events.iter().filter_map(lines).collect(),
    }
}

fn call(call: &ToolCall) -> String {
    let outcome = match (&call.error, &call.result) {
        (Some(error), _) => format!(" ✗ {error}"),
        (None, Some(result)) => format!(" → {}", result.text()),
        (None, None) => String::new(),
    };
    format!("{} {}{outcome}", call.name, call.arguments.text())
}

/// A conversation of one turn with a check that an empty or missing reply must not pass.
pub(super) const ONE_TURN: &str = "conversation: [{user: hello, expect: [{notContains: zzz}]}]";

fn http(url: &str, more: &str) -> String {
    format!("{{http: {{url: '{url}/chat', headers: {{x-api-key: hidden-away}}{more}}}}}")
}

#[test]
fn an_http_agent_gets_the_same_request_and_sends_the_same_response() {
    let server = Server::new(|number, received| {
        let body: Value = serde_json::from_str(&received.body).unwrap();
        if number == 0 {
            return ServerAction::status(503).with("retry-after", "0");
        }
        let text = format!("{} messages", body["messages"].as_array().unwrap().len());
        if number == 2 {
            let empty = json!({"id": null, "type": null, "text": text, "tool_calls": null, "metadata": null});
            return ServerAction::ok(empty.to_string());
        }
        let calls = json!([{"name": "look", "arguments": {}, "result": null}]);
        ServerAction::ok(
            json!({"id": body["id"], "type": "response", "text": text, "tool_calls": calls})
                .to_string(),
        )
    });
    let talk = talk(
        &http(&server.url, ""),
        "conversation: [{user: hello}, {user: again}]",
    );
    assert_eq!(
        talk.of("agent"),
        ["1 messages (1 calls)", "3 messages (0 calls)"]
    );
    assert_eq!(talk.result(), "passed");
    assert_eq!(talk.end["tracing"]["agent"]["retries"], 1);
    assert_eq!(talk.end["tracing"]["agent"]["retried_on"], json!([503]));
    assert_eq!(talk.replies[0]["tracing"]["retried_on"], json!([503]));
    assert_eq!(talk.replies[1]["tracing"]["retries"], Value::Null);
    let received = server.received();
    assert_eq!(received[1].header("x-api-key"), Some("hidden-away"));
    let body: Value = serde_json::from_str(&received[1].body).unwrap();
    let context = &body["context"];
    assert_eq!(
        (&context["test"], &context["file"], &context["line"]),
        (&json!("it talks"), &json!("s.casebook.yaml"), &json!(2))
    );
}

/// A server with one action for every request.
fn server(action: ServerAction) -> String {
    Server::with_actions(vec![action]).url
}

fn ok(text: &str) -> String {
    server(ServerAction::ok(text))
}

fn status(status: u16) -> String {
    server(ServerAction::status(status))
}

fn raw(text: &str) -> String {
    server(ServerAction::Raw(text.as_bytes().to_vec()))
}

fn metadata(metadata: &Value) -> String {
    ok(&json!({"text": "fine", "metadata": metadata}).to_string())
}

/// Whether a message says what to do.
pub(crate) fn gives_advice(message: &str) -> bool {
    let advice = [
        "check ", "set ", "must ", "send ", "add ", "allow", "raise ",
    ];
    advice.iter().any(|word| message.contains(word)) || message.contains(", expected ")
}

/// Each fault with a part of the message.
#[expect(clippy::too_many_lines, reason = "one row per fault")]
fn faults() -> Vec<(String, &'static str, &'static str)> {
    let closed = Server::with_actions(vec![ServerAction::ok("")]);
    closed.shut_down();
    let then_ok = Server::with_actions(vec![
        ServerAction::status(500),
        ServerAction::ok(r#"{"text":"fine"}"#),
    ]);
    let head = "HTTP/1.1 200 OK\r\n";
    let slow = std::time::Duration::from_secs(9);
    let drip = std::time::Duration::from_millis(100);
    vec![
        (
            closed.url,
            "",
            "cannot reach the agent: URL/chat: connection refused: nothing is listening there",
        ),
        (
            raw(""),
            "",
            "the connection was closed before the response was complete",
        ),
        (
            raw(&format!("{head}content-length: 99\r\n\r\n{{\"text\":")),
            "",
            "closed before the response was complete",
        ),
        (
            raw(&format!(
                "{head}transfer-encoding: chunked\r\n\r\n5\r\n{{\"tex"
            )),
            "",
            "closed before the response was complete",
        ),
        (
            raw("220 smtp ready\r\n\r\n"),
            "",
            "the response is not HTTP",
        ),
        (
            raw("\u{16}\u{3}\u{1}\u{2}\u{0}garbage\r\n\r\n"),
            "",
            "the response is not HTTP",
        ),
        (
            raw(&format!("{head}{}\r\n\r\n", "x-long: y\r\n".repeat(9000))),
            "",
            "no usable response from the agent",
        ),
        (
            server(ServerAction::Delay(slow, String::new())),
            ", timeout: 0.3",
            "did not respond within 0.3 s; set the agent's `timeout` to allow more",
        ),
        (
            server(ServerAction::Drip(drip, head.repeat(9).into_bytes())),
            ", timeout: 0.3",
            "did not respond within 0.3 s",
        ),
        (
            server(ServerAction::Hold(
                format!("{head}content-length: 9\r\n\r\n{{").into_bytes(),
            )),
            ", timeout: 0.3",
            "did not respond within 0.3 s",
        ),
        (
            ok(&"x".repeat((10 << 20) + 1)),
            "",
            "the response is larger than 10 MB",
        ),
        (
            server(ServerAction::status(302).with("location", "/elsewhere")),
            "",
            "status 302: \"{\\\"error\\\":\\\"302\\\"}\"; redirects are not followed; set the agent's `url`",
        ),
        (
            status(400),
            "",
            "status 400: \"{\\\"error\\\":\\\"400\\\"}\"; check the agent's `body` and `headers`",
        ),
        (status(401), "", "check the agent's `headers`"),
        (status(403), "", "check the agent's `headers`"),
        (status(404), "", "check the agent's `url`"),
        (status(405), "", "check the agent's `url`"),
        (status(408), "", "set `retry: {times: 2, on: [408, 504]}`"),
        (
            status(422),
            "",
            "check the agent's `body` and `headers`, or the agent's log",
        ),
        (
            status(429),
            "",
            "set how often to retry with the agent's `retry: {times: 10}`",
        ),
        (
            server(ServerAction::status(429).with("retry-after", "3600")),
            "",
            "status 429, and asks to retry after 3600 s",
        ),
        (
            status(500),
            "",
            "status 500: \"{\\\"error\\\":\\\"500\\\"}\"; check the agent's log",
        ),
        (then_ok.url, "", "responded with status 500"),
        (status(502), "", "check the agent's log"),
        (
            status(503),
            "",
            "set how often to retry with the agent's `retry: {times: 10}`",
        ),
        (
            server(ServerAction::status(503)),
            ", retry: {times: 2, on: [503]}",
            "responded with status 503 3 times",
        ),
        (status(504), "", "set `retry: {times: 2, on: [408, 504]}`"),
        (
            raw("HTTP/1.1 204 No Content\r\n\r\n"),
            "",
            "not a JSON object such as {\"text\": \"Hello\"}: \"\"; if the agent has another format, set `response`",
        ),
        (ok(""), "", "not a JSON object such as"),
        (
            ok("<html>"),
            "",
            "not a JSON object such as {\"text\": \"Hello\"}: \"<html>\"",
        ),
        (ok("[]"), "", "not a JSON object such as"),
        (ok("{\"text\": \"a"), "", "not a JSON object such as"),
        (
            ok(r#"{"reply":"fine"}"#),
            "",
            "response has no `text`, which is the reply to the user; it has `reply`",
        ),
        (
            ok(r#"{"text":7}"#),
            "",
            "`text` in the agent's response must be a string, not 7",
        ),
        (ok(r#"{"text":null}"#), "", "must be a string, not null"),
        (ok(r#"{"text":"a","id":7}"#), "", "has the id 7, expected 1"),
        (
            ok(r#"{"type":"error","text":"a"}"#),
            "",
            "has the type \"error\", expected `response`",
        ),
        (
            ok(r#"{"text":"a","tool_calls":{}}"#),
            "",
            "`tool_calls` in the agent's response must be a list",
        ),
        (
            ok(r#"{"text":"a","tool_calls":[{}]}"#),
            "",
            "the agent's tool call has no `name`",
        ),
        (
            ok(&format!(
                r#"{{"text":"a","tool_calls":[{{"name":"t","result":{}}}]}}"#,
                "[".repeat(200) + &"]".repeat(200)
            )),
            "",
            "cannot parse `result`",
        ),
        (
            metadata(&json!({"cost": -0.5})),
            "",
            "the agent reported a negative cost: -0.5; it must be 0 or more",
        ),
        (
            metadata(&json!({"tracing": {"tokens": {"input": -1, "output": 2}}})),
            "",
            "a negative number of input tokens: -1",
        ),
        (
            metadata(&json!({"latency_ms": -1})),
            "",
            "a negative latency: -1",
        ),
    ]
}

#[test]
fn no_fault_of_an_http_agent_passes_a_test_and_each_is_explained() {
    let faults = faults();
    assert!(faults.len() >= 31, "{}", faults.len());
    for (url, more, message) in faults {
        let talk = talk(&http(&url, more), ONE_TURN);
        let result = talk.result().replace(&url, "URL");
        let message = message.replace(&url, "URL");
        assert!(
            result.starts_with("failed: Casebook::"),
            "{message}: {result}"
        );
        assert!(result.contains(&message), "{message}\n{result}");
        assert!(gives_advice(&result), "{result}");
        let end = talk.end["conversation"]["end"].as_str().unwrap();
        assert!(
            ["agent_error", "timeout"].contains(&end),
            "{message}: {end}"
        );
        assert_eq!(talk.end["agent"]["url"], format!("{url}/chat"));
        // Only without a connection does the trial say nothing about the agent.
        let is_unreachable = talk.end["conversation"]["unreachable"] == true;
        assert_eq!(
            is_unreachable,
            message.contains("connection refused"),
            "{message}"
        );
    }
}

#[test]
fn conversations_have_their_own_ids_and_cookies() {
    let server = Server::new(|number, _| {
        let reply = ServerAction::ok(r#"{"text":"fine"}"#);
        reply.with(
            "set-cookie",
            if number < 2 {
                "session=one"
            } else {
                "session=two"
            },
        )
    });
    let agent = format!(
        "{{http: {{url: '{}/{{{{conversation.id}}}}', headers: {{x-trial: '{{{{conversation.trial}}}}'}}}}}}",
        server.url
    );
    let talk = talk(
        &agent,
        "trials: 2, conversation: [{user: hello}, {user: again}]",
    );
    assert_eq!(talk.result(), "passed");
    let received = server.received();
    let body = |index: usize| serde_json::from_str::<Value>(&received[index].body).unwrap();
    let id = |index: usize| body(index)["context"]["conversation"].clone();
    assert_eq!((id(0), id(2)), (id(1), id(3)));
    assert_ne!(id(0), id(2));
    for (index, (trial, cookie)) in [
        (1, None),
        (1, Some("session=one")),
        (2, None),
        (2, Some("session=two")),
    ]
    .into_iter()
    .enumerate()
    {
        let context = body(index)["context"].clone();
        assert_eq!(context["trial"], trial);
        assert_eq!(context["run"], "the run");
        let request = &received[index];
        assert_eq!(request.header("cookie"), cookie, "{index}");
        assert_eq!(request.header("x-trial"), Some(trial.to_string().as_str()));
        let line = format!("POST /{} HTTP/1.1", id(index).as_str().unwrap());
        assert_eq!(request.line, line);
    }
}

#[test]
fn requests_without_a_context_name_their_conversation_in_headers() {
    let reply = json!({"choices": [{"message": {"content": "fine"}, "finish_reason": "stop"}]});
    let server = Server::with_actions(vec![ServerAction::ok(reply.to_string())]);
    let agent = format!(
        "{{openai: {{url: '{}', model: mine, headers: {{X-Casebook-Run: mine}}}}}}",
        server.url
    );
    let talk = talk(&agent, "trials: 2, conversation: [{user: hello}]");
    assert_eq!(talk.result(), "passed");
    let received = server.received();
    let header = |index: usize, name: &str| received[index].header(name).unwrap().to_owned();
    assert_eq!(received[0].body, received[1].body);
    let ids = [0, 1].map(|index| header(index, "x-casebook-conversation"));
    assert_eq!(ids.each_ref().map(String::len), [36, 36]);
    assert_ne!(ids[0], ids[1]);
    for (index, trial) in [(0, "1"), (1, "2")] {
        assert_eq!(header(index, "x-casebook-trial"), trial);
        assert_eq!(
            header(index, "x-casebook-run"),
            "mine",
            "the suite has precedence"
        );
    }
}

#[test]
fn any_http_agent_is_described_by_body_and_pointers() {
    let server = Server::new(|number, received| {
        let body: Value = serde_json::from_str(&received.body).unwrap();
        assert_eq!(
            body["session"].as_str().unwrap().len(),
            "conversation ".len() + 36
        );
        assert_eq!(body["options"], json!({"n": 1, "list": ["a", true, null]}));
        let count = body["history"].as_array().unwrap().len();
        let text = format!("{} of {count}", body["question"].as_str().unwrap());
        let calls = json!([{"function": {"name": "look", "input": "{\"at\": 1}"}}]);
        let usage = json!({"in": 3, "out": 4});
        ServerAction::ok(
            json!({"data": {"answer": text, "calls": calls}, "usage": usage, "price": number})
                .to_string(),
        )
    });
    let agent = format!(
        "
  http:
    url: {}
    method: PUT
    body: {{question: 'Q: {{{{message}}}}', history: '{{{{messages}}}}', session: 'conversation {{{{conversation.id}}}}', options: {{n: 1, list: [a, true, null]}}}}
    response:
      text: /data/answer
      toolCalls: /data/calls
      name: /function/name
      arguments: /function/input
      tokens: {{input: /usage/in, output: /usage/out}}
      cost: /price
    example: {{data: {{answer: Hi, calls: [{{function: {{name: look, input: '{{}}'}}}}]}}, usage: {{in: 1, out: 2}}, price: 0.5}}",
        server.url
    );
    let talk = talk(
        &agent,
        "conversation: [{user: 'say \"hi\"'}, {user: again, expect: [{called: {tool: look, with: {at: 1}}}, {cost: {max: 1}}, {tokens: {min: 7, max: 7}}]}]",
    );
    assert_eq!(talk.result(), "passed");
    assert_eq!(
        talk.of("agent"),
        ["Q: say \"hi\" of 1 (1 calls)", "Q: again of 3 (1 calls)"]
    );
    assert!(server.received()[0].line.starts_with("PUT / "));
}

#[test]
fn a_text_body_is_sent_as_it_is_and_a_text_response_is_the_reply() {
    let server = Server::with_actions(vec![ServerAction::ok("plain words")]);
    let agent = format!(
        "{{http: {{url: '{}', body: 'say: {{{{message}}}}', headers: {{content-type: text/plain}}, response: {{text: ''}}}}}}",
        server.url
    );
    let talk = talk(&agent, "conversation: [{user: hello}]");
    assert_eq!(talk.of("agent"), ["plain words (0 calls)"]);
    let received = &server.received()[0];
    assert_eq!(received.body, "say: hello");
    assert_eq!(received.header("content-type"), Some("text/plain"));
}

#[test]
fn a_response_without_what_the_pointers_find_is_explained() {
    for (body, message) in [
        ("<html>", "the agent's response is not JSON: \"<html>\""),
        (
            "{}",
            "has no text at `/reply`; check `response.text`: \"{}\"",
        ),
        (r#"{"reply": null}"#, "has no text at `/reply`"),
        (
            r#"{"reply": {"a": 1}}"#,
            "`response.text` must point to a string, but `/reply` in the agent's response is",
        ),
        (
            r#"{"reply": "a", "calls": {}}"#,
            "`response.toolCalls` must point to a list",
        ),
        (
            r#"{"reply": "a", "calls": [{}]}"#,
            "a tool call in the agent's response has no name at `/name`",
        ),
        (r#"{"reply": "a", "cost": -1}"#, "a negative cost: -1"),
        (
            r#"{"reply": "a", "tokens": -1}"#,
            "a negative number of tokens: -1",
        ),
    ] {
        let url = ok(body);
        let agent = format!(
            "{{http: {{url: '{url}', response: {{text: /reply, toolCalls: /calls, cost: /cost, tokens: /tokens}}}}}}"
        );
        let talk = talk(&agent, ONE_TURN);
        assert!(talk.result().contains(message), "{}", talk.result());
        assert!(gives_advice(talk.result()), "{}", talk.result());
        assert_eq!(talk.end["conversation"]["end"], "agent_error");
    }
}

fn events(data: &[&str]) -> String {
    let events: Vec<_> = data
        .iter()
        .map(|data| format!("data: {data}\n\n"))
        .collect();
    let body = events.concat();
    let response = format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n{body}");
    // A server that leaves the connection open.
    server(ServerAction::Hold(response.into_bytes()))
}

#[test]
fn server_sent_events_are_read_as_they_arrive() {
    let url = events(&[
        r#"{"delta": {"text": "Hel"}}"#,
        r#"{"delta": {"text": "lo"}, "calls": [{"name": "look"}]}"#,
        r#"{"usage": {"input": 1, "output": 2}}"#,
        "[DONE]",
    ]);
    let agent = format!(
        "{{http: {{url: '{url}', stream: sse, response: {{text: /delta/text, toolCalls: /calls, tokens: /usage}}}}}}"
    );
    let checks = "[{equals: Hello}, {called: look}, {tokens: {max: 3}}, {latency: {max: 15, firstToken: {max: 15}}}]";
    let talk = talk(
        &agent,
        &format!("conversation: [{{user: hi, expect: {checks}}}]"),
    );
    assert_eq!(talk.result(), "passed");
    assert!(talk.replies[0]["tracing"]["first_token_ms"].is_u64());
}

#[test]
fn the_agent_protocol_can_be_streamed() {
    let url = events(&[
        r#"{"type": "tool_call", "name": "look", "arguments": {"at": 1}}"#,
        r#"{"type": "response", "text": "seen"}"#,
    ]);
    let agent = format!("{{http: {{url: '{url}', stream: sse}}}}");
    let talk = talk(
        &agent,
        "conversation: [{user: hi, expect: [{called: look}]}]",
    );
    assert_eq!(talk.of("call"), ["look"]);
    assert_eq!(talk.of("agent"), ["seen (1 calls)"]);
    assert_eq!(talk.result(), "passed");
}

#[test]
fn faults_of_streams_are_explained() {
    let pointers = ", response: {text: /text}";
    for (url, more, message) in [
        (
            ok(r#"{"text": "fine"}"#),
            pointers,
            "has no server-sent events, but `stream` is set; remove it",
        ),
        (ok(""), pointers, "has no server-sent events"),
        (
            ok("data: {\n\n"),
            pointers,
            "an event of the agent's response is not JSON",
        ),
        (
            ok("data: {\"a\": 1}\n\n"),
            pointers,
            "has no text at `/text`",
        ),
        (
            ok("data: {\"text\": 1}\n\n"),
            pointers,
            "`response.text` must point to a string",
        ),
        (
            ok("data: {\"type\": \"tool_call\", \"name\": \"a\"}\n\n"),
            "",
            "ended without an event of the type `response`",
        ),
        (
            ok("data: hello\n\n"),
            "",
            "an event of the agent's response is not JSON: \"hello\"",
        ),
        (
            ok(
                "data: {\"text\": \"Hel\"}\n\nevent: error\ndata: {\"error\": {\"message\": \"exploded\"}}\n\n",
            ),
            pointers,
            "responded with an error instead of a reply: \"exploded\"",
        ),
        (
            ok("data: {\"text\": \"Hel\"}\n\nevent: error\n\n"),
            pointers,
            "responded with an error instead of a reply",
        ),
        (
            ok("data: {\"text\": \"Hel\"}\n\ndata: {\"error\": \"exploded\"}\n\n"),
            pointers,
            "responded with an error instead of a reply: \"exploded\"",
        ),
        (status(500), pointers, "responded with status 500"),
        (
            raw("HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\ndata: {\"text\": \"a\"}\n\n"),
            pointers,
            "closed before the response was complete",
        ),
        (
            server(ServerAction::Hold(
                b"HTTP/1.1 200 OK\r\n\r\ndata: {\"text\": \"a\"}\n\n".to_vec(),
            )),
            ", timeout: 0.3, response: {text: /text}",
            "did not respond within 0.3 s",
        ),
    ] {
        let agent = format!("{{http: {{url: '{url}', stream: sse{more}}}}}");
        let talk = talk(&agent, ONE_TURN);
        assert!(talk.result().starts_with("failed: Casebook::"), "{message}");
        assert!(gives_advice(talk.result()), "{}", talk.result());
        assert!(
            talk.result().contains(message),
            "{message}\n{}",
            talk.result()
        );
    }
}

#[test]
fn an_incomplete_reply_fails_its_turn_unless_it_is_allowed() {
    for (word, reason, message) in [
        (
            "refusal",
            "refusal",
            "turn 1: the agent refused to reply; if this is expected, allow it with `allow: [refusal]`",
        ),
        (
            "content_filter",
            "filter",
            "turn 1: a content filter stopped the reply",
        ),
        (
            "length",
            "cut",
            "turn 1: the reply was cut off at the maximum number of tokens",
        ),
    ] {
        let url = metadata(&json!({"stop_reason": word}));
        let failed = talk(&http(&url, ""), ONE_TURN);
        assert!(failed.result().contains(message), "{}", failed.result());
        assert_eq!(failed.replies[0]["stop_reason"], reason);
        assert_eq!(failed.end["conversation"]["end"], "stop_condition");
        let allowed = format!("conversation: [{{user: hi, allow: [{reason}]}}]");
        assert_eq!(talk(&http(&url, ""), &allowed).result(), "passed");
        let other = if reason == "cut" { "filter" } else { "cut" };
        let other = format!("conversation: [{{user: hi, allow: {other}}}]");
        assert!(talk(&http(&url, ""), &other).result().contains(message));
    }
    let url = metadata(&json!({"stop_reason": "end_turn"}));
    assert_eq!(talk(&http(&url, ""), ONE_TURN).result(), "passed");
}
