//! Runs one conversation.

use std::cell::OnceCell;
use std::convert::identity;
use std::io;

use casebook_record::Metadata;
use casebook_record::event::ToolCall;
use casebook_suite::model::conversation::{
    self, CONVERSATION_ID, CONVERSATION_TRIAL, Conversation, ConversationCheck, Expectation, Llm,
    Simulation, TurnCapture, User,
};
use serde::Serialize;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::agent::{self, Agent, AgentError, AgentExit, ChatRequest};
use super::capture::ConversationValues;
use super::context::ConversationContext;
use super::end::{EndReason, SessionEnd};
use super::events::{ConversationEvents, turns_json};
use super::expectations::CheckSubject;
use super::usage::{ConversationUsage, UsageTrace};
use super::{history, secret};
use crate::attempt::{AttemptResult, ConversationResult, Failure};
use crate::emitter::EventEmitter;
use crate::llm::{ConversationKey, Model, ModelCall, ModelError};
use crate::seconds::seconds;
use crate::stop::Cancellation;
use crate::transcript::{AttachedFile, ConversationTurn, Transcript};

/// A running conversation.
pub(super) struct Session<'a> {
    pub(super) services: ConversationContext<'a>,
    pub(super) conversation: &'a Conversation,
    pub(super) events: ConversationEvents<'a>,
    pub(super) transcript: Transcript,
    pub(super) usage: ConversationUsage,
    /// The number of turns before the simulated user; `None` before it continues, and without one.
    simulated_from: Option<usize>,
    /// The captured values.
    pub(super) values: ConversationValues,
    /// The first failed hard expectation.
    pub(super) failure: Option<Failure>,
    pub(super) extra_calls: ExtraModelCalls,
    /// The test, for agents and `run` checks.
    pub(super) context: Context<'a>,
    agent: Option<Box<dyn Agent + 'a>>,
    judges: OnceCell<Vec<Box<dyn Model + 'a>>>,
    user_model: OnceCell<Box<dyn Model + 'a>>,
    /// Identifies the conversation in the LLM cache.
    key: ConversationKey,
}

/// Model calls that no event contains. They are added to the metadata of the test.
#[derive(Default, Serialize)]
pub(super) struct ExtraModelCalls {
    #[serde(rename = "simulator_calls", skip_serializing_if = "Vec::is_empty")]
    pub(super) simulator: Vec<ModelCall>,
    #[serde(rename = "stop_calls", skip_serializing_if = "Vec::is_empty")]
    pub(super) stop: Vec<ModelCall>,
    #[serde(rename = "topic_calls", skip_serializing_if = "Vec::is_empty")]
    pub(super) topic: Vec<ModelCall>,
}

/// The metadata of a finished conversation.
#[derive(Serialize)]
struct ConversationRecord<'a> {
    conversation: RecordedEnd,
    tracing: UsageTrace,
    #[serde(flatten)]
    extra_calls: &'a ExtraModelCalls,
    /// Details of the agent, if it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<&'a Map<String, Value>>,
}

#[derive(Serialize)]
struct RecordedEnd {
    end: &'static str,
    turns: usize,
    /// The turns before the conversation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    history: Vec<Value>,
    /// Whether the agent could not be reached.
    #[serde(skip_serializing_if = "is_false")]
    unreachable: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde requires it")]
fn is_false(flag: &bool) -> bool {
    !flag
}

fn no_model() -> ModelError {
    ModelError::Failed("the suite has no model; add `llm`".to_owned())
}

/// Runs the conversation of a test. `number` is the number of the attempt.
pub(crate) fn run(
    services: ConversationContext<'_>,
    conversation: &Conversation,
    number: u32,
    emitter: &EventEmitter<'_>,
) -> io::Result<AttemptResult> {
    let site = services.site;
    let planned = site.planned;
    secret::register_exports(site, emitter.sink());
    let events = ConversationEvents {
        emitter,
        example_id: &planned.id,
    };
    let key = ConversationKey {
        test: format!("{}: {}", planned.suite.name(), planned.title()),
        trial: planned.trial.map_or(1, |trial| trial.number),
        attempt: number,
    };
    Session::new(services, conversation, events, key).run()
}

/// The test, as JSON for agents and `run` checks.
#[derive(Serialize)]
pub(super) struct Context<'a> {
    test: &'a str,
    file: &'a str,
    line: usize,
    tags: &'a [String],
    scenario: Option<&'a Map<String, Value>>,
    /// An id that no other conversation has.
    conversation: String,
    trial: u32,
    run: &'a str,
}

impl Context<'_> {
    /// The headers that identify the conversation in a request. The body of many requests has no place for that.
    pub(super) fn headers(&self) -> [(&'static str, String); 3] {
        [
            ("x-casebook-conversation", self.conversation.clone()),
            ("x-casebook-trial", self.trial.to_string()),
            ("x-casebook-run", self.run.to_owned()),
        ]
    }
}

