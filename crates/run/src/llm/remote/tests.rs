use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use casebook_suite::model::conversation::Provider;
use serde_json::json;

use crate::http::testing::{Act, Received, Server};
use crate::llm::Models;
use crate::llm::testing::{self, Ear, patient, question};
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

/// Asks once, with keys for both providers in the environment.
fn asked(llm: &Llm) -> Result<ModelResponse, ModelError> {
    let system = system(&[("ANTHROPIC_API_KEY", KEY), ("OPENAI_API_KEY", KEY)]);
    asked_in(&system, llm, &Ear::default())
}

fn asked_in(system: &SystemContext, llm: &Llm, ear: &Ear) -> Result<ModelResponse, ModelError> {
    let options = LlmOptions::default();
    let models = Models::new(system, &options, ear);
    patient(|patience| models.open(llm, "t", &Vec::new)?.ask(&question(), patience))
}

fn body(received: &Received) -> Value {
    serde_json::from_str(&received.body).unwrap()
}

fn message(text: &str) -> String {
    json!({
        "model": "m-1-0613",
        "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 1000, "output_tokens": 20, "cache_read_input_tokens": 500},
    })
    .to_string()
}

fn completion(text: &str) -> String {
    json!({
        "model": "m-1-0613",
        "choices": [{"message": {"role": "assistant", "content": text, "refusal": null}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1500, "completion_tokens": 20},
    })
    .to_string()
}

#[test]
fn anthropic_is_asked_as_its_api_wants() {
    let server = Server::acting(vec![Act::ok(message("{}"))]);
    let llm = Llm {
        price: Some((3.0, 15.0)),
        ..llm(Provider::Anthropic, &server)
    };
    let answer = asked(&llm).unwrap();
    assert_eq!(
        (answer.text.as_str(), answer.model.as_str()),
        ("{}", "m-1-0613")
    );
    let tokens = answer.tokens.unwrap();
    assert_eq!((tokens.input, tokens.output), (1500, 20));
    assert!((answer.cost.unwrap() - 0.0048).abs() < 1e-12);
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
            "output_config": {"format": {"type": "json_schema", "schema": question().schema()}},
        })
    );
}

#[test]
fn openai_is_asked_as_its_api_wants() {
    let server = Server::acting(vec![Act::ok(completion("{}"))]);
    let llm = Llm {
        url: Some(format!("{}/v1/", server.url)),
        ..llm(Provider::OpenAi, &server)
    };
    let answer = asked(&llm).unwrap();
    assert_eq!(
        (answer.text.as_str(), answer.model.as_str()),
        ("{}", "m-1-0613")
    );
    assert_eq!(answer.cost, None, "nobody has said what it costs");
    assert_eq!(answer.tokens.unwrap().input, 1500);
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
                "json_schema": {"name": "answer", "strict": true, "schema": question().schema()},
            },
        })
    );
}

#[test]
fn a_server_that_takes_no_schema_is_asked_in_another_way_from_then_on() {
    let refusing = |word: &'static str, ok: String| {
        Server::new(move |_, received| {
            let body = body(received);
            match body.get(word) {
                Some(format) if format != &json!({"type": "json_object"}) => Act::Say(
                    400,
                    Vec::new(),
                    json!({"error": {"message": format!("{word}: not supported")}}).to_string(),
                ),
                _ => Act::ok(ok.clone()),
            }
        })
    };
    let tool = json!({
        "content": [{"type": "tool_use", "name": "answer", "input": {"a": 1}}],
        "stop_reason": "tool_use",
    });
    let anthropic = refusing("output_config", tool.to_string());
    let openai = refusing("response_format", completion("{\"a\":1}"));
    for (provider, server) in [
        (Provider::Anthropic, &anthropic),
        (Provider::OpenAi, &openai),
    ] {
        let (system, options, ear) = (system(&[]), LlmOptions::default(), Ear::default());
        let models = Models::new(&system, &options, &ear);
        let llm = llm(provider, server);
        for _ in 0..2 {
            let model = models.open(&llm, "t", &Vec::new).unwrap();
            let answer = patient(|patience| model.ask(&question(), patience)).unwrap();
            assert_eq!(answer.text, "{\"a\":1}");
            assert_eq!(answer.without, ["schema"]);
        }
        assert_eq!(server.received().len(), 3, "refused once, and remembered");
    }
    let forced = body(anthropic.received().last().unwrap());
    assert_eq!(
        forced["tool_choice"],
        json!({"type": "tool", "name": "answer"})
    );
    assert_eq!(forced["tools"][0]["input_schema"], question().schema());
    let loose = body(openai.received().last().unwrap());
    let system = loose["messages"][0]["content"].as_str().unwrap();
    assert!(system.contains("JSON Schema"), "{system}");
}

