use casebook_suite::model::conversation::Provider;
use tempfile::TempDir;

use crate::http::testing::{Act, Server};
use crate::llm::testing::{self, Ear, patient, question};
use crate::options::LlmOptions;
use crate::system::SystemContext;

use super::*;

const SECRET: &str = "s3cr3t-token";

struct Scene {
    folder: TempDir,
    system: SystemContext,
    server: Server,
    llm: Llm,
}

impl Scene {
    /// A server that says something else each time.
    fn new() -> Scene {
        let server = Server::new(|number, _| {
            let text = format!("answer {number}, {SECRET}");
            Act::ok(
                json!({
                    "content": [{"type": "text", "text": text}],
                    "usage": {"input_tokens": 3, "output_tokens": 4},
                })
                .to_string(),
            )
        });
        let folder = TempDir::new().unwrap();
        Scene {
            system: SystemContext {
                folder: folder.path().to_owned(),
                ..testing::system()
            },
            folder,
            llm: Llm {
                url: Some(server.url.clone()),
                price: Some((1.0, 2.0)),
                ..testing::llm(Provider::Anthropic)
            },
            server,
        }
    }

    /// Asks these questions in a conversation of their own.
    fn asked(
        &self,
        key: &str,
        only: bool,
        all: &[ModelRequest],
    ) -> Vec<Result<ModelResponse, ModelError>> {
        let options = LlmOptions {
            cache: Some("kept".into()),
            cache_only: only,
            redact: vec!["ODD_*".to_owned()],
            processes: 0,
        };
        let ear = Ear::default();
        let models = Models::new(&self.system, &options, &ear);
        let model = models.open(&self.llm, key, &variables).unwrap();
        let ask = |question| patient(|patience| model.ask(question, patience));
        all.iter().map(ask).collect()
    }

    fn texts(&self, key: &str, only: bool, all: &[ModelRequest]) -> Vec<String> {
        let answers = self.asked(key, only, all);
        answers
            .into_iter()
            .map(|answer| answer.unwrap().text)
            .collect()
    }

    fn files(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.folder.path().join("kept")).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    }
}

/// Those of a test.
fn variables() -> Vec<(String, String)> {
    let variables = [("MY_TOKEN", SECRET), ("ODD_ONE", "likewise-hidden")];
    variables
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into()
}

fn other() -> ModelRequest {
    ModelRequest {
        system: format!("Something else about {SECRET}, likewise-hidden").into(),
        ..question()
    }
}

#[test]
fn every_conversation_and_every_time_has_its_own_answer_and_keeps_it() {
    let scene = Scene::new();
    let all = [question(), other(), question()];
    let first = scene.texts("a~1", false, &all);
    let second = scene.texts("a~2", false, &all);
    assert_eq!(first[2], "answer 2, [redacted]");
    assert_eq!(second[0], "answer 3, [redacted]");
    assert_eq!(scene.files().len(), 6);
    for only in [true, false] {
        assert_eq!(scene.texts("a~2", only, &all), second, "in any order");
        assert_eq!(scene.texts("a~1", only, &all), first);
    }
    assert_eq!(scene.server.received().len(), 6, "nobody was asked again");
}

#[test]
fn an_answer_comes_back_as_it_was() {
    let scene = Scene::new();
    let live = scene.asked("a", false, &[question()]).remove(0).unwrap();
    let kept = scene.asked("a", true, &[question()]).remove(0).unwrap();
    assert!(!live.cached && kept.cached);
    assert_eq!(live.latency.as_millis(), kept.latency.as_millis());
    let same = ModelResponse {
        cached: false,
        latency: live.latency,
        ..kept
    };
    assert_eq!(same, live);
}

#[test]
fn no_key_is_needed_for_answers_that_are_kept() {
    let mut scene = Scene::new();
    scene.texts("a", false, &[question()]);
    scene.llm.key_env = Some("GONE".to_owned());
    assert_eq!(scene.texts("a", true, &[question()]).len(), 1);
    let error = scene
        .asked("b", false, &[question()])
        .remove(0)
        .unwrap_err();
    assert!(error.to_string().contains("set GONE"), "{error}");
}

#[test]
fn a_miss_names_the_call_and_asks_nobody() {
    let scene = Scene::new();
    scene.texts("a~1", false, &[question()]);
    let user = ModelRequest {
        purpose: Purpose::User,
        turn: Some(1),
        ..question()
    };
    for (key, question, words) in [
        (
            "a~2",
            question(),
            "the verdict on `satisfies: friendly` in turn 2 of a~2",
        ),
        ("a~3", user, "what the simulated user says in turn 1 of a~3"),
        (
            "a~4",
            ModelRequest {
                purpose: Purpose::Topic(Vec::new()),
                turn: None,
                ..question()
            },
            "the topic at the end of a~4",
        ),
    ] {
        let error = scene
            .asked(key, true, &[question])
            .remove(0)
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with(&format!("there is no recorded answer for {words}, and ")),
            "{error}"
        );
    }
    let twice = scene.asked("a~1", true, &[question(), question()]);
    let error = twice[1].as_ref().unwrap_err().to_string();
    assert!(error.contains("call 2 of its kind"), "{error}");
    assert_eq!(scene.server.received().len(), 1);
}

#[test]
fn files_are_readable_and_hold_no_secret() {
    let scene = Scene::new();
    scene.texts("a", false, &[other()]);
    let text = fs::read_to_string(&scene.files()[0]).unwrap();
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
fn what_a_file_says_about_its_call_holds_no_secret_either() {
    let scene = Scene::new();
    let question = ModelRequest {
        purpose: Purpose::Verdict {
            check: "claims",
            criterion: format!("that it is {SECRET}"),
            id: "claims".to_owned(),
        },
        ..question()
    };
    scene.texts("a", false, &[question]);
    let text = fs::read_to_string(&scene.files()[0]).unwrap();
    assert!(!text.contains(SECRET), "{text}");
    assert!(text.contains("`claims: that it is [redacted]`"), "{text}");
}

#[test]
fn a_damaged_file_is_named() {
    let scene = Scene::new();
    scene.texts("a", false, &[question()]);
    let file = &scene.files()[0];
    let whole = fs::read_to_string(file).unwrap();
    for wrong in [
        "",
        "{}",
        &whole[..whole.len() / 2],
        &whole.replace("\"version\": 1", "\"version\": 9"),
    ] {
        fs::write(file, wrong).unwrap();
        for only in [true, false] {
            let error = scene
                .asked("a", only, &[question()])
                .remove(0)
                .unwrap_err()
                .to_string();
            assert!(
                error.starts_with(&format!("{} is no recorded answer: ", file.display())),
                "{error}"
            );
        }
    }
    assert_eq!(scene.server.received().len(), 1);
}

#[test]
fn a_folder_that_cannot_be_written_is_told() {
    let scene = Scene::new();
    fs::write(scene.folder.path().join("kept"), "a file").unwrap();
    let error = scene
        .asked("a", false, &[question()])
        .remove(0)
        .unwrap_err()
        .to_string();
    assert!(error.contains("kept/"), "{error}");
}
