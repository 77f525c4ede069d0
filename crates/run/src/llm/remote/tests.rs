use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use casebook_suite::model::conversation::Provider;
use serde_json::json;

use crate::conversation::tests::http::gives_advice;
use crate::http::testing::{ReceivedRequest, Server, ServerAction};
use crate::llm::testing::responses::{anthropic_message, chat_completion};
use crate::llm::testing::{self, WarningCollector, request, without_deadline};
use crate::llm::{ConversationKey, Models};
use crate::options::LlmOptions;
use crate::stop::StopToken;
use crate::system::SystemContext;

use super::*;

const KEY: &str = "sk-very-secret-1";

fn system(variables: &[(&str, &str)]) -> SystemContext {
    let pairs = variables
        .iter()
        .map(|(name, value)| (name.into(), value.into()));
    SystemContext {
        environment: pairs.collect(),
        ..testing::system()
    }
}

fn llm(provider: Provider, server: &Server) -> Llm {
    Llm {
        url: Some(server.url.clone()),
        ..testing::llm(provider)
    }
}

/// Sends one request, with keys for both providers in the environment.
fn send(llm: &Llm) -> Result<ModelResponse, ModelError> {
    let system = system(&[("ANTHROPIC_API_KEY", KEY), ("OPENAI_API_KEY", KEY)]);
    send_with(&system, llm, &WarningCollector::default())
}

fn send_with(
    system: &SystemContext,
    llm: &Llm,
    sink: &WarningCollector,
) -> Result<ModelResponse, ModelError> {
    let options = LlmOptions::default();
    let models = Models::new(system, &options, sink, None);
    without_deadline(|cancellation| {
        models
            .open(llm, &ConversationKey::default(), &Vec::new)
            .complete(&request(), cancellation)
    })
}

fn body(received: &ReceivedRequest) -> Value {
    serde_json::from_str(&received.body).unwrap()
}

fn message(text: &str) -> String {
    let thinking = json!({"type": "thinking", "thinking": "hm", "signature": "s"});
    let content = json!([thinking, {"type": "text", "text": text}]);
    let usage = json!({"input_tokens": 1000, "output_tokens": 20, "cache_read_input_tokens": 500});
    let mut message = anthropic_message(&content, "end_turn", &usage);
    message["model"] = "m-1-0613".into();
    message.to_string()
}

fn completion(text: &str) -> String {
    let message = json!({"content": text, "refusal": null});
    let mut completion = chat_completion(&message, "stop", (1500, 20));
    completion["model"] = "m-1-0613".into();
    completion.to_string()
}

#[test]
fn an_anthropic_request_has_the_format_of_the_api() {
    let server = Server::with_actions(vec![ServerAction::ok(message("{}"))]);
    let llm = Llm {
        price: Some((3.0, 15.0)),
        ..llm(Provider::Anthropic, &server)
    };
    let response = send(&llm).unwrap();
    assert_eq!(
        (response.text.as_str(), response.model.as_str()),
        ("{}", "m-1-0613")
    );
    let tokens = response.tokens.unwrap();
    assert_eq!((tokens.input, tokens.output), (1500, 20));
    assert!((response.cost.unwrap() - 0.0048).abs() < 1e-12);
    let received = &server.received()[0];
    assert_eq!(received.line, "POST /v1/messages HTTP/1.1");
    assert_eq!(received.header("x-api-key"), Some(KEY));
    assert_eq!(received.header("anthropic-version"), Some("2023-06-01"));
    assert_eq!(
        body(received),
        json!({
            "model": "m-1",
            "max_tokens": 99,
            "system": "Judge.",
            "messages": [{"role": "user", "content": "Is it?"}],
            "temperature": 0.0,
            "tools": [{
                "name": "answer",
                "description": "Takes the response.",
                "input_schema": request().schema(),
            }],
            "tool_choice": {"type": "tool", "name": "answer"},
        })
    );
}

#[test]
fn an_openai_request_has_the_format_of_the_api() {
    let server = Server::with_actions(vec![ServerAction::ok(completion("{}"))]);
    let llm = Llm {
        url: Some(format!("{}/v1/", server.url)),
        ..llm(Provider::OpenAi, &server)
    };
    let response = send(&llm).unwrap();
    assert_eq!(
        (response.text.as_str(), response.model.as_str()),
        ("{}", "m-1-0613")
    );
    assert_eq!(response.cost, None, "no price is configured");
    assert_eq!(response.tokens.unwrap().input, 1500);
    let received = &server.received()[0];
    assert_eq!(received.line, "POST /v1/chat/completions HTTP/1.1");
    assert_eq!(
        received.header("authorization"),
        Some("Bearer sk-very-secret-1")
    );
    assert_eq!(
        body(received),
        json!({
            "model": "m-1",
            "messages": [
                {"role": "system", "content": "Judge."},
                {"role": "user", "content": "Is it?"},
            ],
            "max_tokens": 99,
            "temperature": 0.0,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": true, "schema": request().schema()},
            },
        })
    );
}

