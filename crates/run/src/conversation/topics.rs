//! Determines the topic of each turn.
//!
//! Triggers are tried in this order: a trigger of the current topic keeps it; a trigger of a successor moves to that successor;
//! a trigger of any other topic moves there, which is a transition that the graph does not have. If no trigger matches and at
//! least one successor has no triggers, the judge decides.

use casebook_record::Comparison;
use casebook_suite::model::conversation::{Topic, Trigger};

use super::check::matches_call;
use super::end::{EndReason, SessionEnd};
use super::expectations::{CheckSubject, CheckedExpectation, EvaluatedCheck};
use super::session::Session;
use crate::assertions::matches;
use crate::llm::{FailedCall, topic};
use crate::transcript::ConversationTurn;

/// The result of the triggers for a turn.
#[derive(Debug, PartialEq)]
pub(super) enum TopicDecision<'a> {
    Stay,
    /// Move to the topic because of the trigger.
    Move(&'a Topic, String),
    /// The judge has to choose between the current topic and these.
    Ask(Vec<&'a Topic>),
}

/// Evaluates the triggers for a turn. `turns` is the number of earlier turns in the current topic.
pub(super) fn decide_topic<'a>(
    topics: &'a [Topic],
    current: &'a Topic,
    turn: &ConversationTurn,
    turns: usize,
) -> TopicDecision<'a> {
    if matching_trigger(current, turn, None).is_some() {
        return TopicDecision::Stay;
    }
    let successors = successors(topics, current);
    let next_topic = successors
        .iter()
        .find_map(|topic| Some((*topic, matching_trigger(topic, turn, Some(turns))?)));
    let others = topics
        .iter()
        .filter(|topic| topic.name != current.name && !current.next.contains(&topic.name));
    let other_topic = || {
        let mut others = others;
        others.find_map(|topic| Some((topic, matching_trigger(topic, turn, None)?)))
    };
    if let Some((topic, trigger)) = next_topic.or_else(other_topic) {
        return TopicDecision::Move(topic, trigger);
    }
    let candidates: Vec<_> = successors
        .into_iter()
        .filter(|topic| topic.triggers.is_empty())
        .collect();
    if candidates.is_empty() {
        TopicDecision::Stay
    } else {
        TopicDecision::Ask(candidates)
    }
}

/// The successors of a topic, in the order of the suite.
fn successors<'a>(topics: &'a [Topic], current: &Topic) -> Vec<&'a Topic> {
    let names = current.next.iter();
    names.filter_map(|name| find_topic(topics, name)).collect()
}

/// Describes the first trigger that matches. `turns` is `None` for topics that are not successors, for which `afterTurns` does
/// not apply.
fn matching_trigger(
    topic: &Topic,
    turn: &ConversationTurn,
    turns: Option<usize>,
) -> Option<String> {
    let reply = turn.reply.as_ref()?;
    topic.triggers.iter().find_map(|trigger| match trigger {
        Trigger::Called(pattern) => reply
            .calls
            .iter()
            .any(|call| matches_call(pattern, call))
            .then(|| format!("called {}", pattern.tool)),
        Trigger::AgentMatches(pattern) => {
            matches(pattern, &reply.text).then(|| format!("agentMatches {pattern}"))
        }
        Trigger::UserMatches(pattern) => {
            matches(pattern, &turn.user).then(|| format!("userMatches {pattern}"))
        }
        Trigger::AfterTurns(after) => turns
            .filter(|turns| *turns >= *after as usize)
            .map(|_| format!("afterTurns {after}")),
    })
}

