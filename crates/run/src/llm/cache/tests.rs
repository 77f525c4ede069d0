use casebook_suite::model::conversation::Provider;
use tempfile::TempDir;

use crate::http::testing::{Server, ServerAction};
use crate::llm::testing::{self, WarningCollector, request, without_deadline};
use crate::options::LlmOptions;
use crate::system::SystemContext;

use super::*;

const SECRET: &str = "s3cr3t-token";

struct Fixture {
    dir: TempDir,
    system: SystemContext,
    server: Server,
    llm: Llm,
}

impl Fixture {
    /// Starts a server whose responses all differ.
    fn new() -> Fixture {
        let server = Server::new(|number, _| {
            let text = format!("answer {number}, {SECRET}");
            ServerAction::ok(
                json!({
                    "content": [{"type": "text", "text": text}],
                    "usage": {"input_tokens": 3, "output_tokens": 4},
                })
                .to_string(),
            )
        });
        let dir = TempDir::new().unwrap();
        Fixture {
            system: SystemContext {
                dir: dir.path().to_owned(),
                ..testing::system()
            },
            dir,
            llm: Llm {
                url: Some(server.url.clone()),
                price: Some((1.0, 2.0)),
                ..testing::llm(Provider::Anthropic)
            },
            server,
        }
    }

    /// Sends these requests in a conversation with this key.
    fn send(
        &self,
        key: &str,
        cache_only: bool,
        all: &[ModelRequest],
    ) -> Vec<Result<ModelResponse, ModelError>> {
        let options = LlmOptions {
            cache: Some("kept".into()),
            cache_only,
            redact: vec!["ODD_*".to_owned()],
            processes: 0,
        };
        let sink = WarningCollector::default();
        let models = Models::new(&self.system, &options, &sink, None);
        let model = models.open(&self.llm, key, &variables).unwrap();
        let complete =
            |request| without_deadline(|cancellation| model.complete(request, cancellation));
        all.iter().map(complete).collect()
    }

    fn texts(&self, key: &str, cache_only: bool, all: &[ModelRequest]) -> Vec<String> {
        let responses = self.send(key, cache_only, all);
        responses
            .into_iter()
            .map(|response| response.unwrap().text)
            .collect()
    }

    fn files(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.dir.path().join("kept")).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    }
}

/// The environment of a test.
fn variables() -> Vec<(String, String)> {
    let variables = [("MY_TOKEN", SECRET), ("ODD_ONE", "likewise-hidden")];
    variables
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into()
}

fn other() -> ModelRequest {
    ModelRequest {
        system: format!("Something else about {SECRET}, likewise-hidden").into(),
        ..request()
    }
}

#[test]
fn every_conversation_and_every_repetition_has_its_own_cached_response() {
    let fixture = Fixture::new();
    let all = [request(), other(), request()];
    let first = fixture.texts("a~1", false, &all);
    let second = fixture.texts("a~2", false, &all);
    assert_eq!(first[2], "answer 2, [redacted]");
    assert_eq!(second[0], "answer 3, [redacted]");
    assert_eq!(fixture.files().len(), 6);
    for cache_only in [true, false] {
        assert_eq!(
            fixture.texts("a~2", cache_only, &all),
            second,
            "in any order"
        );
        assert_eq!(fixture.texts("a~1", cache_only, &all), first);
    }
    assert_eq!(
        fixture.server.received().len(),
        6,
        "no model was called again"
    );
}

#[test]
fn a_cached_response_equals_the_live_one() {
    let fixture = Fixture::new();
    let live = fixture.send("a", false, &[request()]).remove(0).unwrap();
    let cached = fixture.send("a", true, &[request()]).remove(0).unwrap();
    assert!(!live.cached && cached.cached);
    assert_eq!(live.latency.as_millis(), cached.latency.as_millis());
    let same = ModelResponse {
        cached: false,
        latency: live.latency,
        ..cached
    };
    assert_eq!(same, live);
}

