//! One conversation, from the first word to the last.

use std::cell::OnceCell;
use std::convert::identity;
use std::io;

use casebook_record::Metadata;
use casebook_suite::model::conversation::{Conversation, ConversationCheck, Expectation, User};
use serde::Serialize;
use serde_json::{Map, Value};

use super::agent::{self, Agent, AgentError, AgentExit, ChatRequest};
use super::context::{ConversationContext, HookScope};
use super::end::{EndReason, SessionEnd};
use super::events::ConversationEvents;
use super::expectations::CheckSubject;
use super::secret;
use super::usage::{ConversationUsage, UsageTrace};
use crate::attempt::{AttemptResult, ConversationResult, Failure};
use crate::emitter::{EventEmitter, seconds};
use crate::llm::{Model, ModelCall, ModelError};
use crate::stop::Cancellation;
use crate::transcript::{ConversationTurn, Transcript};

/// A conversation while it is held.
pub(super) struct Session<'a> {
    pub(super) services: ConversationContext<'a>,
    pub(super) conversation: &'a Conversation,
    pub(super) voice: ConversationEvents<'a>,
    pub(super) transcript: Transcript,
    pub(super) spent: ConversationUsage,
    /// The first demand that was not met and must be.
    pub(super) failure: Option<Failure>,
    pub(super) asked: ExtraModelCalls,
    /// Which test it is, for agents and commands.
    pub(super) context: Context<'a>,
    agent: Option<Box<dyn Agent + 'a>>,
    model: OnceCell<Result<Box<dyn Model + 'a>, ModelError>>,
    /// Tells it from all others.
    key: String,
}

/// What the judge and the simulated user were asked besides what other events tell of.
#[derive(Default, Serialize)]
pub(super) struct ExtraModelCalls {
    #[serde(rename = "simulator_calls", skip_serializing_if = "Vec::is_empty")]
    pub(super) simulator: Vec<ModelCall>,
    #[serde(rename = "stop_calls", skip_serializing_if = "Vec::is_empty")]
    pub(super) stop: Vec<ModelCall>,
    #[serde(rename = "topic_calls", skip_serializing_if = "Vec::is_empty")]
    pub(super) topic: Vec<ModelCall>,
}

/// What the record says of a conversation in the end.
#[derive(Serialize)]
struct ConversationRecord<'a> {
    conversation: RecordedEnd,
    tracing: UsageTrace,
    #[serde(flatten)]
    asked: &'a ExtraModelCalls,
    /// What is known of an agent that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<&'a Map<String, Value>>,
}

#[derive(Serialize)]
struct RecordedEnd {
    end: &'static str,
    turns: usize,
}

/// Holds the conversation of a test. `number` is that of the attempt.
pub(crate) fn run(
    services: ConversationContext<'_>,
    conversation: &Conversation,
    number: u32,
    emitter: &EventEmitter<'_>,
) -> io::Result<AttemptResult> {
    let site = services.site;
    let planned = site.planned;
    secret::learn_exports(site, emitter.sink());
    let talk = Session {
        services,
        conversation,
        voice: ConversationEvents {
            emitter,
            example_id: &planned.id,
        },
        transcript: Transcript::default(),
        spent: ConversationUsage::default(),
        failure: None,
        asked: ExtraModelCalls::default(),
        context: context(site, conversation),
        agent: None,
        model: OnceCell::new(),
        key: match number {
            1 => planned.stable_id.clone(),
            number => format!("{} attempt {number}", planned.stable_id),
        },
    };
    talk.run()
}

/// Which test it is.
#[derive(Serialize)]
pub(super) struct Context<'a> {
    test: &'a str,
    file: &'a str,
    line: usize,
    tags: &'a [String],
    scenario: Option<&'a Map<String, Value>>,
}

fn context<'a>(site: &HookScope<'a>, conversation: &'a Conversation) -> Context<'a> {
    Context {
        test: &site.test.name,
        file: site.planned.suite.name(),
        line: site.planned.line(),
        tags: &site.test.tags,
        scenario: conversation.scenario.as_ref(),
    }
}

impl<'a> Session<'a> {
    fn run(mut self) -> io::Result<AttemptResult> {
        let mut over = self
            .run_turns()
            .map_or_else(identity, SessionEnd::completed);
        let remains = match self.agent.take() {
            Some(agent) => agent.shut_down(!over.reason.is_complete())?,
            None => AgentExit::default(),
        };
        if let Some(problem) = &remains.problem
            && over.reason.is_complete()
        {
            over = SessionEnd::failed(
                EndReason::AgentError,
                "Casebook::AgentFailed",
                problem.clone(),
            );
        }
        if let User::Simulated(_) = self.conversation.user {
            let turns = self.transcript.turns.len();
            self.voice.simulation_ended(turns, over.reason);
        }
        if over.reason.is_complete() && over.failure.is_none() && !self.stopped_on_failure() {
            over = self.check_end().err().unwrap_or(over);
        }
        Ok(self.attempt(over, &remains))
    }