#[test]
fn parameters_that_a_model_does_not_know_are_left_out_and_that_is_told() {
    let server = Server::new(|_, received| {
        let body = body(received);
        let refusal = if body.get("max_tokens").is_some() {
            "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
        } else if body.get("temperature").is_some() {
            "Unsupported value: 'temperature' does not support 0 with this model."
        } else if body.get("response_format").is_some() {
            "response_format is unknown"
        } else {
            return Act::ok(completion("{}"));
        };
        Act::Say(
            400,
            Vec::new(),
            json!({"error": {"message": refusal}}).to_string(),
        )
    });
    let ear = Ear::default();
    let answer = asked_in(&system(&[]), &llm(Provider::OpenAi, &server), &ear).unwrap();
    assert_eq!(answer.without, ["schema", "temperature"]);
    assert_eq!(server.received().len(), 5);
    assert_eq!(
        *ear.warnings.lock(),
        [
            "m-1 takes no temperature, so its answers may differ from run to run",
            "m-1 takes no JSON Schema, so more of its answers may be malformed"
        ]
    );
    let stubborn = Server::acting(vec![Act::Say(400, Vec::new(), "temperature!".to_owned())]);
    assert!(asked(&llm(Provider::OpenAi, &stubborn)).is_err());
    assert_eq!(
        stubborn.received().len(),
        2,
        "asked once more and not for ever"
    );
}

