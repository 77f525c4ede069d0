//! Responses of real servers, recorded once: of `LiteLLM`'s proxy 1.106.2, and of an agent built with pydantic-ai 2.66.0 and its test
//! model behind an endpoint of its own. `recorded/README.md` says how.

use serde_json::json;

use crate::http::testing::{Server, ServerAction};

use super::http::{ONE_TURN, Talk, talk};

macro_rules! recorded {
    ($file:literal) => {
        include_str!(concat!("recorded/", $file))
    };
}

fn openai(responses: Vec<ServerAction>, more: &str) -> String {
    let url = Server::with_actions(responses).url;
    format!("{{openai: {{url: '{url}/v1', model: mock{more}}}}}")
}

fn stream(body: &str) -> ServerAction {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n\r\n";
    ServerAction::Raw(format!("{head}{body}").into_bytes())
}

/// A conversation of one turn with this check.
fn checked(agent: &str, check: &str) -> Talk {
    talk(
        agent,
        &format!("conversation: [{{user: hi, expect: [{check}]}}]"),
    )
}

#[test]
fn chat_completions_of_litellm_are_replies() {
    let whole = ServerAction::ok(recorded!("litellm-1.106.2/chat.json"));
    let talk = checked(
        &openai(vec![whole], ""),
        "{equals: The Blue Room is free.}, {tokens: {min: 30, max: 30}}",
    );
    assert_eq!(talk.result(), "passed");
    assert_eq!(talk.replies[0]["tracing"]["model"], "mock");
    let streamed = stream(recorded!("litellm-1.106.2/stream.txt"));
    let talk = checked(
        &openai(vec![streamed], ", stream: true"),
        "{equals: The Blue Room is free.}, {tokens: {max: 14}}, {cost: {max: 0.00008}}, {latency: {firstToken: {max: 15}}}",
    );
    assert_eq!(talk.result(), "passed");
}

#[test]
fn tool_calls_of_litellm_are_called_although_its_finish_reason_is_stop() {
    let responses = [
        recorded!("litellm-1.106.2/tools.json"),
        recorded!("litellm-1.106.2/chat.json"),
    ];
    let agent = openai(
        responses.map(ServerAction::ok).into(),
        ", tools: [{name: search_rooms, result: [Blue Room]}]",
    );
    let talk = checked(
        &agent,
        "{called: {tool: search_rooms, with: {people: 10}, times: 1}}, {contains: Blue Room}",
    );
    assert_eq!(talk.result(), "passed");
}

#[test]
fn the_anthropic_endpoint_of_litellm_replies() {
    let response = ServerAction::ok(recorded!("litellm-1.106.2/messages.json"));
    let url = Server::with_actions(vec![response]).url;
    let talk = checked(
        &format!("{{anthropic: {{url: '{url}', model: mock-anthropic}}}}"),
        "{equals: The Blue Room is free.}, {tokens: {min: 2598, max: 2598}}",
    );
    assert_eq!(talk.result(), "passed");
}

#[test]
fn errors_of_litellm_are_quoted_with_what_to_do() {
    for (status, body, message, hint) in [
        (
            400,
            recorded!("litellm-1.106.2/400.json"),
            "Invalid model name passed in model=nope. Call `/v1/models` to view available models for your key.",
            "check the agent's `model`, `tools` and `headers`",
        ),
        (
            429,
            recorded!("litellm-1.106.2/429.json"),
            "this is a mock rate limit error",
            "the agent's `retry: {times:",
        ),
        (
            500,
            recorded!("litellm-1.106.2/500.json"),
            "this is a mock internal server error",
            "check the agent's log",
        ),
    ] {
        let head = format!("HTTP/1.1 {status} X\r\ncontent-type: application/json\r\n");
        let length = body.len();
        let response = format!("{head}content-length: {length}\r\n\r\n{body}");
        let agent = openai(vec![ServerAction::Raw(response.into_bytes())], "");
        let talk = talk(&agent, ONE_TURN);
        let result = talk.result();
        assert!(
            result.starts_with("failed: Casebook::AgentFailed"),
            "{result}"
        );
        assert!(
            result.contains(message) && result.contains(hint),
            "{result}"
        );
        assert_ne!(talk.end["conversation"]["unreachable"], json!(true));
    }
}

#[test]
fn incomplete_replies_behind_litellm_have_their_reasons() {
    for (body, reason, message, text) in [
        (
            recorded!("litellm-1.106.2/refusal.json"),
            "refusal",
            "turn 1: the agent refused to reply",
            "I cannot help with that (0 calls)",
        ),
        (
            recorded!("litellm-1.106.2/filter.json"),
            "filter",
            "turn 1: a content filter stopped the reply",
            " (0 calls)",
        ),
        (
            recorded!("litellm-1.106.2/cut.json"),
            "cut",
            "turn 1: the reply was cut off at the maximum number of tokens",
            "Once upon (0 calls)",
        ),
    ] {
        let talk = talk(&openai(vec![ServerAction::ok(body)], ""), ONE_TURN);
        assert!(talk.result().contains(message), "{}", talk.result());
        assert_eq!(talk.of("agent"), [text]);
        assert_eq!(talk.replies[0]["stop_reason"], reason);
    }
}

#[test]
fn verdicts_behind_litellm_are_read() {
    for (provider, path, body) in [
        // A forced tool call of a model of Anthropic, which LiteLLM has made the content of a chat completion.
        (
            "openai",
            "/v1",
            recorded!("litellm-1.106.2/verdict-of-claude.json"),
        ),
        (
            "openai",
            "/v1",
            recorded!("litellm-1.106.2/verdict-in-fence.json"),
        ),
        // The mock ignores the forced tool call and responds with text.
        (
            "anthropic",
            "",
            recorded!("litellm-1.106.2/verdict-messages.json"),
        ),
    ] {
        let judge = Server::with_actions(vec![ServerAction::ok(body)]).url;
        let agent = openai(
            vec![ServerAction::ok(recorded!("litellm-1.106.2/chat.json"))],
            "",
        );
        let test = format!(
            "llm: {{provider: {provider}, model: j, url: '{judge}{path}'}}, criteria: {{friendly: is friendly}}, conversation: [{{user: hi, expect: [{{satisfies: friendly}}]}}]"
        );
        assert_eq!(talk(&agent, &test).result(), "passed", "{body}");
    }
}

#[test]
fn an_agent_built_with_pydantic_ai_is_read_through_pointers() {
    let response = ServerAction::ok(recorded!("pydantic-ai-2.66.0/ask.json"));
    let url = Server::with_actions(vec![response]).url;
    let agent = format!(
        "
  http:
    url: {url}/ask
    body: {{question: '{{{{message}}}}', thread: '{{{{conversation.id}}}}'}}
    response: {{text: /answer, toolCalls: /calls, tokens: {{input: /usage/in, output: /usage/out}}}}"
    );
    let talk = checked(
        &agent,
        "{equals: The Blue Room is free.}, {called: {tool: search_rooms, with: {people: 0}}}, {tokens: {min: 126, max: 126}}",
    );
    assert_eq!(talk.result(), "passed");
}
