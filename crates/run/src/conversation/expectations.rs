//! Evaluates the expectations of a conversation.

use std::collections::HashMap;
use std::ops::Range;

use casebook_record::event::EvaluationRecorded;
use casebook_record::{Comparison, Metadata};
use casebook_source::Span;
use casebook_suite::model::conversation::{
    Conversation, ConversationCheck, CriterionRef, Expectation, Verdict,
};
use casebook_suite::run_time::shown;
use serde::Serialize;

use super::capture::missing_value;
use super::end::{EndReason, SessionEnd, failure};
use super::session::Session;
use super::{check, command};
use crate::assertions::CheckResult;
use crate::emitter::SourceQuote;
use crate::llm::judge::{self, Judgment, verdict_word};
use crate::llm::{FailedCall, ModelCall, ModelError};
use crate::transcript::{Scope, Transcript};

/// The part of the conversation that a check is about.
#[derive(Debug, Clone)]
pub(super) enum CheckSubject<'a> {
    /// The turn at this index.
    Turn(usize),
    /// The whole conversation.
    All,
    /// The turns of one visit to a topic.
    Visit(&'a str, Range<usize>),
}

/// The result of a check, with the judge's verdict if there is one.
#[derive(Debug, Default)]
pub(super) struct CheckedExpectation {
    pub(super) result: CheckResult,
    verdict: Option<Verdict>,
    score: Option<Score>,
    pub(super) reasoning: Option<String>,
    /// The calls to the judge.
    pub(super) calls: Vec<ModelCall>,
    /// Whether the judge gave no verdict because of an error.
    pub(super) is_unjudged: bool,
    /// Whether that error is a missing scripted response.
    pub(super) is_unscripted: bool,
}