impl<'a> Session<'a> {
    /// The current topic; `None` if the suite has no topics.
    pub(super) fn current(&self) -> Option<&'a Topic> {
        let name = self.transcript.topics.last()?;
        find_topic(&self.conversation.topics, name)
    }

    /// Determines the topic after the turn at `index` and reports a change.
    pub(super) fn advance_topic(&mut self, index: usize) -> Result<(), SessionEnd> {
        let Some(current) = self.current() else {
            return Ok(());
        };
        let turns = index - self.visit_start(current, index);
        let turn = &self.transcript.turns[index];
        let (to, trigger) = match decide_topic(&self.conversation.topics, current, turn, turns) {
            TopicDecision::Stay => return Ok(()),
            TopicDecision::Move(to, trigger) => (to, trigger),
            TopicDecision::Ask(candidates) => match self.ask_topic(current, &candidates)? {
                Some(to) => (to, "judge".to_owned()),
                None => return Ok(()),
            },
        };
        self.events.topic_changed(
            index as u64 + 1,
            Some(&current.name),
            &to.name,
            Some(trigger),
        );
        self.transcript.turns[index].topic = Some(to.name.clone());
        self.transcript.topics.push(to.name.clone());
        self.leave_topic(current, index)?;
        if !current.next.contains(&to.name) && self.expects_graph() {
            self.report_invalid_transition(current, to, index);
        }
        Ok(())
    }

    /// Has the judge choose the topic; `None` if the current topic stays.
    fn ask_topic(
        &mut self,
        current: &'a Topic,
        candidates: &[&'a Topic],
    ) -> Result<Option<&'a Topic>, SessionEnd> {
        let cancellation = self.cancellation();
        // One model is enough here: a jury votes on criteria.
        let choice = self.judges().map_err(FailedCall::from).and_then(|judges| {
            topic::choose(
                judges[0],
                current,
                candidates,
                &self.transcript,
                cancellation,
            )
        });
        let (name, call) = choice.map_err(|FailedCall { error, calls }| {
            self.usage.judge(&calls);
            for call in calls {
                let call = self.with_turn(call);
                self.extra_calls.topic.push(call);
            }
            SessionEnd::model_unavailable(
                &error,
                || self.timeout_message("the judge"),
                |why| {
                    let message = format!("cannot get the topic from the judge: {why}");
                    SessionEnd::failed(EndReason::JudgeError, "Casebook::JudgeFailed", message)
                },
            )
        })?;
        self.usage.judge(std::slice::from_ref(&call));
        let call = self.with_turn(call);
        self.extra_calls.topic.push(call);
        Ok(find_topic(&self.conversation.topics, &name).filter(|topic| topic.name != current.name))
    }

    /// Checks the topic's expectations on its turns before the index `to`. A visit without turns is not checked.
    pub(super) fn leave_topic(&mut self, topic: &'a Topic, to: usize) -> Result<(), SessionEnd> {
        let from = self.visit_start(topic, to);
        if from == to {
            return Ok(());
        }
        self.check_all(
            &topic.expectations,
            &CheckSubject::Visit(&topic.name, from..to),
        )
    }

    /// The index of the first turn of the visit that ends before `to`.
    fn visit_start(&self, topic: &Topic, to: usize) -> usize {
        let turns = self.transcript.turns[..to].iter().rev();
        let is_in = |turn: &&ConversationTurn| turn.topic.as_ref() == Some(&topic.name);
        to - turns.take_while(is_in).count()
    }

    /// Records a failed check for a transition that the graph does not have.
    fn report_invalid_transition(&mut self, from: &Topic, to: &Topic, index: usize) {
        let allowed = match from.next.as_slice() {
            [] => "which has no `next`".to_owned(),
            next => format!("whose `next` is {}", next.join(", ")),
        };
        let problem = format!(
            "the conversation moved to {} from {}, {allowed}",
            to.name, from.name
        );
        let evaluated = EvaluatedCheck {
            field: "next",
            span: from.span,
            hard: true,
            description: format!("{} is followed by a topic of its `next`", from.name),
            comparison: Comparison::Topic,
            name: None,
            checked: CheckedExpectation::problem(problem),
        };
        self.record_check(evaluated, &CheckSubject::Turn(index));
    }
}

fn find_topic<'a>(topics: &'a [Topic], name: &str) -> Option<&'a Topic> {
    topics.iter().find(|topic| topic.name == name)
}