#[test]
fn cached_responses_need_no_key() {
    let mut fixture = Fixture::new();
    fixture.texts("a", false, &[request()]);
    fixture.llm.key_env = Some("GONE".to_owned());
    assert_eq!(fixture.texts("a", true, &[request()]).len(), 1);
    let error = fixture
        .send("b", false, &[request()])
        .remove(0)
        .unwrap_err();
    assert!(error.to_string().contains("set GONE"), "{error}");
}

#[test]
fn a_cache_miss_names_the_call_and_calls_no_model() {
    let fixture = Fixture::new();
    fixture.texts("a~1", false, &[request()]);
    let user = ModelRequest {
        purpose: Purpose::User,
        turn: Some(1),
        ..request()
    };
    for (key, request, words) in [
        (
            "a~2",
            request(),
            "the verdict on `satisfies: friendly` in turn 2 of a~2",
        ),
        ("a~3", user, "the simulated user's message in turn 1 of a~3"),
        (
            "a~4",
            ModelRequest {
                purpose: Purpose::Topic(Vec::new()),
                turn: None,
                ..request()
            },
            "the topic at the end of a~4",
        ),
    ] {
        let error = fixture
            .send(key, true, &[request])
            .remove(0)
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with(&format!("no cached response for {words}, and ")),
            "{error}"
        );
    }
    let responses = fixture.send("a~1", true, &[request(), request()]);
    let error = responses[1].as_ref().unwrap_err().to_string();
    assert!(error.contains(", call 2 of a~1"), "{error}");
    assert_eq!(fixture.server.received().len(), 1);
}

#[test]
fn cache_files_are_readable_and_contain_no_secret() {
    let fixture = Fixture::new();
    fixture.texts("a", false, &[other()]);
    let text = fs::read_to_string(&fixture.files()[0]).unwrap();
    assert!(!text.contains(SECRET), "{text}");
    assert!(
        text.contains("Something else about [redacted], [redacted]"),
        "{text}"
    );
    let call: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(call["about"]["test"], "a");
    assert_eq!(
        call["about"]["for"],
        "the verdict on `satisfies: friendly` in turn 2"
    );
    assert_eq!(call["answer"]["tokens"], json!({"input": 3, "output": 4}));
}

#[test]
fn the_description_in_a_cache_file_contains_no_secret() {
    let fixture = Fixture::new();
    let request = ModelRequest {
        purpose: Purpose::Verdict {
            check: "claims",
            criterion: format!("that it is {SECRET}"),
            id: "claims".to_owned(),
        },
        ..request()
    };
    fixture.texts("a", false, &[request]);
    let text = fs::read_to_string(&fixture.files()[0]).unwrap();
    assert!(!text.contains(SECRET), "{text}");
    assert!(text.contains("`claims: that it is [redacted]`"), "{text}");
}

#[test]
fn an_invalid_cache_file_is_named() {
    let fixture = Fixture::new();
    fixture.texts("a", false, &[request()]);
    let file = &fixture.files()[0];
    let complete_text = fs::read_to_string(file).unwrap();
    for contents in [
        "",
        "{}",
        &complete_text[..complete_text.len() / 2],
        &complete_text.replace("\"version\": 1", "\"version\": 9"),
    ] {
        fs::write(file, contents).unwrap();
        for cache_only in [true, false] {
            let error = fixture
                .send("a", cache_only, &[request()])
                .remove(0)
                .unwrap_err()
                .to_string();
            assert!(
                error.starts_with(&format!("invalid cache file {}: ", file.display())),
                "{error}"
            );
        }
    }
    assert_eq!(fixture.server.received().len(), 1);
}

#[test]
fn a_cache_directory_that_cannot_be_written_is_reported() {
    let fixture = Fixture::new();
    fs::write(fixture.dir.path().join("kept"), "a file").unwrap();
    let error = fixture
        .send("a", false, &[request()])
        .remove(0)
        .unwrap_err()
        .to_string();
    assert!(error.contains("kept/"), "{error}");
}