impl Session<'_> {
    /// Evaluates and records all expectations. Keeps the first failed hard one in `failure`.
    pub(super) fn check_all(
        &mut self,
        expectations: &[Expectation],
        subject: &CheckSubject<'_>,
    ) -> Result<(), SessionEnd> {
        let with_values = self.values.expectations(expectations);
        let expectations = with_values.as_deref().unwrap_or(expectations);
        let mut batch = self.judge_batch(expectations, subject)?;
        for (index, expectation) in expectations.iter().enumerate() {
            let checked = match (batch.remove(&index), missing_value(expectation)) {
                (Some(checked), _) => checked,
                (None, Some(name)) => CheckedExpectation::without_value(&name),
                (None, None) => self.evaluate(&expectation.check, subject)?,
            };
            self.usage.judge(&checked.calls);
            let evaluated = EvaluatedCheck {
                field: expectation.field,
                span: expectation.span,
                hard: expectation.hard,
                description: shown(&check::describe(&expectation.check)),
                comparison: check::comparison(&expectation.check),
                name: check::criterion(&expectation.check),
                checked,
            };
            self.record_check(evaluated, subject);
        }
        Ok(())
    }

    /// Evaluates a check on a part of the conversation.
    pub(super) fn evaluate(
        &self,
        check: &ConversationCheck,
        subject: &CheckSubject<'_>,
    ) -> Result<CheckedExpectation, SessionEnd> {
        match check {
            ConversationCheck::AnyOf(checks) => return self.any_of(checks, subject),
            ConversationCheck::AllOf(checks) => return self.all_of(checks, subject),
            ConversationCheck::Not(check) => return self.not(check, subject),
            _ => {}
        }
        self.with_scope(subject, keeps_numbers(check), |scope| {
            if let Some(result) = check::evaluate(check, scope) {
                return Ok(CheckedExpectation {
                    result,
                    ..CheckedExpectation::default()
                });
            }
            match check {
                ConversationCheck::Run(script) => {
                    let result = command::evaluate(script, self.services, scope, &self.context)?;
                    Ok(CheckedExpectation {
                        result,
                        ..CheckedExpectation::default()
                    })
                }
                check => Ok(self.judge(&[check], scope)?.remove(0)),
            }
        })
    }

    /// Has the judge decide several checks in one request, if the suite wants that. Returns the results by index.
    fn judge_batch(
        &self,
        expectations: &[Expectation],
        subject: &CheckSubject<'_>,
    ) -> Result<HashMap<usize, CheckedExpectation>, SessionEnd> {
        let all = expectations.iter().enumerate();
        let batch: Vec<_> = all
            .filter(|(_, one)| self.conversation.judge.batch && judge::can_batch(&one.check))
            .filter(|(_, one)| missing_value(one).is_none())
            .collect();
        if batch.len() < 2 {
            return Ok(HashMap::new());
        }
        let checks: Vec<_> = batch.iter().map(|(_, one)| &one.check).collect();
        let judged = self.with_scope(subject, false, |scope| self.judge(&checks, scope))?;
        let indexes = batch.iter().map(|(index, _)| *index);
        Ok(indexes.zip(judged).collect())
    }

    fn with_scope<T>(
        &self,
        subject: &CheckSubject<'_>,
        keeps_numbers: bool,
        evaluate: impl FnOnce(Scope<'_>) -> T,
    ) -> T {
        let all_turns = &self.transcript;
        let visit;
        let (transcript, turn_index) = match subject {
            CheckSubject::Turn(index) => (all_turns, Some(*index)),
            CheckSubject::All => (all_turns, None),
            CheckSubject::Visit(_, turns) => {
                visit = visit_transcript(all_turns, turns, keeps_numbers);
                (&visit, None)
            }
        };
        evaluate(Scope {
            transcript,
            turn_index,
        })
    }

    /// Has the judge decide these checks in one request.
    fn judge(
        &self,
        checks: &[&ConversationCheck],
        scope: Scope<'_>,
    ) -> Result<Vec<CheckedExpectation>, SessionEnd> {
        let cancellation = self.cancellation();
        let judgments = self.judges().map_err(FailedCall::from).and_then(|judges| {
            judge::judge(&judges, self.conversation, checks, scope, cancellation)
        });
        let FailedCall { error, calls } = match judgments {
            Ok(judgments) => {
                let judgments = judgments.into_iter().zip(checks);
                let checked = judgments.map(|(judgment, check)| {
                    self.warn_of_missing_votes(&judgment);
                    CheckedExpectation::from_judgment(judgment, score_of(self.conversation, check))
                });
                return Ok(checked.collect());
            }
            Err(failed) => failed,
        };
        let (why, is_unscripted) = match &error {
            ModelError::Interrupted => return Err(SessionEnd::completed(EndReason::Interrupted)),
            ModelError::OutOfTime => {
                return Err(SessionEnd::timed_out(self.timeout_message("the judge")));
            }
            ModelError::Failed(why) => (why, false),
            ModelError::MissingScriptedResponse(why) => (why, true),
        };
        let unjudged = (0..checks.len()).map(|index| {
            let calls = calls.iter().cloned();
            let calls = calls.map(|call| ModelCall {
                shared: index > 0,
                ..call
            });
            CheckedExpectation {
                is_unscripted,
                ..CheckedExpectation::unjudged(why, calls.collect())
            }
        });
        Ok(unjudged.collect())
    }

    /// Publishes the result of a check, and keeps the failure if it is the first.
    pub(super) fn record_check(
        &mut self,
        evaluated: EvaluatedCheck<'_>,
        subject: &CheckSubject<'_>,
    ) {
        let emitter = self.events.emitter;
        let file = &self.services.site.planned.suite.suite.file;
        let CheckedExpectation { result, .. } = &evaluated.checked;
        let (judge, votes) = match evaluated.checked.calls.as_slice() {
            [only] if self.votes() <= 1 => (Some(only), &[][..]),
            calls => (None, calls),
        };
        let metadata = Metadata::of(&CheckMetadata {
            source: crate::emitter::source_quote(file, evaluated.span),
            topic: match subject {
                CheckSubject::Visit(topic, _) => Some(topic),
                CheckSubject::Turn(_) | CheckSubject::All => None,
            },
            comparison: evaluated.comparison,
            result,
            verdict: evaluated.checked.verdict.map(verdict_word),
            unjudged: evaluated.checked.is_unjudged,
            criterion: evaluated.name,
            score: evaluated.checked.score,
            judge,
            votes,
        });
        let turn = subject.turn();
        if let Some(problem) = result.problem.as_ref().filter(|_| self.fails(&evaluated)) {
            let class = if evaluated.checked.is_unjudged {
                "Casebook::JudgeFailed"
            } else {
                "Casebook::AssertionFailed"
            };
            let message = message(problem, &evaluated, subject);
            self.failure.get_or_insert_with(|| failure(class, message));
        }
        self.events.publish(EvaluationRecorded {
            time: emitter.now(),
            example_id: self.events.example_id.to_owned(),
            turn_number: turn,
            mode: Some(if evaluated.hard { "hard" } else { "soft" }.to_owned()),
            r#type: Some(evaluated.field.to_owned()),
            name: Some(evaluated.name.unwrap_or(evaluated.field).to_owned()),
            description: evaluated.description,
            passed: result.problem.is_none(),
            reasoning: evaluated.checked.reasoning,
            failure_message: evaluated.checked.result.problem,
            metadata,
        });
    }
}