#[test]
fn the_cost_is_that_of_the_price_or_of_a_header() {
    let response = ServerAction::ok(completion("{}"));
    let server = Server::with_actions(vec![response.with("x-litellm-response-cost", "0.5")]);
    for (price, cost) in [(None, 0.5), (Some((1000.0, 0.0)), 1.5)] {
        let llm = Llm {
            price,
            ..llm(Provider::OpenAi, &server)
        };
        assert_eq!(send(&llm).unwrap().cost, Some(cost));
    }
}

#[test]
fn a_server_without_schema_support_gets_the_fallback_from_then_on() {
    let refusing = |word: &'static str, ok: String| {
        Server::new(move |_, received| {
            let body = body(received);
            match body.get(word) {
                Some(format) if format != &json!({"type": "json_object"}) => ServerAction::Respond(
                    400,
                    Vec::new(),
                    json!({"error": {"message": format!("{word}: not supported")}}).to_string(),
                ),
                _ => ServerAction::ok(ok.clone()),
            }
        })
    };
    let anthropic = refusing("tool_choice", message("{\"a\":1}"));
    let openai = refusing("response_format", completion("{\"a\":1}"));
    for (provider, server) in [
        (Provider::Anthropic, &anthropic),
        (Provider::OpenAi, &openai),
    ] {
        let (system, options, sink) = (
            system(&[]),
            LlmOptions::default(),
            WarningCollector::default(),
        );
        let models = Models::new(&system, &options, &sink, None);
        let llm = llm(provider, server);
        for _ in 0..2 {
            let model = models.open(&llm, &ConversationKey::default(), &Vec::new);
            let response =
                without_deadline(|cancellation| model.complete(&request(), cancellation)).unwrap();
            assert_eq!(response.text, "{\"a\":1}");
            assert_eq!(response.without, ["schema"]);
        }
        assert_eq!(server.received().len(), 3, "refused only once");
    }
    let limited = body(anthropic.received().last().unwrap());
    assert_eq!(
        limited["output_config"]["format"]["schema"],
        request().schema()
    );
    let loose = body(openai.received().last().unwrap());
    let system = loose["messages"][0]["content"].as_str().unwrap();
    assert!(system.contains("JSON Schema"), "{system}");
}

#[test]
fn unsupported_parameters_are_not_sent_and_a_warning_is_shown() {
    let server = Server::new(|_, received| {
        let body = body(received);
        let refusal = if body.get("max_tokens").is_some() {
            "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
        } else if body.get("temperature").is_some() {
            "Unsupported value: 'temperature' does not support 0 with this model."
        } else if body.get("response_format").is_some() {
            "response_format is unknown"
        } else {
            return ServerAction::ok(completion("{}"));
        };
        ServerAction::Respond(
            400,
            Vec::new(),
            json!({"error": {"message": refusal}}).to_string(),
        )
    });
    let sink = WarningCollector::default();
    let response = send_with(&system(&[]), &llm(Provider::OpenAi, &server), &sink).unwrap();
    assert_eq!(response.without, ["schema", "temperature"]);
    assert_eq!(server.received().len(), 5);
    assert_eq!(
        *sink.warnings.lock(),
        [
            "m-1 does not support temperature, so its responses may differ from run to run",
            "m-1 does not support JSON Schema, so more of its responses may be malformed"
        ]
    );
    let stubborn = Server::with_actions(vec![ServerAction::Respond(
        400,
        Vec::new(),
        "temperature!".to_owned(),
    )]);
    assert!(send(&llm(Provider::OpenAi, &stubborn)).is_err());
    assert_eq!(stubborn.received().len(), 2, "retried only once");
}