    /// Says all there is to say.
    fn run_turns(&mut self) -> Result<EndReason, SessionEnd> {
        if let User::Simulated(simulation) = &self.conversation.user {
            self.voice.simulation_started(simulation);
        }
        let agent = agent::open(&self.conversation.agent, self.services);
        self.agent = Some(agent.map_err(|error| {
            let message = format!("the agent cannot be started: {error}");
            SessionEnd::failed(EndReason::AgentError, "Casebook::AgentFailed", message)
        })?);
        if let Some(first) = self.conversation.topics.first() {
            self.voice.moved(1, None, &first.name, None);
            self.transcript.topics.push(first.name.clone());
        }
        match &self.conversation.user {
            User::Scripted(turns) => self.script(turns),
            User::Simulated(simulation) => self.simulate(simulation),
        }
    }

    /// The user says something, the agent answers, and the conversation moves on; its place.
    pub(super) fn exchange(
        &mut self,
        text: &str,
        call: Option<ModelCall>,
    ) -> Result<usize, SessionEnd> {
        let place = self.transcript.turns.len();
        let turn = place as u64 + 1;
        self.voice.user(turn, text, call);
        self.transcript.turns.push(ConversationTurn {
            user: text.to_owned(),
            reply: None,
            topic: self.transcript.topics.last().cloned(),
        });
        let patience = self.patience();
        let asked = ChatRequest {
            id: turn,
            transcript: &self.transcript,
            context: &self.context,
        };
        let agent = self
            .agent
            .as_mut()
            .expect("it was opened before the first turn");
        let voice = self.voice;
        let reply = agent.answer(&asked, &mut |call| voice.called(turn, call), patience);
        let reply = reply.map_err(|silence| match silence {
            AgentError::Interrupted => SessionEnd::completed(EndReason::Interrupted),
            AgentError::TooLong(message) => SessionEnd::timed_out(message),
            AgentError::Failed(message) => {
                SessionEnd::failed(EndReason::AgentError, "Casebook::AgentFailed", message)
            }
        })?;
        self.voice.answered(turn, &reply);
        self.spent.agent(&reply);
        self.transcript.turns[place].reply = Some(reply);
        self.advance_topic(place)?;
        Ok(place)
    }

    /// What must hold in the end: in the last topic, and of all of it.
    fn check_end(&mut self) -> Result<(), SessionEnd> {
        if let Some(topic) = self.current() {
            self.leave_topic(topic, self.transcript.turns.len())?;
        }
        self.check_all(&self.conversation.expectations, &CheckSubject::All)
    }

    /// Whether a script was left because of a demand that was not met.
    fn stopped_on_failure(&self) -> bool {
        matches!(self.conversation.user, User::Scripted(_)) && self.failure.is_some()
    }

    /// Whether a test cares where the conversation goes.
    pub(super) fn expects_graph(&self) -> bool {
        let is_about_it = |demand: &Expectation| {
            let check = &demand.check;
            let topics = matches!(
                check,
                ConversationCheck::Topic(_)
                    | ConversationCheck::ReachedTopic(_)
                    | ConversationCheck::Topics(_)
            );
            demand.hard && topics
        };
        let turns = match &self.conversation.user {
            User::Scripted(turns) => turns.as_slice(),
            User::Simulated(_) => &[],
        };
        let of_turns = turns.iter().flat_map(|turn| &turn.expectations);
        of_turns
            .chain(&self.conversation.expectations)
            .any(is_about_it)
    }

    /// The model that judges and simulates, opened when it is first needed.
    pub(super) fn model(&self) -> Result<&(dyn Model + 'a), ModelError> {
        let open = || match &self.conversation.llm {
            Some(llm) => {
                let variables = || secret::variables(self.services.site, self.conversation);
                self.services.models.open(llm, &self.key, &variables)
            }
            None => Err(ModelError::Failed(
                "the suite names no model: add `llm`".to_owned(),
            )),
        };
        match self.model.get_or_init(open) {
            Ok(model) => Ok(&**model),
            Err(error) => Err(error.clone()),
        }
    }

    pub(super) fn patience(&self) -> Cancellation<'a> {
        Cancellation {
            stop: self.services.processes.stop,
            deadline: self.services.site.deadline,
        }
    }

    /// That the test has no more time, and who was waited for.
    pub(super) fn timeout_message(&self, who: &str) -> String {
        let given = self
            .services
            .site
            .timeout
            .map_or_else(String::new, |timeout| {
                format!(" after {}", seconds(timeout))
            });
        format!("timed out{given}: {who} did not answer")
    }

    fn attempt(self, over: SessionEnd, remains: &AgentExit) -> AttemptResult {
        let mut failure = over.failure;
        let mut replies = self.transcript.turns.iter();
        let has_answered = replies.any(|exchange| exchange.reply.is_some());
        let is_agents_fault = matches!(over.reason, EndReason::AgentError | EndReason::Timeout);
        if let Some(failure) = failure.as_mut().filter(|_| is_agents_fault) {
            if !has_answered {
                remains.explain_start(&mut failure.message);
            }
            remains.explain(&mut failure.message);
        }
        let metadata = Metadata::of(&ConversationRecord {
            conversation: RecordedEnd {
                end: over.reason.name(),
                turns: self.transcript.turns.len(),
            },
            tracing: self.spent.tracing(),
            asked: &self.asked,
            agent: Some(&remains.facts).filter(|facts| is_agents_fault && !facts.is_empty()),
        });
        let talked = ConversationResult {
            failure: failure.or(self.failure),
            metadata,
        };
        AttemptResult {
            interrupted: over.reason == EndReason::Interrupted,
            conversation: Some(talked),
            ..AttemptResult::default()
        }
    }
}
