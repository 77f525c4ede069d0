//! One conversation, from the first word to the last.

use std::cell::OnceCell;
use std::convert::identity;
use std::io;

use casebook_record::Metadata;
use casebook_suite::model::conversation::{Conversation, Demand, TalkCheck, User};
use serde::Serialize;
use serde_json::{Map, Value};

use super::agent::{self, Agent, Asked, Remains, Silence};
use super::context::{ConversationContext, Site};
use super::demand::About;
use super::reason::{Over, Reason};
use super::secret;
use super::spent::{Spent, Tracing};
use super::voice::Voice;
use crate::attempt::{Attempt, Failure, Talked};
use crate::llm::{Call, Model, ModelError};
use crate::stop::Cancellation;
use crate::tell::{Teller, line, seconds};
use crate::transcript::{Exchange, Transcript};

/// A conversation while it is held.
pub(super) struct Talk<'a> {
    pub(super) services: ConversationContext<'a>,
    pub(super) conversation: &'a Conversation,
    pub(super) voice: Voice<'a>,
    pub(super) transcript: Transcript,
    pub(super) spent: Spent,
    /// The first demand that was not met and must be.
    pub(super) failure: Option<Failure>,
    pub(super) asked: AskedBesides,
    /// Which test it is, for agents and commands.
    pub(super) context: Context<'a>,
    agent: Option<Box<dyn Agent + 'a>>,
    model: OnceCell<Result<Box<dyn Model + 'a>, ModelError>>,
    /// Tells it from all others.
    key: String,
}

/// What the judge and the simulated user were asked besides what other events tell of.
#[derive(Default, Serialize)]
pub(super) struct AskedBesides {
    #[serde(rename = "simulator_calls", skip_serializing_if = "Vec::is_empty")]
    pub(super) simulator: Vec<Call>,
    #[serde(rename = "stop_calls", skip_serializing_if = "Vec::is_empty")]
    pub(super) stop: Vec<Call>,
    #[serde(rename = "topic_calls", skip_serializing_if = "Vec::is_empty")]
    pub(super) topic: Vec<Call>,
}

/// What the record says of a conversation in the end.
#[derive(Serialize)]
struct Account<'a> {
    conversation: Ended,
    tracing: Tracing,
    #[serde(flatten)]
    asked: &'a AskedBesides,
    /// What is known of an agent that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<&'a Map<String, Value>>,
}

#[derive(Serialize)]
struct Ended {
    end: &'static str,
    turns: usize,
}