#[test]
fn errors_have_clear_messages_without_the_key() {
    let echo = format!("{{\"error\":{{\"message\":\"invalid key\\n {KEY}\"}}}}");
    let stopped =
        |reason: &str| ServerAction::ok(json!({"content": [], "stop_reason": reason}).to_string());
    let leaked_key = format!("Your key is {KEY}.");
    let page = "<!doctype html>\n<html><title>Sign in</title>";
    for (act, words) in [
        (
            ServerAction::Respond(401, Vec::new(), echo),
            "status 401: invalid key [redacted]; check the key in ANTHROPIC_API_KEY",
        ),
        (
            ServerAction::status(302),
            "status 302: 302; redirects are not followed; set `llm.url` to the final address",
        ),
        (
            ServerAction::status(404),
            "status 404: 404; check that the model \"m-1\" exists at this address",
        ),
        (
            ServerAction::status(429).with("retry-after", "900"),
            "status 429: 429; retry after 900 s, or set a lower `llm.requestsPerMinute` or `llm.concurrency`",
        ),
        (
            ServerAction::status(503).with("retry-after", "900"),
            "status 503: 503; retry after 900 s, or check the server's log",
        ),
        (
            ServerAction::Respond(400, Vec::new(), leaked_key),
            "status 400: Your key is [redacted].; check `llm.model` and the other fields of `llm`",
        ),
        (
            ServerAction::Respond(418, Vec::new(), String::new()),
            "status 418: the response is empty; check `llm.model` and the other fields of `llm`",
        ),
        (
            stopped("max_tokens"),
            "the response is too long and was truncated; raise `llm.maxTokens`",
        ),
        (
            stopped("refusal"),
            "the model refused to respond; check the request in the record, or use another model",
        ),
        (
            stopped("model_context_window_exceeded"),
            "the conversation is too long for the model; set `llm.model` to one with a larger context",
        ),
        (
            ServerAction::ok("{\"content\": [{\"ty"),
            "the response is not JSON: {\"content\": [{\"ty; check that `llm.url` is the address of the API",
        ),
        (
            ServerAction::ok(page),
            "the response is not JSON: <!doctype html> <html><title>Sign in</title>; check that `llm.url` is the address of the API",
        ),
        (
            ServerAction::ok(
                json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})
                    .to_string(),
            ),
            "error with status 200: Overloaded; check `llm.model`, or the server's log",
        ),
        (
            ServerAction::ok("{\"choices\": []}"),
            "the response has no `content`; check that `llm.url` is an Anthropic Messages API",
        ),
        (
            ServerAction::Raw(b"hello\r\n\r\n".to_vec()),
            "the response is not HTTP: http parse fail: invalid HTTP version; check `llm.url`, or the server's log",
        ),
    ] {
        let server = Server::with_actions(vec![act]);
        let error = send(&llm(Provider::Anthropic, &server)).unwrap_err().to_string();
        assert_eq!(error, format!("{}/v1/messages: {words}", server.url));
        assert!(gives_advice(&error), "{error}");
    }
    for (reply, words) in [
        (
            json!({"choices": [{"message": {"refusal": "No."}}]}),
            "the model refused to respond: No.",
        ),
        (
            json!({"choices": [{"message": {}, "finish_reason": "length"}]}),
            "truncated",
        ),
        (
            json!({"choices": [{"message": {}, "finish_reason": "content_filter"}]}),
            "content filter",
        ),
        (json!({"content": []}), "a chat completions API"),
        (
            json!({"error": "no credit left"}),
            "error with status 200: no credit left",
        ),
    ] {
        let server = Server::with_actions(vec![ServerAction::ok(reply.to_string())]);
        let error = send(&llm(Provider::OpenAi, &server))
            .unwrap_err()
            .to_string();
        assert!(error.contains(words), "{error}");
        assert!(gives_advice(&error), "{error}");
    }
}

#[test]
fn a_server_that_cannot_be_reached_is_an_error_with_advice() {
    let closed = Server::with_actions(vec![ServerAction::ok("")]);
    closed.shut_down();
    let slow = ServerAction::Delay(Duration::from_secs(9), "{}".to_owned());
    let slow = Server::with_actions(vec![slow]);
    for (url, words) in [
        (
            closed.url.as_str(),
            "connection refused: nothing is listening there; check that the server runs, and `llm.url`",
        ),
        (
            "http://nowhere.invalid",
            "host not found, or DNS is unavailable; check that the server runs, and `llm.url`",
        ),
        (
            &slow.url,
            "did not respond within 0.2 s; set `llm.timeout` to allow more",
        ),
    ] {
        let llm = Llm {
            url: Some(url.to_owned()),
            timeout: Some(Duration::from_millis(200)),
            ..testing::llm(Provider::OpenAi)
        };
        let error = send(&llm).unwrap_err().to_string();
        assert!(error.ends_with(words), "{error}");
        assert!(gives_advice(&error), "{error}");
    }
}

#[test]
fn content_may_be_a_list_of_parts() {
    let parts = json!([{"type": "text", "text": "{\"a\""}, {"type": "text", "text": ":1}"}]);
    let reply = json!({"choices": [{"message": {"content": parts}}], "error": null});
    let server = Server::with_actions(vec![ServerAction::ok(reply.to_string())]);
    let response = send(&llm(Provider::OpenAi, &server)).unwrap();
    assert_eq!(response.text, "{\"a\":1}");
}

#[test]
fn the_key_is_redacted_in_a_response() {
    let server = Server::with_actions(vec![ServerAction::ok(message(&format!("psst: {KEY}")))]);
    let response = send(&llm(Provider::Anthropic, &server)).unwrap();
    assert_eq!(response.text, "psst: [redacted]");
}