fn context<'a>(services: ConversationContext<'a>, conversation: &'a Conversation) -> Context<'a> {
    let site = services.site;
    Context {
        test: &site.test.name,
        file: site.planned.suite.name(),
        line: site.planned.line(),
        tags: &site.test.tags,
        scenario: conversation.scenario.as_ref(),
        conversation: Uuid::new_v4().to_string(),
        trial: site.planned.trial.map_or(1, |trial| trial.number),
        run: services.run_id,
    }
}

impl<'a> Session<'a> {
    /// A conversation without turns.
    pub(super) fn new(
        services: ConversationContext<'a>,
        conversation: &'a Conversation,
        events: ConversationEvents<'a>,
        key: ConversationKey,
    ) -> Session<'a> {
        Session {
            services,
            conversation,
            events,
            transcript: Transcript {
                history: history::turns(&conversation.history),
                ..Transcript::default()
            },
            usage: ConversationUsage::default(),
            simulated_from: None,
            values: ConversationValues::default(),
            failure: None,
            extra_calls: ExtraModelCalls::default(),
            context: context(services, conversation),
            agent: None,
            judges: OnceCell::new(),
            user_model: OnceCell::new(),
            key,
        }
    }

    fn run(mut self) -> io::Result<AttemptResult> {
        let mut end = self
            .run_turns()
            .map_or_else(identity, SessionEnd::completed);
        let exit = match self.agent.take() {
            Some(agent) => agent.shut_down(!end.reason.is_complete())?,
            None => AgentExit::default(),
        };
        if let Some(problem) = &exit.problem
            && end.reason.is_complete()
        {
            end = SessionEnd::failed(
                EndReason::AgentError,
                "Casebook::AgentFailed",
                problem.clone(),
            );
        }
        if let Some(from) = self.simulated_from {
            let turns = self.transcript.turns.len() - from;
            self.events.simulation_ended(turns, end.reason);
        }
        if end.reason.is_complete() && end.failure.is_none() && !self.stopped_on_failure() {
            self.transcript.end = Some(end.reason.name());
            end = self.check_end().err().unwrap_or(end);
        }
        Ok(self.attempt(end, &exit))
    }

    /// Starts the agent and runs all turns.
    fn run_turns(&mut self) -> Result<EndReason, SessionEnd> {
        if let User::Simulated(simulation) = &self.conversation.user {
            self.start_simulation(simulation);
        }
        let history = &self.conversation.history;
        let agent = agent::open(
            self.agent_with_values(),
            self.services,
            history,
            &self.context,
        );
        self.agent = Some(agent.map_err(|error| {
            SessionEnd::unreachable(format!("cannot start the agent: {error}"))
        })?);
        if let Some(first) = self.conversation.topics.first() {
            self.events.topic_changed(1, None, &first.name, None);
            self.transcript.topics.push(first.name.clone());
        }
        match &self.conversation.user {
            User::Scripted(turns) => self.script(turns),
            User::Simulated(simulation) => self.simulate(simulation),
            User::Mixed(turns, simulation) => match self.script(turns)? {
                EndReason::ScriptEnd => {
                    self.start_simulation(simulation);
                    self.simulate(simulation)
                }
                stopped => Ok(stopped),
            },
        }
    }

    fn start_simulation(&mut self, simulation: &Simulation) {
        self.events.simulation_started(simulation);
        self.simulated_from = Some(self.transcript.turns.len());
    }

    /// The agent with the values of this conversation in its texts.
    fn agent_with_values(&self) -> conversation::Agent {
        let trial = self.context.trial.to_string();
        let agent = &self.conversation.agent;
        agent.with_known_values(|name| match name {
            CONVERSATION_ID => Some(self.context.conversation.as_str()),
            CONVERSATION_TRIAL => Some(trial.as_str()),
            _ => None,
        })
    }

    /// Sends a user message, waits for the reply and updates the topic. Returns the index of the turn.
    pub(super) fn run_turn(
        &mut self,
        (text, files): (&str, Vec<AttachedFile>),
        call: Option<ModelCall>,
        captures: &[TurnCapture],
    ) -> Result<usize, SessionEnd> {
        let index = self.transcript.turns.len();
        let turn = index as u64 + 1;
        self.events.user_message(turn, text, &files, call);
        self.transcript.turns.push(ConversationTurn {
            user: text.to_owned(),
            files,
            reply: None,
            topic: self.transcript.topics.last().cloned(),
        });
        let cancellation = self.cancellation();
        let request = ChatRequest {
            id: turn,
            transcript: &self.transcript,
            context: &self.context,
        };
        let agent = self
            .agent
            .as_mut()
            .expect("the agent is started before the first turn");
        let events = self.events;
        // A call may contain a value that becomes a secret only with the reply.
        let has_secrets = captures.iter().any(|capture| capture.is_secret);
        let mut on_call = |call: &ToolCall| {
            if !has_secrets {
                events.tool_called(turn, call);
            }
        };
        let reply = agent.reply(&request, &mut on_call, cancellation);
        let reply = reply.map_err(|error| match error {
            AgentError::Interrupted => SessionEnd::completed(EndReason::Interrupted),
            AgentError::TooLong(message) => SessionEnd::timed_out(message),
            AgentError::Unreachable(message) => SessionEnd::unreachable(message),
            AgentError::Failed(message) => {
                SessionEnd::failed(EndReason::AgentError, "Casebook::AgentFailed", message)
            }
        })?;
        let values = self.find_values(captures, &reply);
        self.events.agent_replied(turn, &reply);
        self.usage.agent(&reply);
        self.transcript.turns[index].reply = Some(reply);
        self.keep_values(index, captures, values);
        self.advance_topic(index)?;
        Ok(index)
    }

    /// Checks the expectations of the last topic and of the whole conversation.
    fn check_end(&mut self) -> Result<(), SessionEnd> {
        if let Some(topic) = self.current() {
            self.leave_topic(topic, self.transcript.turns.len())?;
        }
        self.check_all(&self.conversation.expectations, &CheckSubject::All)
    }

    /// Whether a script stopped because of a failed hard expectation.
    fn stopped_on_failure(&self) -> bool {
        self.simulated_from.is_none() && self.failure.is_some()
    }

    /// Whether the test has hard expectations about topics. Only then does an invalid transition fail it.
    pub(super) fn expects_graph(&self) -> bool {
        let is_about_topics = |expectation: &Expectation| {
            let mut checks = expectation.check.leaves().into_iter();
            let topics = checks.any(|check| {
                matches!(
                    check,
                    ConversationCheck::Topic(_)
                        | ConversationCheck::ReachedTopic(_)
                        | ConversationCheck::Topics(_)
                )
            });
            expectation.hard && topics
        };
        let turn_expectations = self
            .conversation
            .user
            .script()
            .iter()
            .flat_map(|turn| &turn.expectations);
        turn_expectations
            .chain(&self.conversation.expectations)
            .any(is_about_topics)
    }

    /// The judges, opened when they are first needed; at least one.
    pub(super) fn judges(&self) -> Result<Vec<&dyn Model>, ModelError> {
        let llms = self.conversation.judges.iter();
        let judges = self
            .judges
            .get_or_init(|| llms.map(|llm| self.open(llm)).collect());
        if judges.is_empty() {
            return Err(no_model());
        }
        Ok(judges.iter().map(|judge| &**judge as &dyn Model).collect())
    }

    /// The model of the simulated user, opened when it is first needed.
    pub(super) fn user_model(&self) -> Result<&(dyn Model + 'a), ModelError> {
        let llm = self.conversation.user_model.as_deref();
        let llm = llm.ok_or_else(no_model)?;
        Ok(&**self.user_model.get_or_init(|| self.open(llm)))
    }

    fn open(&self, llm: &Llm) -> Box<dyn Model + 'a> {
        let variables = || secret::variables(self.services.site, self.conversation);
        self.services.models.open(llm, &self.key, &variables)
    }

    pub(super) fn cancellation(&self) -> Cancellation<'a> {
        Cancellation {
            stop: self.services.processes.stop,
            deadline: self.services.site.deadline,
        }
    }

    /// The message of a timeout while waiting for `who`.
    pub(super) fn timeout_message(&self, who: &str) -> String {
        let after = self
            .services
            .site
            .timeout
            .map_or_else(String::new, |timeout| {
                format!(" after {}", seconds(timeout))
            });
        format!("timed out{after}: {who} did not respond")
    }

    fn attempt(self, end: SessionEnd, exit: &AgentExit) -> AttemptResult {
        let suite = self.services.site.planned.suite.name();
        self.services.spending.add(suite, self.usage.spent());
        let mut failure = end.failure;
        let mut replies = self.transcript.turns.iter();
        let has_replied = replies.any(|turn| turn.reply.is_some());
        let agent_failed = matches!(end.reason, EndReason::AgentError | EndReason::Timeout);
        if let Some(failure) = failure.as_mut().filter(|_| agent_failed) {
            if !has_replied {
                exit.explain_start(&mut failure.message);
            }
            exit.explain(&mut failure.message);
        }
        let metadata = Metadata::of(&ConversationRecord {
            conversation: RecordedEnd {
                end: end.reason.name(),
                turns: self.transcript.turns.len(),
                history: turns_json(&self.transcript.history),
                unreachable: end.is_unreachable,
            },
            tracing: self.usage.tracing(),
            extra_calls: &self.extra_calls,
            agent: Some(&exit.facts).filter(|facts| agent_failed && !facts.is_empty()),
        });
        let conversation = ConversationResult {
            failure: failure.or(self.failure),
            metadata,
        };
        AttemptResult {
            interrupted: end.reason == EndReason::Interrupted,
            conversation: Some(conversation),
            ..AttemptResult::default()
        }
    }
}