/// Holds the conversation of a test. `number` is that of the attempt.
pub(crate) fn hold(
    services: ConversationContext<'_>,
    conversation: &Conversation,
    number: u32,
    teller: &Teller<'_>,
) -> io::Result<Attempt> {
    let site = services.site;
    let planned = site.planned;
    secret::learn_exports(site, teller.evidence());
    let talk = Talk {
        services,
        conversation,
        voice: Voice {
            teller,
            example_id: &planned.id,
        },
        transcript: Transcript::default(),
        spent: Spent::default(),
        failure: None,
        asked: AskedBesides::default(),
        context: context(site, conversation),
        agent: None,
        model: OnceCell::new(),
        key: match number {
            1 => planned.stable_id.clone(),
            number => format!("{} attempt {number}", planned.stable_id),
        },
    };
    talk.hold()
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

fn context<'a>(site: &Site<'a>, conversation: &'a Conversation) -> Context<'a> {
    Context {
        test: &site.test.name,
        file: site.suite.name(),
        line: line(site.suite, site.planned),
        tags: &site.test.tags,
        scenario: conversation.scenario.as_ref(),
    }
}

impl<'a> Talk<'a> {
    fn hold(mut self) -> io::Result<Attempt> {
        let mut over = self.all_turns().map_or_else(identity, Over::well);
        let remains = match self.agent.take() {
            Some(agent) => agent.leave(!over.reason.is_regular())?,
            None => Remains::default(),
        };
        if let Some(problem) = &remains.problem
            && over.reason.is_regular()
        {
            over = Over::badly(Reason::AgentError, "Casebook::AgentFailed", problem.clone());
        }
        if let User::Simulated(_) = self.conversation.user {
            let turns = self.transcript.exchanges.len();
            self.voice.simulation_ended(turns, over.reason);
        }
        if over.reason.is_regular() && over.failure.is_none() && !self.is_cut() {
            over = self.at_the_end().err().unwrap_or(over);
        }
        Ok(self.attempt(over, &remains))
    }

    /// Says all there is to say.
    fn all_turns(&mut self) -> Result<Reason, Over> {
        if let User::Simulated(simulation) = &self.conversation.user {
            self.voice.simulation_started(simulation);
        }
        let agent = agent::open(&self.conversation.agent, self.services);
        self.agent = Some(agent.map_err(|error| {
            let message = format!("the agent cannot be started: {error}");
            Over::badly(Reason::AgentError, "Casebook::AgentFailed", message)
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
    pub(super) fn exchange(&mut self, text: &str, call: Option<Call>) -> Result<usize, Over> {
        let place = self.transcript.exchanges.len();
        let turn = place as u64 + 1;
        self.voice.user(turn, text, call);
        self.transcript.exchanges.push(Exchange {
            user: text.to_owned(),
            reply: None,
            topic: self.transcript.topics.last().cloned(),
        });
        let patience = self.patience();
        let asked = Asked {
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
            Silence::Interrupted => Over::well(Reason::Interrupted),
            Silence::TooLong(message) => Over::late(message),
            Silence::Failed(message) => {
                Over::badly(Reason::AgentError, "Casebook::AgentFailed", message)
            }
        })?;
        self.voice.answered(turn, &reply);
        self.spent.agent(&reply);
        self.transcript.exchanges[place].reply = Some(reply);
        self.move_on(place)?;
        Ok(place)
    }

    /// What must hold in the end: in the last topic, and of all of it.
    fn at_the_end(&mut self) -> Result<(), Over> {
        if let Some(topic) = self.current() {
            self.leave_topic(topic, self.transcript.exchanges.len())?;
        }
        self.examine(&self.conversation.demands, &About::All)
    }

    /// Whether a script was left because of a demand that was not met.
    fn is_cut(&self) -> bool {
        matches!(self.conversation.user, User::Scripted(_)) && self.failure.is_some()
    }

    /// Whether a test cares where the conversation goes.
    pub(super) fn expects_graph(&self) -> bool {
        let is_about_it = |demand: &Demand| {
            let check = &demand.check;
            let topics = matches!(
                check,
                TalkCheck::Topic(_) | TalkCheck::ReachedTopic(_) | TalkCheck::Topics(_)
            );
            demand.hard && topics
        };
        let turns = match &self.conversation.user {
            User::Scripted(turns) => turns.as_slice(),
            User::Simulated(_) => &[],
        };
        let of_turns = turns.iter().flat_map(|turn| &turn.demands);
        of_turns.chain(&self.conversation.demands).any(is_about_it)
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
    pub(super) fn late(&self, who: &str) -> String {
        let given = self
            .services
            .site
            .timeout
            .map_or_else(String::new, |timeout| {
                format!(" after {}", seconds(timeout))
            });
        format!("timed out{given}: {who} did not answer")
    }

    fn attempt(self, over: Over, remains: &Remains) -> Attempt {
        let mut failure = over.failure;
        let mut replies = self.transcript.exchanges.iter();
        let has_answered = replies.any(|exchange| exchange.reply.is_some());
        let is_agents_fault = matches!(over.reason, Reason::AgentError | Reason::Timeout);
        if let Some(failure) = failure.as_mut().filter(|_| is_agents_fault) {
            if !has_answered {
                remains.explain_start(&mut failure.message);
            }
            remains.explain(&mut failure.message);
        }
        let metadata = Metadata::of(&Account {
            conversation: Ended {
                end: over.reason.name(),
                turns: self.transcript.exchanges.len(),
            },
            tracing: self.spent.tracing(),
            asked: &self.asked,
            agent: Some(&remains.facts).filter(|facts| is_agents_fault && !facts.is_empty()),
        });
        let talked = Talked {
            failure: failure.or(self.failure),
            metadata,
        };
        Attempt {
            interrupted: over.reason == Reason::Interrupted,
            talked: Some(talked),
            ..Attempt::default()
        }
    }
}
