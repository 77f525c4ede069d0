//! Judges recorded conversations again: without the agent, without the simulated user, and only the checks that a judge decides.
//!
//! The turns come from the record, criteria and judge from the suite. The results of all other checks stay as recorded. Every
//! recorded turn is judged, even if an earlier one now fails. `anyOf` and `not` are evaluated again if the judge decides one of
//! their checks, with the recorded figures for the others; but not if they contain a command, which would be run again.

use casebook_record::model::EvaluationData;
use casebook_record::{Comparison, Event, ExampleData};
use casebook_suite::model::conversation::{Conversation, ConversationCheck, Expectation, User};
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::check;
use super::context::{ConversationContext, HookScope};
use super::end::SessionEnd;
use super::events::ConversationEvents;
use super::expectations::CheckSubject;
use super::recorded;
use super::session::Session;
use super::usage::ConversationUsage;
use crate::budget::OutputBudget;
use crate::emitter::EventEmitter;
use crate::event_sink::EventSink;
use crate::http::Client;
use crate::llm::{ConversationKey, Models};
use crate::options::Options;
use crate::plan::PlannedTest;
use crate::shell::bash::Bash;
use crate::shell::environment::Environment;
use crate::shell::{NoBash, ProcessContext};
use crate::spending::Spending;
use crate::stop::StopToken;
use crate::system::SystemContext;
use crate::transcript::Transcript;

/// Judges recorded conversations again.
pub struct Rejudging<'a> {
    /// Environment, directories and clocks.
    pub system: &'a SystemContext,
    /// Stops early.
    pub stop: &'a StopToken,
    /// Receives warnings.
    pub sink: &'a dyn EventSink,
    /// The number of parallel conversations, and how models are called.
    pub options: &'a Options,
    /// The only criterion to judge; `None` judges all.
    pub criterion: Option<&'a str>,
}

/// The verdicts of a judging.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct JudgedCounts {
    /// Checks that passed.
    pub passed: usize,
    /// Checks that failed.
    pub failed: usize,
    /// Checks without a clear verdict.
    pub inconclusive: usize,
    /// Hard checks that did not pass, and conversations that stopped at a check that now passes.
    pub hard_failures: usize,
    /// Checks without a verdict because of an error.
    pub unjudged: usize,
}

/// What all conversations of a judging share.
struct Services<'a> {
    processes: ProcessContext<'a>,
    models: Models<'a>,
    http: Client,
    spending: Spending,
}

impl Rejudging<'_> {
    /// Judges the conversations and changes their examples. Each is a recorded test with its test in the suite.
    ///
    /// A stop request leaves some of them unchanged.
    pub fn run(
        &self,
        tests: Vec<(PlannedTest<'_>, &mut ExampleData)>,
    ) -> Result<JudgedCounts, NoBash> {
        let services = Services {
            processes: ProcessContext {
                bash: Bash::of(self.system)?,
                stop: self.stop,
                instant: self.system.instant,
                max_output: self.options.max_output,
                temporary: self.system.temporary.clone(),
            },
            models: Models::new(self.system, &self.options.llm, self.sink, None),
            http: Client::new(self.system),
            spending: Spending::default(),
        };
        let workers = self.options.jobs.clamp(1, tests.len().max(1));
        let queue = Mutex::new(tests.into_iter());
        let counts = Mutex::new(JudgedCounts::default());
        let next = || queue.lock().next().filter(|_| !self.stop.is_requested());
        std::thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|| {
                    while let Some((planned, example)) = next() {
                        if let Some(conversation) = planned.test().conversation() {
                            let judged = self.judge(planned, conversation, example, &services);
                            counts.lock().add(judged);
                        }
                    }
                });
            }
        });
        Ok(counts.into_inner())
    }

    /// Judges one conversation and changes its example.
    fn judge(
        &self,
        planned: PlannedTest<'_>,
        conversation: &Conversation,
        example: &mut ExampleData,
        services: &Services<'_>,
    ) -> JudgedCounts {
        let judged = self.evaluations(planned, conversation, example, services);
        // Without a deadline, only a stop request is an error.
        let Ok((evaluations, tracing)) = judged else {
            return JudgedCounts::default();
        };
        let mut counts = JudgedCounts::default();
        evaluations.iter().for_each(|one| counts.count(one));
        let has_all_turns = ended_by_itself(example, conversation, &recorded::transcript(example));
        example.metadata.set("tracing", tracing);
        recorded::replace_evaluations(example, &evaluations, self.criterion);
        recorded::update_status(example, has_all_turns);
        counts.hard_failures += usize::from(recorded::is_unknown(example));
        counts
    }

    /// The new evaluations of a conversation, and its usage.
    fn evaluations(
        &self,
        planned: PlannedTest<'_>,
        conversation: &Conversation,
        example: &ExampleData,
        services: &Services<'_>,
    ) -> Result<(Vec<EvaluationData>, Value), SessionEnd> {
        let site = HookScope {
            test: planned.test(),
            planned,
            environment: Environment::new(self.system.environment.clone()),
            exported: Vec::new(),
            dir: self.system.dir.clone(),
            temporary: &self.system.temporary,
            timeout: None,
            deadline: None,
        };
        let context = ConversationContext {
            processes: &services.processes,
            models: &services.models,
            http: &services.http,
            spending: &services.spending,
            root: &self.system.dir,
            site: &site,
            run_id: &self.options.run_id,
        };
        let sink = EvaluationSink::new(self.sink);
        let budget = OutputBudget::default();
        let emitter = EventEmitter::new(&sink, &budget, &self.system.clock);
        let events = ConversationEvents {
            emitter: &emitter,
            example_id: &example.id,
        };
        let mut session = Session::new(context, conversation, events, key(planned, example));
        let history = std::mem::take(&mut session.transcript.history);
        session.transcript = Transcript {
            history,
            ..recorded::transcript(example)
        };
        session.usage = ConversationUsage::of_record(&example.metadata);
        let is_complete = ended_by_itself(example, conversation, &session.transcript);
        session.judge_again(self.criterion, is_complete)?;
        let tracing = json!(session.usage.tracing());
        let evaluations = std::mem::take(&mut *sink.evaluations.lock());
        Ok((evaluations, tracing))
    }
}

