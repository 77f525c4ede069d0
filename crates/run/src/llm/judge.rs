//! The judge: a model, or a jury of models, that decides whether checks passed.
//!
//! A request has one criterion, or all criteria of a turn if the suite wants them in one batch. Each is identified by its id,
//! and the request asks for reasons before the verdict or score. If the JSON object in the response does not match the schema
//! exactly, the request is sent once more. After the second malformed response the verdict is inconclusive.

mod prompt;
mod vote;

pub(crate) use prompt::can_batch;
pub(super) use vote::schema;

use casebook_record::mean;
use casebook_suite::model::conversation::{
    Agreement, Conversation, ConversationCheck, CriterionRef, Verdict,
};

use crate::assertions::shortened;
use crate::transcript::Scope;

use super::{FailedCall, Model, ModelCall, ModelError, ModelRequest, Purpose, VerdictQuery, call};
use crate::stop::Cancellation;
use vote::Vote;

/// The judge's verdict over all votes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Judgment {
    pub(crate) verdict: Verdict,
    /// The mean score of the votes, for a criterion with a scale.
    pub(crate) score: Option<f64>,
    pub(crate) reason: Option<String>,
    /// The calls for the record, one per vote.
    pub(crate) calls: Vec<ModelCall>,
    /// Why votes are missing, if some are. They count as inconclusive.
    pub(crate) error: Option<String>,
}

/// The votes of one call, in the order of the checks.
struct Ballot {
    votes: Vec<Vote>,
    call: ModelCall,
    /// Why there is no response. The votes are inconclusive then.
    error: Option<String>,
}

/// Has the judge decide checks of the same part of a conversation, all of them in one request. Returns a judgment for each.
pub(crate) fn judge(
    models: &[&dyn Model],
    conversation: &Conversation,
    checks: &[&ConversationCheck],
    scope: Scope<'_>,
    cancellation: Cancellation<'_>,
) -> Result<Vec<Judgment>, FailedCall> {
    let Some(request) = prompt::request(conversation, checks, scope) else {
        let why = "this check does not use a judge".to_owned();
        return Err(ModelError::Failed(why).into());
    };
    let count = conversation.judge.votes.max(1);
    let mut ballots: Vec<Ballot> = Vec::new();
    for model in models {
        for index in 0..count {
            let ballot = ballot(*model, request.clone(), cancellation);
            let ballot = ballot.or_else(|failed| missing_ballot(failed, checks.len()));
            match ballot {
                Ok(ballot) if ballot.error.is_some() => {
                    // The other votes of this model would fail in the same way.
                    ballots.extend((index..count).map(|next| ballot.repeated(next > index)));
                    break;
                }
                Ok(ballot) => ballots.push(ballot),
                Err(failed) => return Err(with_earlier(ballots, failed)),
            }
        }
    }
    if ballots.iter().all(|ballot| ballot.error.is_some())
        && let Some(why) = ballots.first().and_then(|first| first.error.clone())
    {
        return Err(with_earlier(ballots, ModelError::Failed(why).into()));
    }
    let checks = checks.iter().enumerate();
    let judgments = checks.map(|(index, check)| {
        let min = required_score(check);
        judgment(&ballots, index, min, conversation.judge.agree)
    });
    Ok(judgments.collect())
}

/// Gets one vote of a model on each criterion of the request.
fn ballot(
    model: &dyn Model,
    request: ModelRequest,
    cancellation: Cancellation<'_>,
) -> Result<Ballot, FailedCall> {
    let queries = match &request.purpose {
        Purpose::Verdicts(queries) => queries.clone(),
        _ => Vec::new(),
    };
    let parsed = call::complete(model, request, cancellation, |text| {
        vote::parse(text, &queries)
    })?;
    let votes = parsed.result.unwrap_or_else(|problem| {
        let reason =
            format!("the judge's response was malformed twice; try another model: {problem}");
        vec![Vote::inconclusive(reason); queries.len()]
    });
    Ok(Ballot {
        votes,
        call: parsed.call,
        error: None,
    })
}

/// The ballot of a model that cannot be called: its votes are inconclusive. Other errors end the judging.
fn missing_ballot(mut failed: FailedCall, checks: usize) -> Result<Ballot, FailedCall> {
    let ModelError::Failed(why) = &failed.error else {
        return Err(failed);
    };
    Ok(Ballot {
        votes: vec![Vote::inconclusive(why.clone()); checks],
        error: Some(why.clone()),
        call: failed.calls.pop().unwrap_or_default(),
    })
}

