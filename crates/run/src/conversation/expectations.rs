//! What is demanded of a conversation, and whether it holds.

use std::ops::Range;

use casebook_record::event::EvaluationRecorded;
use casebook_record::{Comparison, Metadata};
use casebook_source::Span;
use casebook_suite::model::conversation::{ConversationCheck, CriterionRef, Expectation, Verdict};
use serde::Serialize;

use super::end::{EndReason, SessionEnd, failure};
use super::session::Session;
use super::{check, command};
use crate::assertions::CheckResult;
use crate::emitter::SourceQuote;
use crate::llm::judge::{self, Judgment, verdict_word};
use crate::llm::{FailedCall, ModelCall, ModelError};
use crate::transcript::{Scope, Transcript};

/// What a demand is about.
#[derive(Debug, Clone)]
pub(super) enum CheckSubject<'a> {
    /// The exchange at that place.
    Turn(usize),
    /// The whole conversation.
    All,
    /// These exchanges, which were in that topic.
    Visit(&'a str, Range<usize>),
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct CheckedExpectation {
    pub(super) finding: CheckResult,
    verdict: Option<Verdict>,
    reasoning: Option<String>,
    /// The calls to the judge.
    pub(super) calls: Vec<ModelCall>,
    /// Whether the judge could not be asked.
    is_unjudged: bool,
    /// Whether that is the fault of the suite, whose script says nothing of it.
    is_unscripted: bool,
}

impl Session<'_> {
    /// Examines all of the demands, and tells of each. The first that must hold and does not is noted.
    pub(super) fn check_all(
        &mut self,
        demands: &[Expectation],
        about: &CheckSubject<'_>,
    ) -> Result<(), SessionEnd> {
        for demand in demands {
            let examined = self.evaluate(&demand.check, about)?;
            self.spent.judge(&examined.calls);
            let told = EvaluatedCheck {
                field: demand.field,
                span: demand.span,
                hard: demand.hard,
                description: check::describe(&demand.check),
                comparison: check::comparison(&demand.check),
                name: criterion(&demand.check),
                examined,
            };
            self.tell(told, about);
        }
        Ok(())
    }

    /// What a look at the conversation says of the check.
    pub(super) fn evaluate(
        &self,
        check: &ConversationCheck,
        about: &CheckSubject<'_>,
    ) -> Result<CheckedExpectation, SessionEnd> {
        let whole = &self.transcript;
        let part;
        let (transcript, exchange) = match about {
            CheckSubject::Turn(place) => (whole, Some(*place)),
            CheckSubject::All => (whole, None),
            CheckSubject::Visit(_, turns) => {
                part = visited(whole, turns, keeps_numbers(check));
                (&part, None)
            }
        };
        let scope = Scope {
            transcript,
            exchange,
        };
        if let Some(finding) = check::find(check, scope) {
            return Ok(CheckedExpectation {
                finding,
                ..CheckedExpectation::default()
            });
        }
        match check {
            ConversationCheck::Run(script) => {
                let finding = command::find(script, self.services, scope, &self.context)?;
                Ok(CheckedExpectation {
                    finding,
                    ..CheckedExpectation::default()
                })
            }
            check => self.judge(check, scope),
        }
    }

    fn judge(
        &self,
        check: &ConversationCheck,
        scope: Scope<'_>,
    ) -> Result<CheckedExpectation, SessionEnd> {
        let patience = self.patience();
        let judged = self
            .model()
            .map_err(FailedCall::from)
            .and_then(|model| judge::judge(model, self.conversation, check, scope, patience));
        let FailedCall { error, calls } = match judged {
            Ok(judged) => return Ok(CheckedExpectation::judged(judged)),
            Err(unanswered) => unanswered,
        };
        match error {
            ModelError::Interrupted => Err(SessionEnd::completed(EndReason::Interrupted)),
            ModelError::OutOfTime => Err(SessionEnd::timed_out(self.timeout_message("the judge"))),
            ModelError::Failed(why) => Ok(CheckedExpectation::unjudged(&why, calls)),
            ModelError::MissingScriptedResponse(why) => Ok(CheckedExpectation {
                is_unscripted: true,
                ..CheckedExpectation::unjudged(&why, calls)
            }),
        }
    }

    /// Tells what was found, and notes a failure.
    pub(super) fn tell(&mut self, told: EvaluatedCheck<'_>, about: &CheckSubject<'_>) {
        let emitter = self.voice.emitter;
        let file = &self.services.site.planned.suite.suite.file;
        let CheckedExpectation { finding, .. } = &told.examined;
        let (judge, votes) = match told.examined.calls.as_slice() {
            [only] if self.conversation.judge.votes <= 1 => (Some(only), &[][..]),
            calls => (None, calls),
        };
        let metadata = Metadata::of(&CheckMetadata {
            place: crate::emitter::source_quote(file, told.span),
            topic: match about {
                CheckSubject::Visit(topic, _) => Some(topic),
                CheckSubject::Turn(_) | CheckSubject::All => None,
            },
            comparison: told.comparison,
            finding,
            verdict: told.examined.verdict.map(verdict_word),
            unjudged: told.examined.is_unjudged,
            criterion: told.name,
            judge,
            votes,
        });
        let turn = about.turn();
        // A script that is too short is an error, whoever asked.
        let must_hold = told.hard || told.examined.is_unscripted;
        if let Some(problem) = finding.problem.as_ref().filter(|_| must_hold) {
            let class = if told.examined.is_unjudged {
                "Casebook::JudgeFailed"
            } else {
                "Casebook::AssertionFailed"
            };
            let message = message(problem, &told, about);
            self.failure.get_or_insert_with(|| failure(class, message));
        }
        self.voice.tell(EvaluationRecorded {
            time: emitter.now(),
            example_id: self.voice.example_id.to_owned(),
            turn_number: turn,
            mode: Some(if told.hard { "hard" } else { "soft" }.to_owned()),
            r#type: Some(told.field.to_owned()),
            name: Some(told.name.unwrap_or(told.field).to_owned()),
            description: told.description,
            passed: finding.problem.is_none(),
            reasoning: told.examined.reasoning,
            failure_message: told.examined.finding.problem,
            metadata,
        });
    }
}