impl Session<'_> {
    /// Warns if a member of a jury cannot be called but the others agree.
    fn warn_of_missing_votes(&self, judgment: &Judgment) {
        let is_decided = judgment.verdict != Verdict::Inconclusive;
        if let Some(why) = judgment.error.as_ref().filter(|_| is_decided) {
            self.services.models.warn_of_missing_vote(why);
        }
    }

    /// The number of votes on each check.
    fn votes(&self) -> usize {
        self.conversation.judges.len() * self.conversation.judge.votes as usize
    }

    /// Whether the failed check fails the test. A missing scripted response is an error of the suite, even for a soft check.
    fn fails(&self, evaluated: &EvaluatedCheck<'_>) -> bool {
        let checked = &evaluated.checked;
        if evaluated.hard || checked.is_unscripted {
            return true;
        }
        let why = checked.result.problem.as_deref();
        let why = why.filter(|_| checked.is_unjudged);
        why.is_some_and(|why| self.services.models.soft_error_fails(why))
    }
}

/// An expectation and its result.
pub(super) struct EvaluatedCheck<'t> {
    pub(super) field: &'static str,
    pub(super) span: Span,
    pub(super) hard: bool,
    pub(super) description: String,
    pub(super) comparison: Comparison,
    /// The name of the criterion.
    pub(super) name: Option<&'t str>,
    pub(super) checked: CheckedExpectation,
}

/// The metadata of a recorded check.
#[derive(Serialize)]
struct CheckMetadata<'t> {
    #[serde(flatten)]
    source: SourceQuote<'t>,
    #[serde(skip_serializing_if = "Option::is_none")]
    topic: Option<&'t str>,
    comparison: Comparison,
    #[serde(flatten)]
    result: &'t CheckResult,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<&'static str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unjudged: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    criterion: Option<&'t str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<Score>,
    /// The call to the judge.
    #[serde(skip_serializing_if = "Option::is_none")]
    judge: Option<&'t ModelCall>,
    /// The calls to the judge, if there are several votes.
    #[serde(skip_serializing_if = "<[ModelCall]>::is_empty")]
    votes: &'t [ModelCall],
}

impl CheckedExpectation {
    /// A failed result without a check.
    pub(super) fn problem(problem: String) -> CheckedExpectation {
        CheckedExpectation {
            result: CheckResult {
                problem: Some(problem),
                ..CheckResult::default()
            },
            ..CheckedExpectation::default()
        }
    }

    /// The result of a check that cannot be evaluated without a captured value.
    fn without_value(name: &str) -> CheckedExpectation {
        let problem = format!("cannot be checked: `{name}` was not captured");
        CheckedExpectation {
            result: CheckResult::undecided(problem),
            ..CheckedExpectation::default()
        }
    }

    /// `score` has the bounds of a criterion with a scale.
    fn from_judgment(judgment: Judgment, score: Option<Score>) -> CheckedExpectation {
        if let Some(why) = &judgment.error
            && judgment.verdict == Verdict::Inconclusive
        {
            return CheckedExpectation::unjudged(why, judgment.calls);
        }
        let score = score
            .zip(judgment.score)
            .map(|(score, value)| Score { value, ..score });
        let problem = match (judgment.verdict, score) {
            (Verdict::Passed, _) => None,
            (Verdict::Failed, Some(Score { value, min, .. })) if value < min => Some(format!(
                "judged as failed: score {}, at least {min} required",
                rounded(value, min)
            )),
            (verdict, _) => Some(format!("judged as {}", verdict_word(verdict))),
        };
        CheckedExpectation {
            result: CheckResult {
                problem,
                is_undecided: judgment.verdict == Verdict::Inconclusive,
                ..CheckResult::default()
            },
            score,
            verdict: Some(judgment.verdict),
            reasoning: judgment.reason,
            calls: judgment.calls,
            ..CheckedExpectation::default()
        }
    }

