//! What the tests of this module have in common: a model that says what it is told to, and a conversation.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use casebook_record::Time;
use casebook_record::event::ToolCall;
use casebook_source::Span;
use casebook_suite::model::conversation::{
    Agent, Criterion, Endpoint, Judge, Llm, Sample, ScriptedResponses, User,
};
use casebook_suite::model::{Conversation, conversation::Provider};
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::event_sink::EventSink;
use crate::stop::StopToken;
use crate::system::SystemContext;
use crate::transcript::{ConversationTurn, Reply, Transcript};

use super::{Message, Model, ModelError, ModelRequest, ModelResponse, Purpose, Role};
use crate::stop::Cancellation;

/// Says these texts in order and remembers what it was asked.
#[derive(Default)]
pub(super) struct Parrot {
    texts: Mutex<VecDeque<String>>,
    pub(super) asked: Mutex<Vec<ModelRequest>>,
}

impl Parrot {
    pub(super) fn new(texts: &[&str]) -> Parrot {
        Parrot {
            texts: Mutex::new(texts.iter().map(|&text| text.to_owned()).collect()),
            asked: Mutex::default(),
        }
    }

    /// The text of the message it was asked last.
    pub(super) fn heard(&self) -> String {
        let asked = self.asked.lock();
        asked.last().unwrap().messages.last().unwrap().text.clone()
    }
}

impl Model for Parrot {
    fn ask(
        &self,
        question: &ModelRequest,
        _: Cancellation<'_>,
    ) -> Result<ModelResponse, ModelError> {
        self.asked.lock().push(question.clone());
        let text = self.texts.lock().pop_front();
        Ok(ModelResponse {
            text: text.ok_or_else(|| ModelError::Failed("nothing left to say".to_owned()))?,
            provider: "parrot".to_owned(),
            model: "grey".to_owned(),
            tokens: None,
            cost: None,
            latency: Duration::ZERO,
            retries: 0,
            cached: false,
            without: Vec::new(),
        })
    }
}

/// As long as it takes.
pub(crate) fn patient<T>(work: impl FnOnce(Cancellation<'_>) -> T) -> T {
    let stop = StopToken::new().unwrap();
    work(Cancellation {
        stop: &stop,
        deadline: None,
    })
}

/// A model in a suite.
pub(super) fn llm(provider: Provider) -> Llm {
    Llm {
        provider,
        model: "m-1".to_owned(),
        url: None,
        key_env: None,
        timeout: None,
        concurrency: None,
        requests_per_minute: None,
        price: None,
        span: Span::default(),
    }
}

/// A conversation with one criterion, `friendly`, that has samples.
pub(super) fn conversation() -> Conversation {
    let sample = |text: &str, passes, edge, why: Option<&str>| Sample {
        text: text.to_owned(),
        passes,
        edge,
        why: why.map(str::to_owned),
    };
    Conversation {
        agent: Arc::new(Agent::OpenAi {
            endpoint: Endpoint {
                url: "http://localhost:1/v1".to_owned(),
                headers: Vec::new(),
                timeout: None,
                span: Span::default(),
            },
            model: "agent-1".to_owned(),
            system: None,
        }),
        llm: Some(llm(Provider::Scripted(ScriptedResponses::default())).into()),
        judge: Judge {
            votes: 1,
            itself: false,
        },
        criteria: vec![Criterion {
            name: "friendly".to_owned(),
            description: "The reply is friendly".to_owned(),
            examples: vec![
                sample("Welcome!", true, false, Some("it greets")),
                sample("What.", false, false, None),
                sample("Hm, hello.", true, true, Some("a greeting all the same")),
            ],
        }]
        .into(),
        topics: Arc::default(),
        user: User::Scripted(Vec::new()),
        expectations: Vec::new(),
        scenario: None,
        trials: 1,
    }
}

/// Two exchanges, each with a call.
pub(super) fn transcript(last: &str) -> Transcript {
    let exchange = |user: &str, text: &str, tool: &str, result: Value| ConversationTurn {
        user: user.to_owned(),
        reply: Some(Reply {
            text: text.to_owned(),
            calls: vec![ToolCall {
                name: tool.to_owned(),
                arguments: json!({"room": "Blue"}).into(),
                result: Some(result.into()),
                error: None,
                metadata: casebook_record::Metadata::default(),
            }],
            ..Reply::default()
        }),
        topic: None,
    };
    Transcript {
        turns: vec![
            exchange("Hi", "Hello there", "greet", json!("waved")),
            exchange("The price?", last, "catalogue", json!({"eur": 500})),
        ],
        topics: Vec::new(),
    }
}

/// A world with nothing in it.
#[expect(
    clippy::disallowed_methods,
    reason = "a test has the real clock, as the binary has"
)]
pub(crate) fn system() -> SystemContext {
    SystemContext {
        environment: Vec::new(),
        folder: "/".into(),
        temporary: "/".into(),
        now: || Time::from_millis(1_800_000_000_000),
        instant: std::time::Instant::now,
    }
}

/// Hears what people are told.
#[derive(Default)]
pub(super) struct Ear {
    pub(super) warnings: Mutex<Vec<String>>,
}

impl EventSink for Ear {
    fn publish(&self, _: casebook_record::Event) {}

    fn wants_full_output(&self) -> bool {
        false
    }

    fn save_output(&self, _: &str, _: &[(&str, &[u8])]) -> Option<String> {
        None
    }

    fn warn(&self, message: &str) {
        self.warnings.lock().push(message.to_owned());
    }

    fn register_secrets(&self, _: &[(String, String)]) {}
}

/// A question with a schema.
pub(super) fn question() -> ModelRequest {
    ModelRequest {
        purpose: Purpose::Verdict {
            check: "satisfies",
            criterion: "friendly".to_owned(),
            id: "friendly".to_owned(),
        },
        turn: Some(2),
        system: "Judge.".into(),
        messages: vec![Message {
            role: Role::User,
            text: "Is it?".to_owned(),
        }],
        temperature: 0.0,
        max_tokens: 99,
    }
}