/// A demand and what was found.
pub(super) struct EvaluatedCheck<'t> {
    pub(super) field: &'static str,
    pub(super) span: Span,
    pub(super) hard: bool,
    pub(super) description: String,
    pub(super) comparison: Comparison,
    /// The criterion's.
    pub(super) name: Option<&'t str>,
    pub(super) examined: CheckedExpectation,
}

/// What the record says of it besides.
#[derive(Serialize)]
struct CheckMetadata<'t> {
    #[serde(flatten)]
    place: SourceQuote<'t>,
    #[serde(skip_serializing_if = "Option::is_none")]
    topic: Option<&'t str>,
    comparison: Comparison,
    #[serde(flatten)]
    finding: &'t CheckResult,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<&'static str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unjudged: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    criterion: Option<&'t str>,
    /// The call to the judge.
    #[serde(skip_serializing_if = "Option::is_none")]
    judge: Option<&'t ModelCall>,
    /// The calls, where several votes are taken.
    #[serde(skip_serializing_if = "<[ModelCall]>::is_empty")]
    votes: &'t [ModelCall],
}

impl CheckedExpectation {
    /// That something is wrong which nobody has to look for.
    pub(super) fn problem(problem: String) -> CheckedExpectation {
        CheckedExpectation {
            finding: CheckResult {
                problem: Some(problem),
                ..CheckResult::default()
            },
            ..CheckedExpectation::default()
        }
    }

    fn judged(judged: Judgment) -> CheckedExpectation {
        let problem = match judged.verdict {
            Verdict::Passed => None,
            Verdict::Failed => Some("the judge says no"),
            Verdict::Inconclusive => Some("the judge cannot tell"),
        };
        CheckedExpectation {
            finding: CheckResult {
                problem: problem.map(str::to_owned),
                ..CheckResult::default()
            },
            verdict: Some(judged.verdict),
            reasoning: judged.reason,
            calls: judged.calls,
            ..CheckedExpectation::default()
        }
    }

    fn unjudged(why: &str, calls: Vec<ModelCall>) -> CheckedExpectation {
        CheckedExpectation {
            calls,
            verdict: Some(Verdict::Inconclusive),
            is_unjudged: true,
            ..CheckedExpectation::problem(format!("the judge could not be asked: {why}"))
        }
    }
}

impl CheckSubject<'_> {
    /// The turn it belongs to, counted from 1; the last of a visit.
    fn turn(&self) -> Option<u64> {
        match self {
            CheckSubject::Turn(place) => Some(*place as u64 + 1),
            CheckSubject::All => None,
            CheckSubject::Visit(_, turns) => Some(turns.end as u64),
        }
    }
}

/// What went wrong and where, for somebody who sees nothing else.
fn message(problem: &str, told: &EvaluatedCheck<'_>, about: &CheckSubject<'_>) -> String {
    let reason = told.examined.reasoning.as_ref();
    let because = reason.map_or_else(String::new, |reason| format!(": {reason}"));
    let what = match told.examined.verdict {
        Some(_) => format!("{}: {problem}{because}", told.description),
        None => problem.to_owned(),
    };
    match about {
        CheckSubject::Turn(place) => format!("turn {}: {what}", place + 1),
        CheckSubject::All => what,
        CheckSubject::Visit(topic, _) => format!("topic {topic}: {what}"),
    }
}

fn criterion(check: &ConversationCheck) -> Option<&str> {
    match check {
        ConversationCheck::Satisfies(CriterionRef::Criterion(name)) => Some(name),
        _ => None,
    }
}

/// Whether what it says of turns is to name those of the conversation. Judges and counts see only a part of it.
fn keeps_numbers(check: &ConversationCheck) -> bool {
    !matches!(
        check,
        ConversationCheck::Turns(_)
            | ConversationCheck::Satisfies(_)
            | ConversationCheck::Intent(_)
            | ConversationCheck::Grounded { .. }
            | ConversationCheck::Claims(_)
            | ConversationCheck::NotClaims(_)
    )
}

/// The part of the conversation that these turns are. With all numbers kept, the earlier turns are there without replies.
fn visited(whole: &Transcript, range: &Range<usize>, keeps_numbers: bool) -> Transcript {
    let from = if keeps_numbers { 0 } else { range.start };
    let mut turns = whole.turns[from..range.end].to_vec();
    if keeps_numbers {
        let earlier = turns.iter_mut().take(range.start);
        earlier.for_each(|exchange| exchange.reply = None);
    }
    Transcript {
        turns,
        topics: whole.topics.clone(),
    }
}
