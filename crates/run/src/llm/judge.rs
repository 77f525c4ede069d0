//! The judge: a model that decides whether a check passed.
//!
//! Each request has one criterion, identified by its id, and asks for reasons before the verdict. If the JSON
//! object in the response does not match the schema exactly, the request is sent once more. After the second malformed response
//! the verdict is inconclusive.

mod prompt;

pub(super) use prompt::schema;

use casebook_suite::model::conversation::{Conversation, ConversationCheck, Verdict};
use serde::Deserialize;

use crate::transcript::Scope;

use super::{FailedCall, Model, ModelCall, ModelError, ModelRequest, Purpose, call, response};
use crate::stop::Cancellation;

/// The judge's verdict over all votes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Judgment {
    pub(crate) verdict: Verdict,
    pub(crate) reason: Option<String>,
    /// The calls for the record, one per vote.
    pub(crate) calls: Vec<ModelCall>,
}

/// Has the judge decide a check.
pub(crate) fn judge(
    model: &dyn Model,
    conversation: &Conversation,
    check: &ConversationCheck,
    scope: Scope<'_>,
    cancellation: Cancellation<'_>,
) -> Result<Judgment, FailedCall> {
    let Some(request) = prompt::request(conversation, check, scope) else {
        let why = "this check does not use a judge".to_owned();
        return Err(ModelError::Failed(why).into());
    };
    let votes = conversation.judge.votes.max(1);
    let mut all = Vec::new();
    let mut calls = Vec::new();
    // `repeat_n` moves the request into the last vote: most conversations have one vote, and requests are long.
    for request in std::iter::repeat_n(request, votes as usize) {
        match vote(model, request, cancellation) {
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

/// Gets one vote of the judge.
fn vote(
    model: &dyn Model,
    request: ModelRequest,
    cancellation: Cancellation<'_>,
) -> Result<Judgment, FailedCall> {
    let id = match &request.purpose {
        Purpose::Verdict { id, .. } => id.clone(),
        _ => String::new(),
    };
    let parsed = call::complete(model, request, cancellation, |text| parse(text, &id))?;
    let (verdict, reason) = match parsed.result {
        Ok(vote) => (vote.verdict.into(), vote.reasons),
        Err(problem) => (
            Verdict::Inconclusive,
            format!("the judge's response was malformed twice: {problem}"),
        ),
    };
    let call = ModelCall {
        verdict: Some(verdict_word(verdict)),
        ..parsed.call
    };
    Ok(Judgment {
        verdict,
        reason: Some(reason),
        calls: vec![call],
    })
}

/// The verdict of more than half of the votes; inconclusive if there is none. The reason contains the tally if there are
/// several votes.
fn majority(votes: &[(Verdict, Option<String>)]) -> (Verdict, Option<String>) {
    let count = |verdict| votes.iter().filter(|(vote, _)| *vote == verdict).count();
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

/// The judge's response.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct JudgeVote {
    criterion: String,
    reasons: String,
    verdict: VerdictWord,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum VerdictWord {
    Passed,
    Failed,
    Inconclusive,
}

impl From<VerdictWord> for Verdict {
    fn from(word: VerdictWord) -> Verdict {
        match word {
            VerdictWord::Passed => Verdict::Passed,
            VerdictWord::Failed => Verdict::Failed,
            VerdictWord::Inconclusive => Verdict::Inconclusive,
        }
    }
}

/// A verdict in the spelling of prompts, responses and records.
pub(crate) fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Passed => "passed",
        Verdict::Failed => "failed",
        Verdict::Inconclusive => "inconclusive",
    }
}

/// Parses a vote on the criterion `id`.
fn parse(text: &str, id: &str) -> Result<JudgeVote, String> {
    let vote: JudgeVote = response::parse(text)?;
    if vote.criterion != id {
        return Err(format!(
            "it is about the criterion {:?} instead of {id:?}",
            vote.criterion
        ));
    }
    if vote.reasons.trim().is_empty() {
        return Err("it gives no reasons".to_owned());
    }
    Ok(vote)
}

#[cfg(test)]
mod tests;