    fn unjudged(why: &str, calls: Vec<ModelCall>) -> CheckedExpectation {
        CheckedExpectation {
            calls,
            result: CheckResult::undecided(format!("cannot get a verdict: {why}")),
            verdict: Some(Verdict::Inconclusive),
            is_unjudged: true,
            ..CheckedExpectation::default()
        }
    }
}

impl CheckSubject<'_> {
    /// The number of the turn, from 1; the last turn of a visit.
    fn turn(&self) -> Option<u64> {
        match self {
            CheckSubject::Turn(index) => Some(*index as u64 + 1),
            CheckSubject::All => None,
            CheckSubject::Visit(_, turns) => Some(turns.end as u64),
        }
    }
}

/// The failure message, with the turn or topic.
fn message(problem: &str, evaluated: &EvaluatedCheck<'_>, subject: &CheckSubject<'_>) -> String {
    let checked = &evaluated.checked;
    let judged = checked.verdict.map(|_| evaluated.description.as_str());
    let topic = match subject {
        CheckSubject::Visit(topic, _) => Some(*topic),
        CheckSubject::Turn(_) | CheckSubject::All => None,
    };
    failure_message(
        problem,
        judged.map(|description| (description, checked.reasoning.as_deref())),
        topic,
        subject.turn(),
    )
}

/// The failure message of a check. `judged` is the description of a check that the judge decided, and its reason.
pub(super) fn failure_message(
    problem: &str,
    judged: Option<(&str, Option<&str>)>,
    topic: Option<&str>,
    turn: Option<u64>,
) -> String {
    let what = match judged {
        Some((description, Some(reason))) => format!("{description}: {problem}: {reason}"),
        Some((description, None)) => format!("{description}: {problem}"),
        None => problem.to_owned(),
    };
    match (topic, turn) {
        (Some(topic), _) => format!("topic {topic}: {what}"),
        (None, Some(turn)) => format!("turn {turn}: {what}"),
        (None, None) => what,
    }
}

/// A score in the record, with the required minimum and the bounds of the scale.
#[derive(Debug, Clone, Copy, Serialize)]
struct Score {
    value: f64,
    min: f64,
    scale: [f64; 2],
}

/// The score with at most two digits after the point, or with all if it would look like the minimum.
fn rounded(value: f64, min: f64) -> f64 {
    let rounded = (value * 100.0).round() / 100.0;
    if rounded < min { rounded } else { value }
}

/// The bounds of the score that a check requires; the value is not known yet.
fn score_of(conversation: &Conversation, check: &ConversationCheck) -> Option<Score> {
    let ConversationCheck::Satisfies(CriterionRef::Scored { name, min }) = check else {
        return None;
    };
    let mut criteria = conversation.criteria.iter();
    let scale = criteria.find(|one| one.name == *name)?.scale.as_ref()?;
    Some(Score {
        value: scale.min,
        min: *min,
        scale: [scale.min, scale.max],
    })
}

/// Whether the check's messages refer to turn numbers of the whole conversation. The judge and `turns` see only the visit.
fn keeps_numbers(check: &ConversationCheck) -> bool {
    !matches!(
        check,
        ConversationCheck::Turns(_)
            | ConversationCheck::Satisfies(_)
            | ConversationCheck::Intent(_)
            | ConversationCheck::Grounded { .. }
            | ConversationCheck::Claims(_)
            | ConversationCheck::NotClaims(_)
            | ConversationCheck::Language(_)
    )
}

/// The transcript of a visit. With `keeps_numbers` it contains the earlier turns too, without replies.
fn visit_transcript(
    all_turns: &Transcript,
    range: &Range<usize>,
    keeps_numbers: bool,
) -> Transcript {
    let from = if keeps_numbers { 0 } else { range.start };
    let mut turns = all_turns.turns[from..range.end].to_vec();
    if keeps_numbers {
        let earlier = turns.iter_mut().take(range.start);
        earlier.for_each(|turn| turn.reply = None);
    }
    Transcript {
        turns,
        topics: all_turns.topics.clone(),
        end: all_turns.end,
        history: all_turns.history.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::rounded;

    #[test]
    fn a_score_below_the_minimum_is_not_rounded_up_to_it() {
        for (value, shown) in [(2.333_333, 2.33), (3.996, 3.996), (3.0, 3.0)] {
            assert!((rounded(value, 4.0) - shown).abs() < 1e-9, "{value}");
        }
    }
}