#[test]
fn a_key_is_required_except_for_local_servers() {
    let open = |llm: &Llm, system: &SystemContext| {
        let key = Key::find(llm, "OPENAI_API_KEY", system).map(|_| ());
        key.map_err(|error| error.to_string())
    };
    let own = |url: Option<&str>, key_env: Option<&str>| Llm {
        url: url.map(str::to_owned),
        key_env: key_env.map(str::to_owned),
        ..testing::llm(Provider::OpenAi)
    };
    let missing = "no API key for `provider: openai`; set OPENAI_API_KEY, or set `llm.keyEnv` to another variable";
    let named = "no API key for `provider: openai`; set MINE";
    for (llm, expected) in [
        (own(None, None), Err(missing)),
        (own(Some("https://llm.example/v1"), None), Err(missing)),
        (own(Some("http://localhost:1/v1"), None), Ok(())),
        (own(Some("http://localhost:1/v1"), Some("MINE")), Err(named)),
    ] {
        assert_eq!(
            open(&llm, &system(&[("OPENAI_API_KEY", " ")])),
            expected.map_err(str::to_owned)
        );
    }
    let server = Server::with_actions(vec![ServerAction::ok(completion("{}"))]);
    let llm = own(Some(&server.url), Some("MINE"));
    send_with(
        &system(&[("MINE", "abc\n"), ("OPENAI_API_KEY", "no")]),
        &llm,
        &WarningCollector::default(),
    )
    .unwrap();
    assert_eq!(
        server.received()[0].header("authorization"),
        Some("Bearer abc")
    );
}

#[test]
fn a_broken_connection_and_a_busy_server_are_retried() {
    let server = Server::with_actions(vec![
        ServerAction::Raw(Vec::new()),
        ServerAction::status(529).with("retry-after", "0"),
        ServerAction::ok(message("{}")),
    ]);
    let response = send(&llm(Provider::Anthropic, &server)).unwrap();
    assert_eq!(response.retries, 2);
}

#[test]
fn concurrent_requests_are_limited() {
    static IN_FLIGHT: AtomicUsize = AtomicUsize::new(0);
    static MAX_IN_FLIGHT: AtomicUsize = AtomicUsize::new(0);
    let server = Server::new(|_, _| {
        MAX_IN_FLIGHT.fetch_max(
            IN_FLIGHT.fetch_add(1, Ordering::SeqCst) + 1,
            Ordering::SeqCst,
        );
        thread::sleep(Duration::from_millis(10));
        IN_FLIGHT.fetch_sub(1, Ordering::SeqCst);
        ServerAction::ok(completion("{}"))
    });
    let llm = Llm {
        concurrency: Some(3),
        ..llm(Provider::OpenAi, &server)
    };
    let (system, options, sink) = (
        system(&[]),
        LlmOptions::default(),
        WarningCollector::default(),
    );
    let models = Models::new(&system, &options, &sink, None);
    thread::scope(|scope| {
        for _ in 0..8 {
            let (models, llm) = (&models, &llm);
            scope.spawn(move || {
                for _ in 0..5 {
                    let model = models.open(llm, &ConversationKey::default(), &Vec::new);
                    without_deadline(|cancellation| model.complete(&request(), cancellation))
                        .unwrap();
                }
            });
        }
    });
    assert_eq!(server.received().len(), 40);
    assert_eq!(MAX_IN_FLIGHT.load(Ordering::SeqCst), 3);
}

#[test]
fn requests_per_minute_are_limited() {
    let server = Server::with_actions(vec![ServerAction::ok(completion("{}"))]);
    let llm = Llm {
        requests_per_minute: Some(4),
        ..llm(Provider::OpenAi, &server)
    };
    let (system, options, sink) = (
        system(&[]),
        LlmOptions::default(),
        WarningCollector::default(),
    );
    let models = Models::new(&system, &options, &sink, None);
    let stop = StopToken::new().unwrap();
    let complete = |deadline| {
        let cancellation = Cancellation {
            stop: &stop,
            deadline,
        };
        let model = models.open(&llm, &ConversationKey::default(), &Vec::new);
        model.complete(&request(), cancellation).map(|_| ())
    };
    for _ in 0..4 {
        assert_eq!(complete(None), Ok(()));
    }
    for _ in 0..2 {
        let soon = (system.instant)() + Duration::from_millis(100);
        assert_eq!(complete(Some(soon)), Err(ModelError::OutOfTime));
    }
    assert_eq!(server.received().len(), 4);
    stop.request();
    let started: Instant = (system.instant)();
    assert_eq!(complete(None), Err(ModelError::Interrupted));
    assert!((system.instant)() - started < Duration::from_secs(10));
}
