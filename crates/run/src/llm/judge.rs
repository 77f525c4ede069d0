//! The judge: whether a model says that a demand is met.
//!
//! One criterion per question, matched by its id, reasons before the verdict. An answer that is not exactly what was
//! asked for is asked for once more and then counts as inconclusive; nothing but a clear "passed" ever passes.

mod prompt;

pub(super) use prompt::schema;

use casebook_suite::model::conversation::{Conversation, ConversationCheck, Verdict};
use serde::Deserialize;

use crate::transcript::Scope;

use super::{FailedCall, Model, ModelCall, ModelError, ModelRequest, Purpose, call};
use crate::stop::Cancellation;

/// What the judge found.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Judgment {
    pub(crate) verdict: Verdict,
    pub(crate) reason: Option<String>,
    /// What the record keeps of the calls, one per vote.
    pub(crate) calls: Vec<ModelCall>,
}

/// Asks the judge about a check that needs one.
pub(crate) fn judge(
    model: &dyn Model,
    conversation: &Conversation,
    check: &ConversationCheck,
    scope: Scope<'_>,
    patience: Cancellation<'_>,
) -> Result<Judgment, FailedCall> {
    let Some(question) = prompt::question(conversation, check, scope) else {
        let why = "this check is none for a judge".to_owned();
        return Err(ModelError::Failed(why).into());
    };
    let votes = conversation.judge.votes.max(1);
    let mut all = Vec::new();
    let mut calls = Vec::new();
    // Most have one vote, and their question is long.
    for question in std::iter::repeat_n(question, votes as usize) {
        match vote(model, question, patience) {
            Ok(vote) => {
                calls.extend(vote.calls);
                all.push((vote.verdict, vote.reason));
            }
            Err(FailedCall { error, calls: more }) => {
                calls.extend(more);
                return Err(FailedCall { error, calls });
            }
        }
    }
    let (verdict, reason) = majority(&all);
    Ok(Judgment {
        verdict,
        reason,
        calls,
    })
}

/// One answer of the judge.
fn vote(
    model: &dyn Model,
    question: ModelRequest,
    patience: Cancellation<'_>,
) -> Result<Judgment, FailedCall> {
    let id = match &question.purpose {
        Purpose::Verdict { id, .. } => id.clone(),
        _ => String::new(),
    };
    let asked = call::ask(model, question, patience, |text| read(text, &id))?;
    let (verdict, reason) = match asked.result {
        Ok(opinion) => (opinion.verdict.into(), opinion.reasons),
        Err(problem) => (
            Verdict::Inconclusive,
            format!("the judge gave no usable answer, twice: {problem}"),
        ),
    };
    let call = ModelCall {
        verdict: Some(verdict_word(verdict)),
        ..asked.call
    };
    Ok(Judgment {
        verdict,
        reason: Some(reason),
        calls: vec![call],
    })
}

/// What more than half of the votes say, or that it cannot be told.
fn majority(votes: &[(Verdict, Option<String>)]) -> (Verdict, Option<String>) {
    let count = |wanted| votes.iter().filter(|(vote, _)| *vote == wanted).count();
    let verdict = [Verdict::Passed, Verdict::Failed]
        .into_iter()
        .find(|verdict| count(*verdict) * 2 > votes.len())
        .unwrap_or(Verdict::Inconclusive);
    let reason = votes
        .iter()
        .find(|(vote, _)| *vote == verdict)
        .and_then(|(_, reason)| reason.clone());
    if let [_] = votes {
        return (verdict, reason);
    }
    let tally = format!(
        "{} of {} votes passed, {} failed, {} inconclusive",
        count(Verdict::Passed),
        votes.len(),
        count(Verdict::Failed),
        count(Verdict::Inconclusive),
    );
    let reason = match reason {
        Some(reason) => format!("{tally}: {reason}"),
        None => tally,
    };
    (verdict, Some(reason))
}

/// What a judge answers.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct JudgeVote {
    criterion: String,
    reasons: String,
    verdict: Word,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Word {
    Passed,
    Failed,
    Inconclusive,
}

impl From<Word> for Verdict {
    fn from(word: Word) -> Verdict {
        match word {
            Word::Passed => Verdict::Passed,
            Word::Failed => Verdict::Failed,
            Word::Inconclusive => Verdict::Inconclusive,
        }
    }
}

/// A verdict in the words of questions, answers and records.
pub(crate) fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Passed => "passed",
        Verdict::Failed => "failed",
        Verdict::Inconclusive => "inconclusive",
    }
}

/// The opinion on the criterion, if that is what the answer is and all that it is.
fn read(text: &str, id: &str) -> Result<JudgeVote, String> {
    let opinion: JudgeVote = call::read(text)?;
    if opinion.criterion != id {
        return Err(format!(
            "it is about the criterion {:?} instead of {id:?}",
            opinion.criterion
        ));
    }
    if opinion.reasons.trim().is_empty() {
        return Err("it gives no reasons".to_owned());
    }
    Ok(opinion)
}

#[cfg(test)]
mod tests;
