//! Where a conversation goes: the topic that a turn leads to.
//!
//! Triggers decide: the current topic's keep the conversation where it is, then its successors' take it on, then those
//! of any other topic, which is a step the graph does not have. Only where none matches, and a successor has no triggers
//! of its own, is the judge asked.

use casebook_record::Comparison;
use casebook_suite::model::conversation::{Topic, Trigger};

use super::check::is_like;
use super::end::{EndReason, SessionEnd};
use super::expectations::{CheckSubject, CheckedExpectation, EvaluatedCheck};
use super::session::Session;
use crate::assertions::matches;
use crate::llm::{FailedCall, topic};
use crate::transcript::ConversationTurn;

/// What the triggers say of a turn.
#[derive(Debug, PartialEq)]
pub(super) enum TopicDecision<'a> {
    Stay,
    /// To that topic, because of that trigger.
    Go(&'a Topic, String),
    /// The judge decides between the current topic and these.
    Ask(Vec<&'a Topic>),
}

/// What the triggers say of a turn that comes after so many in the current topic.
pub(super) fn step<'a>(
    topics: &'a [Topic],
    current: &'a Topic,
    exchange: &ConversationTurn,
    turns: usize,
) -> TopicDecision<'a> {
    if fired(current, exchange, None).is_some() {
        return TopicDecision::Stay;
    }
    let successors = successors(topics, current);
    let on = successors
        .iter()
        .find_map(|topic| Some((*topic, fired(topic, exchange, Some(turns))?)));
    let others = topics
        .iter()
        .filter(|topic| topic.name != current.name && !current.next.contains(&topic.name));
    let elsewhere = || {
        let mut others = others;
        others.find_map(|topic| Some((topic, fired(topic, exchange, None)?)))
    };
    if let Some((topic, trigger)) = on.or_else(elsewhere) {
        return TopicDecision::Go(topic, trigger);
    }
    let open: Vec<_> = successors
        .into_iter()
        .filter(|topic| topic.triggers.is_empty())
        .collect();
    if open.is_empty() {
        TopicDecision::Stay
    } else {
        TopicDecision::Ask(open)
    }
}

/// The topics that may follow, in the order of the suite.
fn successors<'a>(topics: &'a [Topic], current: &Topic) -> Vec<&'a Topic> {
    let names = current.next.iter();
    names.filter_map(|name| named(topics, name)).collect()
}

/// The first trigger that matches, in words. Turns count only towards those that may follow.
fn fired(topic: &Topic, exchange: &ConversationTurn, turns: Option<usize>) -> Option<String> {
    let reply = exchange.reply.as_ref()?;
    topic.triggers.iter().find_map(|trigger| match trigger {
        Trigger::Called(pattern) => reply
            .calls
            .iter()
            .any(|call| is_like(pattern, call))
            .then(|| format!("called {}", pattern.tool)),
        Trigger::AgentMatches(pattern) => {
            matches(pattern, &reply.text).then(|| format!("agentMatches {pattern}"))
        }
        Trigger::UserMatches(pattern) => {
            matches(pattern, &exchange.user).then(|| format!("userMatches {pattern}"))
        }
        Trigger::AfterTurns(after) => turns
            .filter(|turns| *turns >= *after as usize)
            .map(|_| format!("afterTurns {after}")),
    })
}

impl<'a> Session<'a> {
    /// The topic that the conversation is in.
    pub(super) fn current(&self) -> Option<&'a Topic> {
        let name = self.transcript.topics.last()?;
        named(&self.conversation.topics, name)
    }

    /// Finds out which topic the last exchange has led to.
    pub(super) fn advance_topic(&mut self, place: usize) -> Result<(), SessionEnd> {
        let Some(current) = self.current() else {
            return Ok(());
        };
        let turns = place - self.entered(current, place);
        let exchange = &self.transcript.turns[place];
        let (to, trigger) = match step(&self.conversation.topics, current, exchange, turns) {
            TopicDecision::Stay => return Ok(()),
            TopicDecision::Go(to, trigger) => (to, trigger),
            TopicDecision::Ask(open) => match self.ask_topic(current, &open)? {
                Some(to) => (to, "judge".to_owned()),
                None => return Ok(()),
            },
        };
        self.voice.moved(
            place as u64 + 1,
            Some(&current.name),
            &to.name,
            Some(trigger),
        );
        self.transcript.turns[place].topic = Some(to.name.clone());
        self.transcript.topics.push(to.name.clone());
        self.leave_topic(current, place)?;
        if !current.next.contains(&to.name) && self.expects_graph() {
            self.report_invalid_transition(current, to, place);
        }
        Ok(())
    }

    /// The topic that the judge says the conversation has gone to.
    fn ask_topic(
        &mut self,
        current: &'a Topic,
        open: &[&'a Topic],
    ) -> Result<Option<&'a Topic>, SessionEnd> {
        let patience = self.patience();
        let chosen = self
            .model()
            .map_err(FailedCall::from)
            .and_then(|model| topic::choose(model, current, open, &self.transcript, patience));
        let (name, call) = chosen.map_err(|FailedCall { error, calls }| {
            self.spent.judge(&calls);
            for call in calls {
                let call = self.placed(call);
                self.asked.topic.push(call);
            }
            SessionEnd::model_unavailable(
                &error,
                || self.timeout_message("the judge"),
                |why| {
                    let message = format!("the judge could not be asked for the topic: {why}");
                    SessionEnd::failed(EndReason::StopCondition, "Casebook::JudgeFailed", message)
                },
            )
        })?;
        self.spent.judge(std::slice::from_ref(&call));
        let call = self.placed(call);
        self.asked.topic.push(call);
        Ok(named(&self.conversation.topics, &name).filter(|topic| topic.name != current.name))
    }

    /// What must hold of the turns that were in the topic, up to that place. A topic that was left before anything was
    /// said in it demands nothing.
    pub(super) fn leave_topic(&mut self, topic: &'a Topic, to: usize) -> Result<(), SessionEnd> {
        let from = self.entered(topic, to);
        if from == to {
            return Ok(());
        }
        self.check_all(
            &topic.expectations,
            &CheckSubject::Visit(&topic.name, from..to),
        )
    }

    /// The place of the first of those turns.
    fn entered(&self, topic: &Topic, to: usize) -> usize {
        let turns = self.transcript.turns[..to].iter().rev();
        let is_in = |exchange: &&ConversationTurn| exchange.topic.as_ref() == Some(&topic.name);
        to - turns.take_while(is_in).count()
    }

    /// A step that the graph does not have.
    fn report_invalid_transition(&mut self, from: &Topic, to: &Topic, place: usize) {
        let allowed = match from.next.as_slice() {
            [] => "no topic follows it".to_owned(),
            next => format!("what follows it is {}", next.join(", ")),
        };
        let problem = format!(
            "the conversation went from {} to {}, and {allowed}",
            from.name, to.name
        );
        let told = EvaluatedCheck {
            field: "next",
            span: from.span,
            hard: true,
            description: format!("{} is followed as `next` says", from.name),
            comparison: Comparison::Topic,
            name: None,
            examined: CheckedExpectation::problem(problem),
        };
        self.tell(told, &CheckSubject::Turn(place));
    }
}

fn named<'a>(topics: &'a [Topic], name: &str) -> Option<&'a Topic> {
    topics.iter().find(|topic| topic.name == name)
}