/// The error with the calls of the ballots before it.
fn with_earlier(ballots: Vec<Ballot>, failed: FailedCall) -> FailedCall {
    let calls = ballots.into_iter().map(|ballot| ballot.call);
    FailedCall {
        error: failed.error,
        calls: calls.chain(failed.calls).collect(),
    }
}

impl Ballot {
    /// The ballot again; `shared` if its call is that of an earlier vote.
    fn repeated(&self, shared: bool) -> Ballot {
        Ballot {
            votes: self.votes.clone(),
            call: ModelCall {
                shared,
                ..self.call.clone()
            },
            error: self.error.clone(),
        }
    }
}

/// The minimum score that a check requires.
fn required_score(check: &ConversationCheck) -> Option<f64> {
    match check {
        ConversationCheck::Satisfies(CriterionRef::Scored { min, .. }) => Some(*min),
        _ => None,
    }
}

/// The judgment on the check at `index`.
fn judgment(ballots: &[Ballot], index: usize, min: Option<f64>, agree: Agreement) -> Judgment {
    let votes: Vec<_> = ballots.iter().map(|ballot| &ballot.votes[index]).collect();
    let verdicts: Vec<_> = votes.iter().map(|vote| vote.verdict(min)).collect();
    let verdict = agreed(&verdicts, agree);
    let calls: Vec<_> = ballots
        .iter()
        .zip(&verdicts)
        .map(|(ballot, verdict)| ModelCall {
            verdict: Some(verdict_word(*verdict)),
            score: ballot.votes[index].score,
            shared: index > 0 || ballot.call.shared,
            ..ballot.call.clone()
        })
        .collect();
    let score = mean(votes.iter().filter_map(|vote| vote.score));
    // Rounded, so that the mean of equal scores is that score.
    let score = score.map(|mean| format!("{mean:.12}").parse().unwrap_or(mean));
    let votes: Vec<_> = votes.into_iter().zip(verdicts).collect();
    let decisive = votes.iter().find(|(_, one)| *one == verdict);
    let decisive = decisive.map(|(vote, _)| *vote);
    Judgment {
        verdict,
        score,
        reason: explain(&calls, &votes, decisive, agree),
        calls,
        error: ballots.iter().find_map(|ballot| ballot.error.clone()),
    }
}

/// The verdict that enough votes have; inconclusive if there is none.
fn agreed(votes: &[Verdict], agree: Agreement) -> Verdict {
    let count = |verdict| votes.iter().filter(|vote| **vote == verdict).count();
    let is_agreed = |verdict: &Verdict| match agree {
        Agreement::Majority => count(*verdict) * 2 > votes.len(),
        Agreement::All => count(*verdict) == votes.len(),
    };
    [Verdict::Passed, Verdict::Failed]
        .into_iter()
        .find(is_agreed)
        .unwrap_or(Verdict::Inconclusive)
}

/// The reason, after the tally if there are several votes. If they differ, the reason of each vote.
fn explain(
    calls: &[ModelCall],
    votes: &[(&Vote, Verdict)],
    decisive: Option<&Vote>,
    agree: Agreement,
) -> Option<String> {
    let reason = decisive.map(|vote| vote.reason.clone());
    if let [_] = votes {
        return reason;
    }
    let count = |verdict| votes.iter().filter(|(_, one)| *one == verdict).count();
    let passed = count(Verdict::Passed);
    let (failed, inconclusive) = (count(Verdict::Failed), count(Verdict::Inconclusive));
    let tally = format!(
        "{passed} of {} votes passed, {failed} failed, {inconclusive} inconclusive",
        votes.len(),
    );
    if [passed, failed, inconclusive].contains(&votes.len()) {
        return Some(match reason {
            Some(reason) => format!("{tally}: {reason}"),
            None => tally,
        });
    }
    let rule = match agree {
        Agreement::Majority => "more than half must agree",
        Agreement::All => "all must agree",
    };
    let votes = calls.iter().zip(votes);
    let votes: Vec<_> = votes
        .map(|(call, (vote, _))| vote_text(call, vote))
        .collect();
    Some(format!("{tally}; {rule}: {}", votes.join("; ")))
}

/// A vote on one line: `gpt-5: passed: It says hello.`
fn vote_text(call: &ModelCall, vote: &Vote) -> String {
    let model = call.model.as_deref().unwrap_or("a judge");
    let verdict = call.verdict.unwrap_or_default();
    let score = vote
        .score
        .map_or_else(String::new, |score| format!(" (score {score})"));
    format!("{model}: {verdict}{score}: {}", shortened(&vote.reason))
}

/// A verdict in the spelling of prompts, responses and records.
pub(crate) fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Passed => "passed",
        Verdict::Failed => "failed",
        Verdict::Inconclusive => "inconclusive",
    }
}

#[cfg(test)]
mod tests;
