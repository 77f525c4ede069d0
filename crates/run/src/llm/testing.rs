//! Test helpers of this module: a stub model, a conversation and a transcript.

pub(crate) mod responses;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use casebook_record::event::ToolCall;
use casebook_record::{Clock, Time};
use casebook_source::Span;
use casebook_suite::model::conversation::{
    Agent, Criterion, Judge, Llm, Sample, ScriptedResponses, User,
};
use casebook_suite::model::{Conversation, Script, conversation::Provider};
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::event_sink::EventSink;
use crate::stop::StopToken;
use crate::system::SystemContext;
use crate::transcript::{ConversationTurn, Reply, Transcript};

use super::{Message, Model, ModelError, ModelRequest, ModelResponse, Purpose, Role, VerdictQuery};
use crate::stop::Cancellation;

/// Responds with these texts in order and keeps the requests.
#[derive(Default)]
pub(super) struct StubModel {
    texts: Mutex<VecDeque<String>>,
    pub(super) requests: Mutex<Vec<ModelRequest>>,
}

impl StubModel {
    pub(super) fn new(texts: &[&str]) -> StubModel {
        StubModel {
            texts: Mutex::new(texts.iter().map(|&text| text.to_owned()).collect()),
            requests: Mutex::default(),
        }
    }

    /// The text of the last message of the last request.
    pub(super) fn last_prompt(&self) -> String {
        let requests = self.requests.lock();
        requests
            .last()
            .unwrap()
            .messages
            .last()
            .unwrap()
            .text
            .clone()
    }
}

impl Model for StubModel {
    fn complete(
        &self,
        request: &ModelRequest,
        _: Cancellation<'_>,
    ) -> Result<ModelResponse, ModelError> {
        self.requests.lock().push(request.clone());
        let text = self.texts.lock().pop_front();
        Ok(ModelResponse {
            text: text.ok_or_else(|| ModelError::Failed("no response left".to_owned()))?,
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

    fn name(&self) -> (&str, &str) {
        ("parrot", "grey")
    }
}

/// Runs `work` with no deadline and no stop request.
pub(crate) fn without_deadline<T>(work: impl FnOnce(Cancellation<'_>) -> T) -> T {
    let stop = StopToken::new().unwrap();
    work(Cancellation {
        stop: &stop,
        deadline: None,
    })
}

/// The `llm` field of a suite.
pub(super) fn llm(provider: Provider) -> Llm {
    Llm {
        provider,
        model: "m-1".to_owned(),
        url: None,
        key_env: None,
        headers: Vec::new(),
        temperature: None,
        max_tokens: None,
        timeout: None,
        concurrency: None,
        requests_per_minute: None,
        price: None,
        span: Span::default(),
    }
}

/// A conversation with one criterion, `friendly`, that has examples.
pub(super) fn conversation() -> Conversation {
    let sample = |text: &str, passes, edge, why: Option<&str>| Sample {
        text: text.to_owned(),
        passes,
        edge,
        why: why.map(str::to_owned),
    };
    Conversation {
        agent: Arc::new(Agent::Command(Script {
            text: "./agent".to_owned(),
            span: Span::default(),
        })),
        judges: vec![llm(Provider::Scripted(ScriptedResponses::default()))].into(),
        user_model: None,
        judge: Judge::default(),
        criteria: vec![Criterion {
            name: "friendly".to_owned(),
            description: "The reply is friendly".to_owned(),
            examples: vec![
                sample("Welcome!", true, false, Some("it greets")),
                sample("What.", false, false, None),
                sample("Hm, hello.", true, true, Some("a greeting all the same")),
            ],
            scale: None,
        }]
        .into(),
        topics: Arc::default(),
        history: Vec::new(),
        user: User::Scripted(Vec::new()),
        expectations: Vec::new(),
        scenario: None,
        trials: casebook_suite::model::conversation::Trials::ONE,
    }
}

/// Two turns, each with a tool call.
pub(super) fn transcript(last: &str) -> Transcript {
    let turn = |user: &str, text: &str, tool: &str, result: Value| ConversationTurn {
        files: Vec::new(),
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
            turn("Hi", "Hello there", "greet", json!("waved")),
            turn("The price?", last, "catalogue", json!({"eur": 500})),
        ],
        ..Transcript::default()
    }
}

/// An empty environment with a real clock.
#[expect(clippy::disallowed_methods, reason = "a test uses the real clock")]
pub(crate) fn system() -> SystemContext {
    SystemContext {
        environment: Vec::new(),
        dir: "/".into(),
        temporary: "/".into(),
        clock: Clock::fixed(Time::from_millis(1_800_000_000_000)),
        instant: std::time::Instant::now,
    }
}

/// Collects warnings and discards everything else.
#[derive(Default)]
pub(super) struct WarningCollector {
    pub(super) warnings: Mutex<Vec<String>>,
}

impl EventSink for WarningCollector {
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

/// A request with a schema.
pub(super) fn request() -> ModelRequest {
    ModelRequest {
        purpose: Purpose::Verdicts(vec![VerdictQuery {
            check: "satisfies",
            criterion: "friendly".to_owned(),
            id: "friendly".to_owned(),
            scale: None,
        }]),
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