#[test]
fn trouble_is_told_in_words_and_without_the_key() {
    let echo = format!("{{\"error\":{{\"message\":\"invalid key\\n {KEY}\"}}}}");
    let cut = json!({"content": [], "stop_reason": "max_tokens"}).to_string();
    let refusal = json!({"content": [], "stop_reason": "refusal"}).to_string();
    let leak = format!("Your key is {KEY}.");
    for (act, words) in [
        (
            Act::Say(401, Vec::new(), echo),
            "URL/v1/messages: status 401: invalid key [redacted]; is the key in ANTHROPIC_API_KEY right?",
        ),
        (
            Act::status(404),
            "URL/v1/messages: status 404: 404; is there a model \"m-1\" at this address?",
        ),
        (
            Act::status(429).with("retry-after", "900"),
            "URL/v1/messages: status 429: 429; it asks to wait 900 s",
        ),
        (
            Act::Say(400, Vec::new(), leak),
            "URL/v1/messages: status 400: Your key is [redacted].",
        ),
        (
            Act::Say(418, Vec::new(), String::new()),
            "URL/v1/messages: status 418: it says nothing about it",
        ),
        (
            Act::ok(cut),
            "URL/v1/messages: the answer is too long and was cut off",
        ),
        (
            Act::ok(refusal),
            "URL/v1/messages: the model refuses to answer",
        ),
        (
            Act::ok("{\"content\": [{\"ty"),
            "URL/v1/messages: the answer is no JSON: EOF while parsing a string at line 1 column 17",
        ),
        (
            Act::ok("{\"choices\": []}"),
            "URL/v1/messages: the answer has no `content`: is this the Anthropic Messages API?",
        ),
    ] {
        let server = Server::acting(vec![act]);
        let error = asked(&llm(Provider::Anthropic, &server)).unwrap_err();
        assert_eq!(error.to_string().replace(&server.url, "URL"), words);
    }
    for (reply, words) in [
        (
            json!({"choices": [{"message": {"refusal": "No."}}]}),
            "the model refuses to answer: No.",
        ),
        (
            json!({"choices": [{"message": {}, "finish_reason": "length"}]}),
            "cut off",
        ),
        (
            json!({"choices": [{"message": {}, "finish_reason": "content_filter"}]}),
            "content filter",
        ),
        (json!({"content": []}), "are these chat completions?"),
    ] {
        let server = Server::acting(vec![Act::ok(reply.to_string())]);
        let error = asked(&llm(Provider::OpenAi, &server))
            .unwrap_err()
            .to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn an_answer_with_the_key_in_it_comes_without() {
    let server = Server::acting(vec![Act::ok(message(&format!("psst: {KEY}")))]);
    let answer = asked(&llm(Provider::Anthropic, &server)).unwrap();
    assert_eq!(answer.text, "psst: [redacted]");
}

#[test]
fn a_key_is_needed_but_for_servers_of_ones_own() {
    let ear = Ear::default();
    let open = |llm: &Llm, system: &SystemContext| {
        let options = LlmOptions::default();
        let models = Models::new(system, &options, &ear);
        models
            .open(llm, "t", &Vec::new)
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    let own = |url: Option<&str>, key_env: Option<&str>| Llm {
        url: url.map(str::to_owned),
        key_env: key_env.map(str::to_owned),
        ..testing::llm(Provider::OpenAi)
    };
    let missing = "there is no key for `provider: openai`: set OPENAI_API_KEY in the environment, or name another variable with `llm.keyEnv`";
    let named = "there is no key for `provider: openai`: set MINE in the environment";
    for (llm, wanted) in [
        (own(None, None), Err(missing)),
        (own(Some("https://llm.example/v1"), None), Err(missing)),
        (own(Some("http://localhost:1/v1"), None), Ok(())),
        (own(Some("http://localhost:1/v1"), Some("MINE")), Err(named)),
    ] {
        assert_eq!(
            open(&llm, &system(&[("OPENAI_API_KEY", " ")])),
            wanted.map_err(str::to_owned)
        );
    }
    let server = Server::acting(vec![Act::ok(completion("{}"))]);
    let llm = own(Some(&server.url), Some("MINE"));
    asked_in(
        &system(&[("MINE", "abc\n"), ("OPENAI_API_KEY", "no")]),
        &llm,
        &ear,
    )
    .unwrap();
    assert_eq!(
        server.received()[0].header("authorization"),
        Some("Bearer abc")
    );
}

#[test]
fn a_broken_connection_and_a_busy_server_are_tried_again() {
    let server = Server::acting(vec![
        Act::Raw(Vec::new()),
        Act::status(529).with("retry-after", "0"),
        Act::ok(message("{}")),
    ]);
    let answer = asked(&llm(Provider::Anthropic, &server)).unwrap();
    assert_eq!(answer.retries, 2);
}

#[test]
fn no_more_are_under_way_at_once_than_allowed() {
    static NOW: AtomicUsize = AtomicUsize::new(0);
    static MOST: AtomicUsize = AtomicUsize::new(0);
    let server = Server::new(|_, _| {
        MOST.fetch_max(NOW.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        thread::sleep(Duration::from_millis(10));
        NOW.fetch_sub(1, Ordering::SeqCst);
        Act::ok(completion("{}"))
    });
    let llm = Llm {
        concurrency: Some(3),
        ..llm(Provider::OpenAi, &server)
    };
    let (system, options, ear) = (system(&[]), LlmOptions::default(), Ear::default());
    let models = Models::new(&system, &options, &ear);
    thread::scope(|scope| {
        for test in 0..8 {
            let (models, llm) = (&models, &llm);
            scope.spawn(move || {
                for _ in 0..5 {
                    let model = models.open(llm, &test.to_string(), &Vec::new).unwrap();
                    patient(|patience| model.ask(&question(), patience)).unwrap();
                }
            });
        }
    });
    assert_eq!(server.received().len(), 40);
    assert_eq!(MOST.load(Ordering::SeqCst), 3);
}

#[test]
fn no_more_are_begun_in_a_minute_than_allowed() {
    let server = Server::acting(vec![Act::ok(completion("{}"))]);
    let llm = Llm {
        requests_per_minute: Some(4),
        ..llm(Provider::OpenAi, &server)
    };
    let (system, options, ear) = (system(&[]), LlmOptions::default(), Ear::default());
    let models = Models::new(&system, &options, &ear);
    let stop = StopToken::new().unwrap();
    let ask = |deadline| {
        let patience = Cancellation {
            stop: &stop,
            deadline,
        };
        let model = models.open(&llm, "t", &Vec::new).unwrap();
        model.ask(&question(), patience).map(|_| ())
    };
    for _ in 0..4 {
        assert_eq!(ask(None), Ok(()));
    }
    for _ in 0..2 {
        let soon = (system.instant)() + Duration::from_millis(100);
        assert_eq!(ask(Some(soon)), Err(ModelError::OutOfTime));
    }
    assert_eq!(server.received().len(), 4);
    stop.request();
    let begun: Instant = (system.instant)();
    assert_eq!(ask(None), Err(ModelError::Interrupted));
    assert!((system.instant)() - begun < Duration::from_secs(10));
}
