//! Conversations with models under test: shapes of replies, history, streams and tools.

use serde_json::{Value, json};

use crate::http::testing::{ReceivedRequest, Server, ServerAction};
use crate::llm::testing::responses::{anthropic_message, chat_chunk as delta, chat_completion};

use super::http::{ONE_TURN, gives_advice, talk};
use super::{lines, run_suite, suite};

fn openai(url: &str, more: &str) -> String {
    format!("{{openai: {{url: '{url}/v1', model: mine{more}}}}}")
}

fn anthropic(url: &str, more: &str) -> String {
    format!("{{anthropic: {{url: '{url}', model: mine{more}}}}}")
}

fn server(body: &str) -> String {
    Server::with_actions(vec![ServerAction::ok(body)]).url
}

/// A chat completion with this message and this reason for its end.
fn completion(message: &Value, reason: &str) -> String {
    chat_completion(message, reason, (1_000_000, 500_000)).to_string()
}

fn text(text: &str) -> String {
    completion(&json!({"content": text}), "stop")
}

fn called(function: &Value) -> Value {
    json!({"content": null, "tool_calls": [{"id": "c", "type": "function", "function": function}]})
}

/// What is expected of a response.
enum Shape {
    /// A reply with this text and these calls.
    Reply(&'static str, &'static [&'static str]),
    /// The turn fails with a message that contains this; the reply has this text.
    Incomplete(&'static str, &'static str),
    /// An error of the agent with a message that contains this.
    Error(&'static str),
}

fn shapes() -> Vec<(String, Shape)> {
    use Shape::{Error, Incomplete, Reply};
    let part = |text: &str| json!({"type": "text", "text": text});
    let message = |message: Value| completion(&message, "stop");
    let empty = "is empty: it has neither text nor tool calls; check the agent's `url`";
    vec![
        (text("Hi"), Reply("Hi", &[])),
        (message(json!({"content": [part("He"), part("llo"), {"type": "image_url"}]})), Reply("Hello", &[])),
        (message(json!({"content": "Hi", "tool_calls": null, "refusal": null, "reasoning_content": "hm"})), Reply("Hi", &[])),
        (completion(&called(&json!({"name": "look", "arguments": "{\"a\": 1}"})), "tool_calls"), Reply("", &["look {\"a\":1}"])),
        (completion(&called(&json!({"name": "look", "arguments": {"a": 1}})), "tool_calls"), Reply("", &["look {\"a\":1}"])),
        (completion(&called(&json!({"name": "look"})), "tool_calls"), Reply("", &["look {}"])),
        (completion(&called(&json!({"name": "look", "arguments": "{"})), "tool_calls"), Reply("", &["look \"{\""])),
        (message(json!({"function_call": {"name": "old", "arguments": "{}"}})), Reply("", &["old {}"])),
        (message(json!({"content": null, "refusal": "I cannot"})), Incomplete("the agent refused to reply", "I cannot")),
        (message(json!({"content": [{"type": "refusal", "refusal": "No"}]})), Incomplete("the agent refused to reply", "No")),
        (completion(&json!({"content": "Once upon"}), "length"), Incomplete("the reply was cut off at the maximum number of tokens; set `maxTokens`", "Once upon")),
        (completion(&json!({"content": null}), "content_filter"), Incomplete("a content filter stopped the reply", "")),
        (message(json!({"content": ""})), Error(empty)),
        (message(json!({"content": null})), Error(empty)),
        (message(json!({"content": 7})), Error("has a `content` that is neither text nor a list")),
        (message(json!({"content": "a", "tool_calls": {}})), Error("has `tool_calls` that are not a list")),
        (message(json!({"tool_calls": [{"id": "c"}]})), Error("has a tool call without `function.name`")),
        (r#"{"choices": []}"#.to_owned(), Error("has no `choices`; check the agent's `url`")),
        (r#"{"id": "x"}"#.to_owned(), Error("has no `choices`")),
        (r#"{"choices": [{"text": "old"}]}"#.to_owned(), Error("has no `choices[0].message`")),
        (r#"{"choices": [{"delta": {"content": "a"}}]}"#.to_owned(), Error("set `stream: true`")),
        ("data: {\"choices\": []}\n\n".to_owned(), Error("set `stream: true`")),
        (r#"{"error": {"message": "quota exceeded"}}"#.to_owned(), Error("responded with an error instead of a reply: \"quota exceeded\"")),
        (r#"{"error": "overloaded"}"#.to_owned(), Error("instead of a reply: \"overloaded\"")),
        ("<html>".to_owned(), Error("is not a chat completion (expected value at line 1 column 1); check the agent's `url`: \"<html>\"")),
        (json!({"choices": [{"message": {"content": "a"}}], "usage": {"prompt_tokens": -1, "completion_tokens": 1}}).to_string(), Error("a negative number of input tokens: -1")),
    ]
}

#[test]
fn every_shape_of_a_chat_completion_is_a_reply_or_an_explained_failure() {
    let shapes = shapes();
    assert!(shapes.len() >= 17);
    for (body, shape) in shapes {
        let talk = talk(&openai(&server(&body), ""), ONE_TURN);
        let result = talk.result();
        match shape {
            Shape::Reply(text, calls) => {
                assert_eq!(result, "passed", "{body}");
                let shown = format!("{text} ({} calls)", calls.len());
                assert_eq!(talk.of("agent"), [shown], "{body}");
                assert_eq!(talk.calls, calls, "{body}");
            }
            Shape::Incomplete(message, text) => {
                assert!(result.contains(message), "{body}: {result}");
                assert_eq!(talk.of("agent"), [format!("{text} (0 calls)")], "{body}");
                assert_eq!(talk.end["conversation"]["end"], "stop_condition");
            }
            Shape::Error(message) => {
                assert!(result.contains("Casebook::AgentFailed"), "{body}: {result}");
                assert!(gives_advice(result), "{result}");
                assert!(result.contains(message), "{body}: {result}");
            }
        }
    }
}

#[test]
fn the_price_of_tokens_makes_the_cost() {
    let url = server(&text("Hi"));
    let check = |agent: String, cost: f64| {
        let test = format!(
            "conversation: [{{user: hi, expect: [{{cost: {{min: {cost}, max: {cost}}}}}]}}]"
        );
        talk(&agent, &test).result().to_owned()
    };
    let priced = openai(&url, ", price: {input: 2, output: 8}");
    assert_eq!(check(priced, 6.0), "passed");
    let unpriced = check(openai(&url, ""), 6.0);
    assert!(
        unpriced.contains("the agent did not report the cost") && gives_advice(&unpriced),
        "{unpriced}"
    );
    let with_header = |body: &str, cost: &str| {
        let response = ServerAction::ok(body).with("x-litellm-response-cost", cost);
        Server::with_actions(vec![response]).url
    };
    let of_litellm = with_header(&text("Hi"), "0.5");
    assert_eq!(check(openai(&of_litellm, ""), 0.5), "passed");
    let price = ", price: {input: 2, output: 8}";
    assert_eq!(check(openai(&of_litellm, price), 0.5), "passed");
    let unknown = with_header(&text("Hi"), "None");
    assert_eq!(check(openai(&unknown, price), 6.0), "passed");
    let negative = check(openai(&with_header(&text("Hi"), "-1"), ""), 0.5);
    assert!(negative.contains("a negative cost: -1"), "{negative}");
    let reported = json!({"choices": [{"message": {"content": "a"}}], "usage": {"cost": 0.25}});
    let both = with_header(&reported.to_string(), "0.5");
    assert_eq!(check(openai(&both, ""), 0.25), "passed");
    assert_eq!(
        check(openai(&server(&reported.to_string()), ""), 0.25),
        "passed"
    );
}

fn body(request: &ReceivedRequest) -> Value {
    serde_json::from_str(&request.body).unwrap()
}

#[test]
fn the_complete_history_is_sent_to_a_chat_completions_api() {
    let call = completion(
        &called(&json!({"name": "look", "arguments": "{}"})),
        "tool_calls",
    );
    let server = Server::with_actions(vec![
        ServerAction::ok(call),
        ServerAction::ok(text("seen")),
        ServerAction::ok(text("bye")),
    ]);
    let agent = openai(&server.url, ", system: Be brief, maxTokens: 9");
    let talk = talk(&agent, "conversation: [{user: a}, {user: b}, {user: c}]");
    assert_eq!(talk.result(), "passed");
    let received = server.received();
    assert_eq!(received[0].line, "POST /v1/chat/completions HTTP/1.1");
    let function = json!({"name": "look", "arguments": "{}"});
    assert_eq!(
        body(&received[2]),
        json!({"model": "mine", "max_tokens": 9, "messages": [
            {"role": "system", "content": "Be brief"},
            {"role": "user", "content": "a"},
            {"role": "assistant", "content": null, "tool_calls": [{"id": "c", "type": "function", "function": function}]},
            {"role": "tool", "tool_call_id": "c", "content": ""},
            {"role": "user", "content": "b"},
            {"role": "assistant", "content": "seen"},
            {"role": "user", "content": "c"},
        ]})
    );
}

#[test]
fn later_turns_get_each_message_with_its_text_and_ids() {
    let with_call = |content: &str, id: &str| {
        let function = json!({"name": "look", "arguments": "{}"});
        let call = json!({"id": id, "type": "function", "function": function});
        json!({"role": "assistant", "content": content, "tool_calls": [call]})
    };
    let (first, second) = (with_call("I look.", "x9"), with_call("Again.", "y9"));
    let server = Server::with_actions(vec![
        ServerAction::ok(completion(&first, "tool_calls")),
        ServerAction::ok(completion(&second, "tool_calls")),
        ServerAction::ok(text("It is free.")),
        ServerAction::ok(text("bye")),
    ]);
    let agent = openai(&server.url, ", tools: [{name: look, result: free}]");
    let talk = talk(
        &agent,
        "history: [{role: user, content: a}, {role: assistant, content: Wait., toolCalls: [{tool: look}]}, {role: tool, tool: look, content: taken}, {role: assistant, content: No.}], conversation: [{user: b}, {user: c}]",
    );
    assert_eq!(talk.result(), "passed");
    let result =
        |id: &str, content: &str| json!({"role": "tool", "tool_call_id": id, "content": content});
    let said = |role: &str, content: &str| json!({"role": role, "content": content});
    assert_eq!(
        body(&server.received()[3])["messages"],
        json!([
            said("user", "a"),
            with_call("Wait.", "call_1"),
            result("call_1", "taken"),
            said("assistant", "No."),
            said("user", "b"),
            first,
            result("x9", "free"),
            second,
            result("y9", "free"),
            said("assistant", "It is free."),
            said("user", "c"),
        ])
    );
}

const TOOLS: &str = ", tools: [{name: look, description: Looks, parameters: {properties: {at: {type: integer}}}, result: [{free: true}, {error: too late}]}, {name: shout, result: {run: 'tr a-z A-Z'}}, {name: fail, result: {run: 'echo broken >&2; exit 3'}}]";

/// A completion with calls of these tools, with these arguments.
fn calls(calls: &[(&str, &str)]) -> ServerAction {
    let calls = calls.iter().zip(1..).map(|((name, arguments), number)| {
        json!({"id": format!("id{number}"), "type": "function", "function": {"name": name, "arguments": arguments}})
    });
    let calls: Vec<_> = calls.collect();
    let message = json!({"role": "assistant", "content": null, "tool_calls": calls});
    ServerAction::ok(completion(&message, "tool_calls"))
}

#[test]
fn casebook_runs_the_tools_of_a_bare_model() {
    let server = Server::with_actions(vec![
        calls(&[("look", r#"{"at":1}"#), ("shout", r#"{"a":"b"}"#)]),
        calls(&[
            ("look", "{}"),
            ("fail", "{}"),
            ("none", "{}"),
            ("look", "{"),
        ]),
        ServerAction::ok(text("done")),
        ServerAction::ok(text("bye")),
    ]);
    let talk = talk(
        &openai(&server.url, TOOLS),
        "conversation: [{user: go, expect: [{called: {tool: look, times: 3}}, {called: {tool: look, failed: true}}, {contains: done}]}, {user: end}]",
    );
    assert_eq!(talk.result(), "passed");
    assert_eq!(
        talk.of("call"),
        ["look", "shout", "look", "fail", "none", "look"]
    );
    assert_eq!(
        talk.calls,
        [
            r#"look {"at":1} → {"free":true}"#,
            r#"shout {"a":"b"} → {"A":"B"}"#,
            "look {} ✗ too late",
            "fail {} ✗ echo broken >&2; exit 3 exited with code 3:\nbroken",
            "none {} ✗ there is no tool `none`",
            r#"look "{" ✗ the arguments are not a JSON object"#,
        ]
    );
    let received = server.received();
    let first = body(&received[0]);
    assert_eq!(
        first["tools"][0]["function"],
        json!({"name": "look", "description": "Looks", "parameters": {"type": "object", "properties": {"at": {"type": "integer"}}}})
    );
    let second = body(&received[1]);
    assert_eq!(second["messages"][1]["tool_calls"][0]["id"], "id1");
    assert_eq!(
        second["messages"][2],
        json!({"role": "tool", "tool_call_id": "id1", "content": "{\"free\":true}"})
    );
    let roles = |body: &Value| -> Vec<String> {
        let messages = body["messages"].as_array().unwrap();
        let role = |message: &Value| message["role"].as_str().unwrap().to_owned();
        messages.iter().map(role).collect()
    };
    let expected = "user assistant tool tool assistant tool tool tool tool assistant user";
    assert_eq!(roles(&body(&received[3])).join(" "), expected);
    assert_eq!(talk.end["tracing"]["agent"]["tokens"]["input"], 4_000_000);
}

#[test]
fn exhausted_results_and_too_many_rounds_fail_the_test() {
    let server = Server::with_actions(vec![calls(&[("look", "{}")])]);
    let exhausted = talk(&openai(&server.url, TOOLS), ONE_TURN);
    assert!(
        exhausted.result().contains(
            "Casebook::AgentFailed the model called `look` 3 times, but the suite has 2 results for it; add to its `result`"
        ),
        "{}",
        exhausted.result()
    );
    let endless = ", maxToolRounds: 2, tools: [{name: look, result: true}]";
    let server = Server::with_actions(vec![calls(&[("look", "{}")])]);
    let endless = talk(
        &openai(&server.url, endless),
        "conversation: [{user: go, allow: [refusal, filter, cut]}]",
    );
    assert!(
        endless
            .result()
            .contains("called tools in more than 2 rounds without a reply; raise `maxToolRounds`"),
        "{}",
        endless.result()
    );
    assert_eq!(endless.replies[0]["stop_reason"], "tool_rounds");
    assert_eq!(server.received().len(), 3);
}

#[test]
fn a_tool_whose_command_cannot_be_run_fails_the_test() {
    for (command, timeout, class, message) in [
        (
            "no-such-command",
            20.0,
            "AgentFailed",
            "the command of the tool `look` could not be run; check its `result`: no-such-command exited with code 127",
        ),
        (
            "sleep 20",
            0.3,
            "Timeout",
            "the command of the tool `look` did not end in time: sleep 20 took longer than",
        ),
    ] {
        let server = Server::with_actions(vec![
            calls(&[("look", "{}")]),
            ServerAction::ok(text("done")),
        ]);
        let tools = format!(", tools: [{{name: look, result: {{run: {command}}}}}]");
        let agent = openai(&server.url, &tools);
        let test = format!("timeout: {timeout}, {ONE_TURN}");
        let yaml = format!("agent: {agent}\ntests: [{{name: t, {test}}}]\n");
        let (_, events) = run_suite(suite(&yaml));
        let result = events.iter().filter_map(lines).next_back().unwrap();
        let expected = format!("failed: Casebook::{class} {message}");
        assert!(result.starts_with(&expected), "{result}");
    }
}

#[test]
fn a_model_with_the_anthropic_api_is_an_agent() {
    let usage = json!({"input_tokens": 10, "output_tokens": 2, "cache_read_input_tokens": 5});
    let reply = |content: Value, reason: &str| {
        ServerAction::ok(anthropic_message(&content, reason, &usage).to_string())
    };
    let thinking = json!({"type": "thinking", "thinking": "hm", "signature": "s"});
    let asked = json!({"type": "tool_use", "id": "t1", "name": "look", "input": {"at": 1}});
    let said = |text: &str| json!({"type": "text", "text": text});
    let server = Server::with_actions(vec![
        reply(json!([thinking, said("Let me see."), asked]), "tool_use"),
        reply(json!([said("It is free.")]), "end_turn"),
        reply(json!([said("Sorry")]), "refusal"),
    ]);
    let talk = talk(
        &anthropic(
            &server.url,
            &format!("{TOOLS}, system: Be brief, price: {{input: 1, output: 1}}"),
        ),
        "conversation: [{user: go, expect: [{tokens: {min: 34, max: 34}}, {cost: {max: 1}}]}, {user: no}]",
    );
    assert_eq!(talk.of("agent")[0], "Let me see.\n\nIt is free. (1 calls)");
    assert_eq!(talk.calls[0], r#"look {"at":1} → {"free":true}"#);
    assert!(
        talk.result().contains("turn 2: the agent refused to reply"),
        "{}",
        talk.result()
    );
    let received = server.received();
    assert_eq!(received[0].line, "POST /v1/messages HTTP/1.1");
    assert_eq!(received[0].header("anthropic-version"), Some("2023-06-01"));
    let first = body(&received[0]);
    assert_eq!(
        (&first["max_tokens"], &first["system"]),
        (&json!(4096), &json!("Be brief"))
    );
    assert_eq!(first["tools"][0]["input_schema"]["type"], "object");
    let second = body(&received[1]);
    assert_eq!(
        second["messages"][1]["content"][0], thinking,
        "the message is sent back as it came"
    );
    assert_eq!(
        second["messages"][2],
        json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "{\"free\":true}"}]})
    );
    let third = body(&received[2]);
    let roles: Vec<_> = third["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["role"])
        .collect();
    assert_eq!(roles, ["user", "assistant", "user", "assistant", "user"]);
    for (body, message) in [
        (
            r#"{"type": "error", "error": {"message": "overloaded"}}"#,
            "instead of a reply: \"overloaded\"",
        ),
        (
            r#"{"content": []}"#,
            "is empty: it has neither text nor tool calls",
        ),
        (
            r#"{"choices": []}"#,
            "has no `content`; check the agent's `url`",
        ),
        ("<html>", "is not a message of the Anthropic API"),
        (
            r#"{"content": [{"type": "text", "text": "a"}], "stop_reason": "max_tokens"}"#,
            "cut off at the maximum number of tokens",
        ),
        (
            r#"{"content": [{"type": "tool_use"}]}"#,
            "has a `tool_use` without a name",
        ),
    ] {
        let talk = super::http::talk(&anthropic(&self::server(body), ""), ONE_TURN);
        assert!(talk.result().contains(message), "{body}: {}", talk.result());
    }
}

/// A stream of these chunks in the format of `OpenAI`.
fn stream(chunks: &[Value], done: bool) -> ServerAction {
    let chunks = chunks.iter().map(|chunk| format!("data: {chunk}\n\n"));
    let mut body: String = chunks.collect();
    if done {
        body.push_str("data: [DONE]\n\n");
    }
    ServerAction::Raw(format!("HTTP/1.1 200 OK\r\n\r\n{body}").into_bytes())
}

#[test]
fn a_streamed_completion_is_read_as_it_arrives() {
    let part = |arguments: &str| json!({"tool_calls": [{"index": 0, "function": {"arguments": arguments}}]});
    let server = Server::with_actions(vec![
        stream(
            &[
                delta(
                    &json!({"role": "assistant", "tool_calls": [{"index": 0, "id": "c1", "function": {"name": "look", "arguments": ""}}]}),
                    None,
                ),
                delta(&part("{\"at\""), None),
                delta(&part(": 1}"), None),
                delta(&json!({}), Some("tool_calls")),
            ],
            true,
        ),
        stream(
            &[
                delta(&json!({"content": "It is "}), None),
                delta(&json!({"content": "free."}), Some("stop")),
                json!({"choices": [], "model": "m-1", "usage": {"prompt_tokens": 3, "completion_tokens": 4}}),
            ],
            true,
        ),
    ]);
    let checks = "[{equals: It is free.}, {called: {tool: look, with: {at: 1}}}, {tokens: {max: 7}}, {latency: {firstToken: {max: 15}}}]";
    let talk = talk(
        &openai(&server.url, &format!("{TOOLS}, stream: true")),
        &format!("conversation: [{{user: go, expect: {checks}}}]"),
    );
    assert_eq!(talk.result(), "passed");
    let request = body(&server.received()[0]);
    assert_eq!(request["stream_options"], json!({"include_usage": true}));
    assert_eq!(talk.replies[0]["tracing"]["model"], "m-1");
}

#[test]
fn faults_of_streamed_completions_are_explained() {
    let content = delta(&json!({"content": "Once"}), None);
    for (action, message) in [
        (
            stream(std::slice::from_ref(&content), true),
            "ended before the reply was complete: no chunk has a `finish_reason`",
        ),
        (
            stream(std::slice::from_ref(&content), false),
            "ended before the reply was complete",
        ),
        (
            stream(
                &[content.clone(), json!({"error": {"message": "overloaded"}})],
                false,
            ),
            "instead of a reply: \"overloaded\"",
        ),
        (
            stream(&[delta(&json!({"content": "Once"}), Some("length"))], true),
            "cut off at the maximum number of tokens",
        ),
        (
            stream(&[delta(&json!({"refusal": "No"}), Some("stop"))], true),
            "the agent refused to reply",
        ),
        (
            stream(&[delta(&json!({}), Some("stop"))], true),
            "is empty: it has neither text nor tool calls",
        ),
        (
            ServerAction::ok(text("Hi")),
            "has no server-sent events, but `stream` is set",
        ),
        (
            ServerAction::Raw(b"HTTP/1.1 200 OK\r\n\r\ndata: {\n\n".to_vec()),
            "an event of the agent's stream is not JSON",
        ),
    ] {
        let server = Server::with_actions(vec![action]);
        let talk = talk(&openai(&server.url, ", stream: true"), ONE_TURN);
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
fn a_reply_that_is_not_streamed_has_no_first_token() {
    let talk = talk(
        &openai(&server(&text("Hi")), ""),
        "conversation: [{user: hi, expect: [{latency: {firstToken: {max: 1}}}]}]",
    );
    let expected = "was not streamed, so its first token has no time; set the agent's `stream`";
    assert!(talk.result().contains(expected), "{}", talk.result());
}