impl JudgedCounts {
    fn add(&mut self, other: JudgedCounts) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.inconclusive += other.inconclusive;
        self.hard_failures += other.hard_failures;
        self.unjudged += other.unjudged;
    }

    fn count(&mut self, evaluation: &EvaluationData) {
        let verdict = evaluation.metadata.get("verdict").and_then(Value::as_str);
        *(match verdict {
            Some("passed") => &mut self.passed,
            Some("failed") => &mut self.failed,
            Some(_) => &mut self.inconclusive,
            // Only the parts of a combination of checks have verdicts.
            None if evaluation.passed => &mut self.passed,
            None => &mut self.failed,
        }) += 1;
        let is_hard = evaluation.mode.as_deref() == Some("hard");
        self.hard_failures += usize::from(is_hard && !evaluation.passed);
        self.unjudged += usize::from(evaluation.metadata.get("unjudged").is_some());
    }

    /// How many checks were judged.
    pub fn all(self) -> usize {
        self.passed + self.failed + self.inconclusive
    }
}

impl Session<'_> {
    /// Judges the turns, the visits of topics and, if it is complete, the whole conversation.
    fn judge_again(
        &mut self,
        criterion: Option<&str>,
        is_complete: bool,
    ) -> Result<(), SessionEnd> {
        let conversation = self.conversation;
        let judged = |expectations: &[Expectation]| -> Vec<Expectation> {
            let all = expectations.iter();
            let judged = all.filter(|one| is_selected(one, criterion));
            judged.cloned().collect()
        };
        for (index, turn) in conversation.user.script().iter().enumerate() {
            let recorded = self.transcript.turns.get(index);
            if let Some(reply) = recorded.and_then(|turn| turn.reply.clone()) {
                self.restore_values(&turn.captures, &reply);
                self.check_all(&judged(&turn.expectations), &CheckSubject::Turn(index))?;
            }
        }
        for (name, turns) in recorded::visits(&self.transcript) {
            let mut topics = conversation.topics.iter();
            let topic = topics.find(|topic| topic.name == name);
            let is_left = is_complete || turns.end < self.transcript.turns.len();
            if let Some(topic) = topic.filter(|_| is_left) {
                let visit = CheckSubject::Visit(&topic.name, turns);
                self.check_all(&judged(&topic.expectations), &visit)?;
            }
        }
        if is_complete {
            self.check_all(&judged(&conversation.expectations), &CheckSubject::All)?;
        }
        Ok(())
    }
}

/// Whether the judge decides the check or a part of it, and that part has this criterion.
fn is_selected(expectation: &Expectation, criterion: Option<&str>) -> bool {
    let leaves = expectation.check.leaves();
    let is_judged = |leaf: &&ConversationCheck| {
        check::comparison(leaf) == Comparison::Judge
            && criterion.is_none_or(|name| check::criterion(leaf) == Some(name))
    };
    let is_command = |leaf: &&ConversationCheck| matches!(leaf, ConversationCheck::Run(_));
    leaves.iter().any(is_judged) && !leaves.iter().any(is_command)
}

/// Whether the checks of the whole conversation apply: the script was run to its end, or the simulation ended by itself.
fn ended_by_itself(
    example: &ExampleData,
    conversation: &Conversation,
    transcript: &Transcript,
) -> bool {
    let replies = transcript.turns.iter().filter(|turn| turn.reply.is_some());
    match &conversation.user {
        User::Scripted(turns) => replies.count() >= turns.len(),
        User::Simulated(_) | User::Mixed(..) => recorded::is_complete(example),
    }
}

fn key(planned: PlannedTest<'_>, example: &ExampleData) -> ConversationKey {
    let trial = example.metadata.dig("trial.number").and_then(Value::as_u64);
    ConversationKey {
        test: format!("{}: {}", planned.suite.name(), example.description),
        trial: trial.map_or(1, |trial| u32::try_from(trial).unwrap_or(u32::MAX)),
        attempt: 1,
    }
}

/// Collects the evaluations of one conversation.
struct EvaluationSink<'a> {
    sink: &'a dyn EventSink,
    evaluations: Mutex<Vec<EvaluationData>>,
}

impl EvaluationSink<'_> {
    fn new(sink: &dyn EventSink) -> EvaluationSink<'_> {
        EvaluationSink {
            sink,
            evaluations: Mutex::default(),
        }
    }
}

impl EventSink for EvaluationSink<'_> {
    fn publish(&self, event: Event) {
        if let Event::EvaluationRecorded(event) = event {
            self.evaluations.lock().push(event.into());
        }
    }

    fn wants_full_output(&self) -> bool {
        false
    }

    fn save_output(&self, _: &str, _: &[(&str, &[u8])]) -> Option<String> {
        None
    }

    fn warn(&self, message: &str) {
        self.sink.warn(message);
    }

    fn register_secrets(&self, exported: &[(String, String)]) {
        self.sink.register_secrets(exported);
    }
}
