use casebook_suite::model::conversation::Provider;
use tempfile::TempDir;

use crate::http::testing::{Server, ServerAction};
use crate::llm::VerdictQuery;
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

    /// Sends these requests in a trial.
    fn send(
        &self,
        trial: u32,
        cache_only: bool,
        all: &[ModelRequest],
    ) -> Vec<Result<ModelResponse, ModelError>> {
        let options = LlmOptions {
            cache: Some("kept".into()),
            cache_only,
            redact: vec!["ODD_*".to_owned()],
            ..LlmOptions::default()
        };
        let sink = WarningCollector::default();
        let models = Models::new(&self.system, &options, &sink, None);
        let model = models.open(&self.llm, &key(trial), &variables);
        let complete =
            |request| without_deadline(|cancellation| model.complete(request, cancellation));
        all.iter().map(complete).collect()
    }

    fn texts(&self, trial: u32, cache_only: bool, all: &[ModelRequest]) -> Vec<String> {
        let responses = self.send(trial, cache_only, all);
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

fn key(trial: u32) -> ConversationKey {
    ConversationKey {
        test: format!("talk.yaml: greets {trial}"),
        trial,
        attempt: 1,
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
    let first = fixture.texts(1, false, &all);
    let second = fixture.texts(2, false, &all);
    assert_eq!(first[2], "answer 2, [redacted]");
    assert_eq!(second[0], "answer 3, [redacted]");
    assert_eq!(fixture.files().len(), 6);
    for cache_only in [true, false] {
        assert_eq!(fixture.texts(2, cache_only, &all), second, "in any order");
        assert_eq!(fixture.texts(1, cache_only, &all), first);
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
    let live = fixture.send(1, false, &[request()]).remove(0).unwrap();
    let cached = fixture.send(1, true, &[request()]).remove(0).unwrap();
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
    fixture.texts(1, false, &[request()]);
    fixture.llm.key_env = Some("GONE".to_owned());
    assert_eq!(fixture.texts(1, true, &[request()]).len(), 1);
    let error = fixture.send(2, false, &[request()]).remove(0).unwrap_err();
    assert!(error.to_string().contains("set GONE"), "{error}");
}

#[test]
fn a_renamed_test_keeps_its_responses_and_equal_requests_share_one() {
    let fixture = Fixture::new();
    let options = LlmOptions {
        cache: Some("kept".into()),
        ..LlmOptions::default()
    };
    let sink = WarningCollector::default();
    let models = Models::new(&fixture.system, &options, &sink, None);
    let send = |test: &str| {
        let key = ConversationKey {
            test: test.to_owned(),
            ..key(1)
        };
        let model = models.open(&fixture.llm, &key, &Vec::new);
        without_deadline(|cancellation| model.complete(&request(), cancellation)).unwrap()
    };
    let first = send("greets");
    let renamed = send("welcomes");
    assert_eq!((renamed.text, renamed.cached), (first.text, true));
    assert_eq!(fixture.server.received().len(), 1);
}

#[test]
fn the_first_response_to_concurrent_equal_requests_counts() {
    let fixture = Fixture::new();
    let first = fixture.texts(1, false, &[request()]);
    let options = LlmOptions {
        cache: Some("kept".into()),
        ..LlmOptions::default()
    };
    let sink = WarningCollector::default();
    let models = Models::new(&fixture.system, &options, &sink, None);
    let model = CachingModel {
        models: &models,
        cache: models.cache.as_ref().unwrap(),
        llm: fixture.llm.clone(),
        key_to_redact: None,
        redactor: Redactor::default(),
        api: &crate::llm::anthropic::Anthropic,
        key: key(1),
        occurrences: Mutex::default(),
        live: OnceLock::new(),
    };
    let late = without_deadline(|cancellation| {
        let live = models.live(&fixture.llm, model.api);
        live.complete(&request(), cancellation).unwrap()
    });
    assert_ne!(late.text, first[0]);
    let path = model.path(&request(), 1);
    let saved = model.save(&path, &request(), 1, late).unwrap();
    assert_eq!(saved.text, first[0], "a later run gets the same response");
}

#[test]
fn a_cache_miss_names_the_call_and_calls_no_model() {
    let fixture = Fixture::new();
    fixture.texts(1, false, &[request()]);
    let user = ModelRequest {
        purpose: Purpose::User,
        turn: Some(1),
        ..request()
    };
    let topic = ModelRequest {
        purpose: Purpose::Topic(Vec::new()),
        turn: None,
        ..request()
    };
    for (trial, request, words) in [
        (
            2,
            request(),
            "the judge's verdict on `satisfies: friendly` in turn 2 of talk.yaml: greets 2",
        ),
        (
            3,
            user,
            "the simulated user's message in turn 1 of talk.yaml: greets 3",
        ),
        (
            4,
            topic,
            "the judge's choice of the topic at the end of talk.yaml: greets 4",
        ),
    ] {
        let error = fixture
            .send(trial, true, &[request])
            .remove(0)
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with(&format!("no cached response for {words}, and ")),
            "{error}"
        );
    }
    let responses = fixture.send(1, true, &[request(), request()]);
    let error = responses[1].as_ref().unwrap_err().to_string();
    assert!(error.contains(", call 2 of talk.yaml: greets 1"), "{error}");
    assert_eq!(fixture.server.received().len(), 1);
}

#[test]
fn a_cache_miss_shows_the_closest_recording_and_the_differences() {
    let fixture = Fixture::new();
    let mut far = request();
    far.messages[0].text = "Something quite different, and much longer".to_owned();
    fixture.texts(1, false, &[request(), far]);
    let mut near = request();
    near.messages[0].text = "Is it not?".to_owned();
    near.max_tokens = 100;
    let error = fixture.send(1, true, &[near]).remove(0).unwrap_err();
    let error = error.to_string();
    let (_, closest) = error.split_once("\nthe closest recording is ").unwrap();
    let (_, closest) = closest.split_once(".json: ").unwrap();
    assert_eq!(
        closest,
        "the judge's verdict on `satisfies: friendly` in turn 2 of talk.yaml: greets 1; it differs in:\n  \
         maximum tokens: recorded 99, now 100\n  \
         messages: recorded …er\",\"content\":\"Is it?\"}], now …er\",\"content\":\"Is it not?\"}]"
    );
    let other_trial = fixture.send(2, true, &[request()]).remove(0).unwrap_err();
    let other_trial = other_trial.to_string();
    assert!(
        other_trial.ends_with("it differs in:\n  trial: recorded 1, now 2"),
        "{other_trial}"
    );
}

#[test]
fn recordings_of_an_earlier_version_are_named() {
    let fixture = Fixture::new();
    let kept = fixture.dir.path().join("kept");
    fs::create_dir(&kept).unwrap();
    fs::write(
        kept.join("old.json"),
        r#"{"version":1,"about":{"test":"a"}}"#,
    )
    .unwrap();
    let note = "1 file in ";
    let error = fixture.send(1, true, &[request()]).remove(0).unwrap_err();
    assert!(error.to_string().contains(note), "{error}");
    let cache = Cache {
        dir: kept,
        name: "kept".into(),
        only: false,
        explained: AtomicU32::new(0),
    };
    assert_eq!(
        old_recordings_note(&cache).unwrap(),
        "1 file in kept is from an earlier version of Casebook and is not used, because its requests were different; \
         record the responses again, then delete it"
    );
}

#[test]
fn cache_files_are_readable_and_contain_no_secret() {
    let fixture = Fixture::new();
    fixture.texts(1, false, &[other()]);
    let text = fs::read_to_string(&fixture.files()[0]).unwrap();
    assert!(!text.contains(SECRET), "{text}");
    assert!(
        text.contains("Something else about [redacted], [redacted]"),
        "{text}"
    );
    let call: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(call["about"]["test"], "talk.yaml: greets 1");
    assert_eq!(
        call["about"]["for"],
        "the judge's verdict on `satisfies: friendly` in turn 2"
    );
    assert_eq!(call["answer"]["tokens"], json!({"input": 3, "output": 4}));
}

#[test]
fn the_description_in_a_cache_file_contains_no_secret() {
    let fixture = Fixture::new();
    let request = ModelRequest {
        purpose: Purpose::Verdicts(vec![VerdictQuery {
            check: "claims",
            criterion: format!("that it is {SECRET}"),
            id: "claims".to_owned(),
            scale: None,
        }]),
        ..request()
    };
    fixture.texts(1, false, &[request]);
    let text = fs::read_to_string(&fixture.files()[0]).unwrap();
    assert!(!text.contains(SECRET), "{text}");
    assert!(text.contains("`claims: that it is [redacted]`"), "{text}");
}

#[test]
fn an_invalid_cache_file_is_named() {
    let fixture = Fixture::new();
    fixture.texts(1, false, &[request()]);
    let file = &fixture.files()[0];
    let complete_text = fs::read_to_string(file).unwrap();
    for contents in [
        "",
        "{}",
        &complete_text[..complete_text.len() / 2],
        &complete_text.replace("\"version\": 2", "\"version\": 9"),
    ] {
        fs::write(file, contents).unwrap();
        for cache_only in [true, false] {
            let error = fixture
                .send(1, cache_only, &[request()])
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
        .send(1, false, &[request()])
        .remove(0)
        .unwrap_err()
        .to_string();
    assert!(error.contains("kept/"), "{error}");
}
